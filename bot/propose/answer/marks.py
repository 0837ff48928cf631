"""Marker lines: which line is one, what it says, and which only looks like one."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

VERBS = frozenset(
    {
        *("head", "new", "whole", "edit", "search", "replace"),
        *("delete", "rename", "end", "done"),
    }
)

_LINE_END = re.compile(r"\r\n|\n|\r")
_LEAD = re.compile(r"[ \t>*`]{0,12}={3,8}[ \t]*")
_OTHER = re.compile(r"([0-9a-z]{4,8})[ \t]+([a-z]+)")
_TRIM = " \t*`="
_LIKENESS = 0.8  # one character of six wrong, missing or too many
_QUOTED = 160  # characters of a line in a message


class Unreadable(Exception):
    """The text is no answer; the message says why, `quote` holds the line."""

    def __init__(self, reason: str, quote: str = "") -> None:
        super().__init__(reason)
        self.quote = quote[:_QUOTED]


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker line: its word and what follows it."""

    verb: str
    rest: str


def split_lines(text: str) -> list[str]:
    """Return the lines without their ends; they end at LF, CRLF and CR only."""
    lines = _LINE_END.split(text)
    if not lines[-1]:
        lines.pop()
    return lines


def read_marker(line: str, mark: str) -> Marker | None:
    """Return the marker on this line, or None when it is none.

    Raises:
        Unreadable: The line starts as a marker line but says nothing known, or carries
            a mark that is almost the right one.
    """
    lead = _LEAD.match(line)
    if lead is None:
        return None
    after = line[lead.end() :]
    if not after.startswith(mark):
        _refuse_misspelt(line, after, mark)
        return None
    verb, _, rest = after[len(mark) :].strip(_TRIM + ":").partition(" ")
    verb = verb.strip(_TRIM + ":").lower()
    if verb not in VERBS:
        known = ", ".join(sorted(VERBS))
        raise Unreadable(f"a marker line says {verb[:20]!r}; known: {known}", line)
    return Marker(verb, rest.strip())


def _refuse_misspelt(line: str, after: str, mark: str) -> None:
    found = _OTHER.match(after)
    if found is None or found[2] not in VERBS:
        return
    if SequenceMatcher(None, found[1], mark, autojunk=False).ratio() >= _LIKENESS:
        raise Unreadable(
            f"a marker line carries {found[1]!r} where the mark is {mark!r}", line
        )


def clean_path(text: str) -> str:
    """Return a path without what models put around it: quotes, backticks, `./`."""
    path = text.strip()
    if len(path) > 1 and path[0] == path[-1] and path[0] in "`\"'":
        path = path[1:-1].strip()
    path = path.strip("`")
    while path.startswith("./"):
        path = path[2:]
    return path
