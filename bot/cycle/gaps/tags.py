"""What the tags of one line say, and which of them can't be followed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.gap import Priority

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_PRIORITIES: tuple[Priority, ...] = ("p0", "p1", "p2", "p3")
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Tags:
    """The tags of a line.

    Attributes:
        explicit_id: A valid `[id:…]`, else None.
        priority: The most urgent one when several stand there.
        depends: Ids in the order they are named, each once.
        recipe: The name in `[recipe:…]`.
        fix: Whether a fault is to be mended.
        problems: Why the line is faulty, in words.
    """

    explicit_id: str | None
    priority: Priority
    depends: tuple[str, ...]
    recipe: str | None
    fix: bool
    problems: tuple[str, ...]


NO_TAGS = Tags(
    explicit_id=None, priority="p2", depends=(), recipe=None, fix=False, problems=()
)


def read_tags(found: Sequence[tuple[str, str]], unreadable: Sequence[str]) -> Tags:
    """Combine the tags of one line; the same tag twice is no fault."""
    names = {name for name, _ in found}
    ids = _values(found, "id")
    recipes = _values(found, "recipe")
    depends = [value.split(",") for value in _values(found, "depends")]
    wanted = dict.fromkeys(part.strip() for parts in depends for part in parts)
    wanted.pop("", None)
    problems = [
        f"{shown(start)}…] can't be read: write the tag in plain characters, or in "
        "backticks where none is meant"
        for start in dict.fromkeys(unreadable)
    ]
    problems += _id_problems(ids)
    if len(recipes) > 1:
        problems.append(f"several recipes ({_listed(recipes)}): keep one")
    if depends and not wanted:
        problems.append("[depends:] names no id: name one or remove the tag")
    return Tags(
        explicit_id=ids[0] if len(ids) == 1 and _ID.fullmatch(ids[0]) else None,
        priority=next((p for p in _PRIORITIES if p in names), "p2"),
        depends=tuple(wanted),
        recipe=recipes[0] if len(recipes) == 1 else None,
        fix="fix" in names,
        problems=tuple(problems),
    )


def shown(text: str) -> str:
    """Shorten what somebody wrote for use in a message."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _values(found: Sequence[tuple[str, str]], name: str) -> list[str]:
    return list(dict.fromkeys(value for tag, value in found if tag == name))


def _id_problems(ids: Sequence[str]) -> list[str]:
    if len(ids) > 1:
        return [f"several ids ({_listed(ids)}): keep one"]
    return [
        f"[id:{shown(value)}] is no id: use 1 to 40 of a-z, 0-9 and -, and no - first"
        for value in ids
        if not _ID.fullmatch(value)
    ]


def _listed(values: Sequence[str]) -> str:
    return ", ".join(shown(value) for value in values[:5])
