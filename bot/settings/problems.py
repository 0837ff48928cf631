"""Says what is wrong in a config: one line a problem, each naming its key."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias

from bot.settings.keys import Section, section_at, sections
from bot.settings.leaks import leak_in, shown
from bot.settings.units import format_duration, format_size

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

Where: TypeAlias = tuple[str | int, ...]
Table: TypeAlias = Mapping[str, object]

_BARE = r"[A-Za-z0-9_-]+"


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one key, with the form that would be right."""

    where: Where
    text: str


def key_path(where: Where) -> str:
    """Write a place as `repo[0].check[1].timeout`."""
    path = ""
    for part in where:
        if isinstance(part, int):
            path += f"[{part}]"
            continue
        is_plain = re.fullmatch(_BARE, part) and not leak_in(part)
        name = part if is_plain else shown(part)
        path += f".{name}" if path else name
    return path


def line_of(problem: Problem, source: str, data: Table) -> str:
    """Write a problem as one line: source, key, the repository's name, the text."""
    name = _repo_name(problem.where, data)
    whose = f" (repo {shown(name)})" if name else ""
    return f"{source}: {key_path(problem.where)}{whose}: {problem.text}"


def _repo_name(where: Where, data: Table) -> str | None:
    match where:
        case ("repo", int(index), *_):
            repos = data.get("repo")
            repo = repos[index] if isinstance(repos, list) else None
            name = repo.get("name") if isinstance(repo, dict) else None
            return name if isinstance(name, str) else None
    return None


def problems_of(error: "ValidationError") -> Iterator[Problem]:
    """Yield what the model refused, in our words."""
    for detail in error.errors(include_url=False):
        where = tuple(part for part in detail["loc"] if part != "[key]")
        yield Problem(where, _text(where, detail))


def _text(where: Where, detail: "ErrorDetails") -> str:
    kind, value = detail["type"], detail.get("input")
    limits: dict[str, Any] = detail.get("ctx", {})
    if kind == "value_error":
        return str(limits["error"])
    if kind == "extra_forbidden":
        return _unknown(where)
    if kind == "missing":
        return f"is missing: {_meaning(where)}"
    if kind == "literal_error":
        expected = str(limits["expected"]).replace("'", '"')
        return f"{shown(value)} is not known here; write {expected}"
    if kind in _FORMS:
        return f"{shown(value)} {_FORMS[kind]}"
    return f"{shown(value)} {_out_of_bounds(kind, value, limits) or detail['msg']}"


_FORMS = {
    "string_type": 'is no text; write it in quotes, like "…"',
    "path_type": 'is no path; write it in quotes, like "…"',
    "bool_type": "is no yes or no; write true or false",
    "tuple_type": 'is no list; write one in brackets, like ["…"]',
    "dict_type": 'is no table; write one in braces, like { NAME = "…" }',
    "model_type": "is no table; write its header in brackets and its keys below it",
    "too_short": "is empty; write at least one entry",
}


def _out_of_bounds(kind: str, value: object, limits: Mapping[str, Any]) -> str | None:
    match kind:
        case "greater_than":
            return f"is too small; write more than {_like(value, limits['gt'])}"
        case "greater_than_equal":
            return f"is too small; the least is {_like(value, limits['ge'])}"
        case "less_than_equal":
            return f"is too large; the most is {_like(value, limits['le'])}"
    return None


def _like(value: object, limit: Any) -> str:
    """Write a limit in the unit of the value that broke it."""
    if not isinstance(value, str) or value.isdigit():
        return str(limit)
    return format_size(limit) if value.endswith("B") else format_duration(limit)


def _meaning(where: Where) -> str:
    section = section_at(where)
    field = section.model.model_fields.get(str(where[-1])) if section else None
    return (field.description if field else None) or "it must be set"


def _unknown(where: Where) -> str:
    name = str(where[-1])
    section = section_at(where)
    homes = _homes(name, section)
    if homes:
        return f"there is no such key here; it belongs {' or '.join(homes)}"
    known = list(section.model.model_fields) if section else []
    near = get_close_matches(name, known, n=1)
    if near:
        return f"there is no such key; did you mean {near[0]}?"
    return f"there is no such key; known here: {', '.join(known)}"


def _homes(name: str, section: Section | None) -> list[str]:
    """Return the places that know a key, those inside this section before others."""
    homes = [home for home in sections() if name in home.model.model_fields]
    inside = section.path if section else ()
    near = [home for home in homes if inside and home.path[: len(inside)] == inside]
    return [_place(home) for home in near or homes]


def _place(section: Section) -> str:
    return f"under {section.header}" if section.path else "at the top of the file"
