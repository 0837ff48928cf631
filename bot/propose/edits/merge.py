"""A block laid over the place where it was found, so that nothing unseen is lost."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.propose.edits.lines import common_start
from bot.propose.edits.shift import UNSHIFTED, Shift

_MUCH = 100_000  # line pairs to compare; above, a change counts as one piece


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block was found.

    Attributes:
        start: The first line of the file that it covers.
        end: The line after the last.
        pairs: For each searched line the file's line in its place, if any.
        same: For each searched line whether the two differ in white space only.
        shift: What turns the block's indentation into the file's.
    """

    start: int
    end: int
    pairs: tuple[int | None, ...]
    same: tuple[bool, ...]
    shift: Shift

    @classmethod
    def run(cls, start: int, count: int, shift: Shift | None = None) -> "Place":
        """Return a place whose lines pair one to one."""
        pairs = tuple(range(start, start + count))
        return cls(start, start + count, pairs, (True,) * count, shift or UNSHIFTED)

    def between(self, index: int) -> int | None:
        """Return the file's line before which searched line `index` begins, if sure."""
        if index == 0:
            return self.start
        if index == len(self.pairs):
            return self.end
        before, after = self.pairs[index - 1], self.pairs[index]
        if before is None or after is None or before + 1 != after:
            return None
        return after


def merge(
    lines: Sequence[str], place: Place, search: Sequence[str], replace: Sequence[str]
) -> list[str] | None:
    """Return the new lines of the place, or None when that would be a guess.

    A line that the block leaves as it is stays as the *file* has it. What the block
    changes must stand in the file as it was searched for.
    """
    merged: list[str] = []
    at = place.start
    for i, j, first, last in _changes(search, replace):
        span = _span(place, i, j)
        added = [place.shift.apply(line) for line in replace[first:last]]
        if span is None:
            return None
        merged.extend(lines[at : span[0]])
        for line in added:
            if line is None:
                return None
            merged.append(line)
        at = span[1]
    return [*merged, *lines[at : place.end]]


def _span(place: Place, i: int, j: int) -> tuple[int, int] | None:
    """Return the lines of the file that are the searched lines from `i` up to `j`."""
    if i == j:
        at = place.between(i)
        return None if at is None else (at, at)
    first, last = place.pairs[i], place.pairs[j - 1]
    if first is None or last is None or last - first != j - 1 - i:
        return None
    return (first, last + 1) if all(place.same[i:j]) else None


def _changes(
    search: Sequence[str], replace: Sequence[str]
) -> list[tuple[int, int, int, int]]:
    """Return the changed spans of both sides; white space at line ends is no change."""
    a = [line.rstrip() for line in search]
    b = [line.rstrip() for line in replace]
    start = common_start(a, b)
    end = common_start(a[start:][::-1], b[start:][::-1])
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    if not a and not b:
        return []
    if not a or not b or len(a) * len(b) > _MUCH:
        return [(start, start + len(a), start, start + len(b))]
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return [
        (start + i, start + j, start + first, start + last)
        for tag, i, j, first, last in matcher.get_opcodes()
        if tag != "equal"
    ]
