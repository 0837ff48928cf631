"""Several changes of one file made at once, all in terms of the old file."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.propose.edits.match import Splice
from bot.propose.edits.values import Unfit, quoted


@dataclass(frozen=True, slots=True)
class Change:
    """A splice without the lines that it leaves.

    Attributes:
        start: First line of the file that changes.
        end: The line after the last; the same for an insertion.
        lines: What stands there afterwards.
        around: First line by which it was found, and the line after the last.
    """

    start: int
    end: int
    lines: tuple[str, ...]
    around: tuple[int, int]

    @classmethod
    def of(cls, old: Sequence[str], splice: Splice) -> "Change":
        """Return what a splice really changes."""
        start, end, lines = splice.start, splice.end, list(splice.lines)
        while start < end and lines and lines[-1] == old[end - 1]:
            end -= 1
            del lines[-1]
        first = 0
        while start < end and first < len(lines) and lines[first] == old[start]:
            start += 1
            first += 1
        return cls(start, end, tuple(lines[first:]), (splice.start, splice.end))

    @property
    def is_nothing(self) -> bool:
        """Whether the file stays as it is."""
        return self.start == self.end and not self.lines

    def meets(self, other: "Change") -> bool:
        """Tell whether one changes what the other changes or was found by."""
        if self.start == self.end == other.start == other.end:
            return True
        return _touches(self, other) or _touches(other, self)


def _touches(one: "Change", other: "Change") -> bool:
    first, last = other.around
    return one.start < one.end and one.start < last and first < one.end


def spliced(old: Sequence[str], changes: Sequence[Change]) -> list[str]:
    """Return the lines with all changes made.

    Raises:
        Unfit: Two of them meet.
    """
    ordered = sorted(dict.fromkeys(changes), key=lambda x: (x.start, x.end))
    lines: list[str] = []
    at = 0
    for index, change in enumerate(ordered):
        if any(change.meets(other) for other in ordered[:index]):
            raise Unfit(
                "two `search` blocks change the same lines, or one changes what the "
                f"other searches for, around line {change.start + 1}; join them into one",
                quoted(old[max(0, change.start - 2) : change.end + 2]),
            )
        lines.extend(old[at : change.start])
        lines.extend(change.lines)
        at = change.end
    return [*lines, *old[at:]]
