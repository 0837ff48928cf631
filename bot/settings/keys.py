"""Walks the model: every section and every key that a config may have."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bot.settings.model import Settings

NAME = "NAME"
"""Stands in a path where the file has a name of the person's own."""


@dataclass(frozen=True, slots=True)
class Section:
    """One table of the config.

    Attributes:
        path: Its names from the top, empty for the top itself.
        model: What its keys are checked against.
        repeats: Whether it is written `[[…]]`, once for each entry.
        in_list: Whether it or a table above it repeats or is named freely.
        is_named: Whether the last of its names is free; it stands as `NAME` in `path`.
    """

    path: tuple[str, ...]
    model: type[BaseModel]
    repeats: bool = False
    in_list: bool = False
    is_named: bool = False

    @property
    def header(self) -> str:
        """The line that opens it in the file."""
        dotted = ".".join(self.path)
        return f"[[{dotted}]]" if self.repeats else f"[{dotted}]"

    def own_keys(self) -> Iterator[tuple[str, FieldInfo]]:
        """Yield the keys that are no tables themselves, those that must stand first."""
        fields = self.model.model_fields.items()
        for name, field in sorted(fields, key=lambda item: not item[1].is_required()):
            if table_of(field) is None:
                yield name, field


def table_of(field: FieldInfo) -> type[BaseModel] | None:
    """Return the model of a key that is a table or a list of tables, or None."""
    kind: object = field.annotation
    if get_origin(kind) is tuple:
        kind = get_args(kind)[0]
    elif get_origin(kind) is dict:
        kind = get_args(kind)[1]
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind
    return None


def is_list(field: FieldInfo) -> bool:
    """Tell whether a key takes a list (or a table of free keys)."""
    kind = field.annotation
    kinds = (kind, *get_args(kind))
    return any(get_origin(kind) in {tuple, dict} for kind in kinds)


def sections() -> Iterator[Section]:
    """Yield every section, the top first, each before those inside it."""
    yield from _walk(Section((), Settings))


def _walk(section: Section) -> Iterator[Section]:
    yield section
    for name, field in section.model.model_fields.items():
        model = table_of(field)
        if model is None:
            continue
        path = (*section.path, name)
        many = is_list(field)
        is_named = get_origin(field.annotation) is dict
        yield from _walk(
            Section(
                path=(*path, NAME) if is_named else path,
                model=model,
                repeats=many and not is_named,
                in_list=section.in_list or many,
                is_named=is_named,
            )
        )


def section_at(where: tuple[str | int, ...]) -> Section | None:
    """Return the section that holds the key at this place, as far as one is known."""
    path = tuple(part for part in where[:-1] if isinstance(part, str))
    return next((s for s in sections() if _is_at(s, path)), None)


def _is_at(section: Section, path: tuple[str, ...]) -> bool:
    if not section.is_named:
        return section.path == path
    return section.path[:-1] == path[:-1] and len(section.path) == len(path)
