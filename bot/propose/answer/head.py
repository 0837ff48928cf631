"""The head of an answer: `key: value` lines, with lists as `- ` lines."""

import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.propose.answer.marks import Unreadable

_TEXTS = ("summary", "rationale", "decline", "reason")
_LISTS = (
    *("files", "tests", "skills", "removes"),
    *("questions", "split", "evidence", "need"),
)
_KEY = re.compile(
    r"[*\"`]{0,3}([a-z_]{1,12})[*\"`]{0,3}:(?!//)[*\"`]{0,3}(.*)", re.IGNORECASE
)
_BULLET = re.compile(r"\s{0,12}(?:[-*+]|\d{1,2}[.)])\s+(.*)")
_FENCE = re.compile(r"\s{0,3}(?:`{3,}|~{3,})\w*\s*")
_NOTHING = frozenset({"", "-", "none", "n/a", "[]", "null", "nothing"})
_MAX_ITEMS = 200
_MAX_TEXT = 4000  # characters of a value; a longer one is cut


@dataclass(frozen=True, slots=True)
class Head:
    """The values of a head; a missing text is empty, a missing list too."""

    texts: Mapping[str, str]
    lists: Mapping[str, tuple[str, ...]]

    def text(self, key: str) -> str:
        """Return a text value, its lines kept, bounded."""
        return self.texts.get(key, "")

    def items(self, key: str) -> tuple[str, ...]:
        """Return a list value, bounded."""
        return self.lists.get(key, ())


def read_head(lines: Sequence[str]) -> Head:
    """Read the lines between the head's markers.

    Raises:
        Unreadable: A line belongs to no key, or a key stands there twice.
    """
    inner = [line for line in lines if not _FENCE.fullmatch(line)]
    if "".join(inner).lstrip().startswith("{"):
        return _from_json("\n".join(inner))
    return _from_lines(textwrap.dedent("\n".join(inner)).split("\n"))


def _from_lines(lines: Iterable[str]) -> Head:
    values: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in lines:
        found = _KEY.match(line)
        key = _key(found[1]) if found else ""
        if found and key in (*_TEXTS, *_LISTS):
            if key in values:
                raise Unreadable(f"the head has {key!r} twice", line)
            current = values[key] = [found[2].strip()]
        elif current is not None:
            current.append(line)
        elif line.strip():
            raise Unreadable(
                "the head starts with a line that is no known `key: value`", line
            )
    return Head(
        {key: _text(values[key]) for key in _TEXTS if key in values},
        {key: _list(values[key]) for key in _LISTS if key in values},
    )


def _from_json(text: str) -> Head:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(
            f"the head starts as JSON but can't be read: {error}"
        ) from error
    # What starts with `{` and is valid JSON is an object.
    values = {_key(str(key)): value for key, value in read.items()}
    texts = {key: values[key] for key in _TEXTS if values.get(key) is not None}
    lists = {key: values[key] for key in _LISTS if values.get(key) is not None}
    return Head(
        {key: _text(_as_lines(value)) for key, value in texts.items()},
        {
            key: _items(_as_lines(value)) if isinstance(value, list) else _list([value])
            for key, value in lists.items()
            if isinstance(value, list | str)
        },
    )


def _key(name: str) -> str:
    return name.lower().removesuffix("_added").removesuffix("_used")


def _as_lines(value: object) -> list[str]:
    parts = value if isinstance(value, list) else [value]
    return [part if isinstance(part, str) else json.dumps(part) for part in parts]


def _text(lines: Iterable[str]) -> str:
    return "\n".join(line.rstrip() for line in lines).strip()[:_MAX_TEXT]


def _list(lines: Sequence[str]) -> tuple[str, ...]:
    first, *rest = lines
    inline = first.strip().removeprefix("[").removesuffix("]")
    found = [part.strip(" \t\"'") for part in inline.split(",")]
    for line in rest:
        bullet = _BULLET.fullmatch(line)
        if bullet:
            found.append(bullet[1])
        elif line[:1].isspace() and line.strip() and found[-1]:
            found[-1] = f"{found[-1]} {line.strip()}"
        else:
            found.append(line)
    return _items(found)


def _items(parts: Iterable[str]) -> tuple[str, ...]:
    kept = (part.strip()[:_MAX_TEXT] for part in parts)
    unique = dict.fromkeys(part for part in kept if part.lower() not in _NOTHING)
    return tuple(unique)[:_MAX_ITEMS]
