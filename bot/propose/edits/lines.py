"""A file's lines and where a run of lines stands among them, in linear time."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

_LINE_END = re.compile(r"\r\n|\n|\r")
_FAR_TOO_MANY = 50


def split_lines(text: str) -> list[str]:
    """Return the lines without their ends; they end at LF, CRLF and CR only."""
    lines = _LINE_END.split(text)
    if not lines[-1]:
        lines.pop()
    return lines


def common_start(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines both begin with."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


class Lines:
    """The lines of a file, made searchable once for all blocks."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.exact = tuple(lines)

    @cached_property
    def stripped_right(self) -> tuple[str, ...]:
        """The lines without white space at their ends."""
        return tuple(line.rstrip() for line in self.exact)

    @cached_property
    def stripped(self) -> tuple[str, ...]:
        """The lines without white space on both sides."""
        return tuple(line.strip() for line in self.exact)

    def places(self, wanted: Sequence[str]) -> list[int]:
        """Return where the lines stand exactly."""
        return _places(self._exact_text, wanted)

    def places_right(self, wanted: Sequence[str]) -> list[int]:
        """Return where they stand but for white space at line ends."""
        return _places(self._right_text, _each(wanted, str.rstrip))

    def places_stripped(self, wanted: Sequence[str]) -> list[int]:
        """Return where they stand but for indentation and white space at line ends."""
        return _places(self._stripped_text, _each(wanted, str.strip))

    @cached_property
    def _exact_text(self) -> str:
        return _text(self.exact)

    @cached_property
    def _right_text(self) -> str:
        return _text(self.stripped_right)

    @cached_property
    def _stripped_text(self) -> str:
        return _text(self.stripped)


def _each(lines: Sequence[str], change: Callable[[str], str]) -> list[str]:
    return [change(line) for line in lines]


def _text(lines: Sequence[str]) -> str:
    return "".join(f"\n{line}" for line in lines) + "\n"


def _places(text: str, wanted: Sequence[str]) -> list[int]:
    """Return the first line of every place, as far as anyone needs to know them."""
    found = []
    line = seen = 0
    for at in _finds(text, _text(wanted)):
        line += text.count("\n", seen, at)
        seen = at
        found.append(line)
        if len(found) > _FAR_TOO_MANY:
            break
    return found


def _finds(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)
