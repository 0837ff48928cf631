"""What earlier cycles on a gap tried and how they ended, short enough for a prompt."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from itertools import islice
from typing import Generic, Protocol, TypeVar

from bot.cycle.wording import shown
from bot.domain.outcome import ATTEMPTS, Outcome

CYCLES_REMEMBERED = 5
SUMMARY_LIMIT = 1200

_REMEMBERED = ATTEMPTS | {
    Outcome.OK,
    Outcome.PR_FAILED,
    Outcome.PR_SKIPPED_BY_POLICY,
}
_TRIED_LIMIT = 80
_ENDED_LIMIT = 90
_NOTHING = "No earlier cycle worked on this gap."


class PastCycle(Protocol):
    """What is read of an earlier cycle."""

    @property
    def ended_at(self) -> datetime:
        """When it ended."""

    @property
    def outcome(self) -> str:
        """How it ended."""

    @property
    def reason(self) -> str:
        """Why, in words; untrusted."""

    @property
    def summary(self) -> str | None:
        """What was proposed; untrusted."""

    @property
    def cost_usd(self) -> Decimal:
        """What it cost."""


Row = TypeVar("Row", bound=PastCycle)


@dataclass(frozen=True, slots=True)
class Statistics:
    """The remembered cycles in numbers.

    Attributes:
        cycles: How many are remembered.
        endings: Outcome and how often, most frequent first.
        same_in_a_row: How many of the newest ended with the same outcome and reason.
        cost_usd: What they cost together.
    """

    cycles: int
    endings: tuple[tuple[str, int], ...]
    same_in_a_row: int
    cost_usd: Decimal


@dataclass(frozen=True, slots=True)
class Memory(Generic[Row]):
    """The last cycles of one gap, newest first, their numbers and a block of text."""

    rows: tuple[Row, ...]
    stats: Statistics
    summary: str


def remember(rows: Iterable[Row]) -> Memory[Row]:
    """Keep the last five cycles that tried something.

    Args:
        rows: Cycles of this gap, newest first. Interrupted, dry and skipped ones among
            them are passed over: they say nothing about what works.

    Returns:
        The memory; its summary has at most `SUMMARY_LIMIT` characters.
    """
    told = tuple(
        islice((r for r in rows if r.outcome in _REMEMBERED), CYCLES_REMEMBERED)
    )
    stats = _statistics(told)
    return Memory(rows=told, stats=stats, summary=_summary(told, stats))


def _statistics(rows: Sequence[PastCycle]) -> Statistics:
    return Statistics(
        cycles=len(rows),
        endings=tuple(Counter(str(row.outcome) for row in rows).most_common()),
        same_in_a_row=_same_in_a_row(rows),
        cost_usd=sum((row.cost_usd for row in rows), Decimal(0)),
    )


def _same_in_a_row(rows: Sequence[PastCycle]) -> int:
    endings = [(row.outcome, row.reason) for row in rows]
    return next(
        (n for n, ending in enumerate(endings) if ending != endings[0]), len(endings)
    )


def _summary(rows: Sequence[PastCycle], stats: Statistics) -> str:
    if not rows:
        return _NOTHING
    lines = [_headline(stats), *map(_line, rows)]
    if stats.same_in_a_row > 1 and rows[0].outcome in ATTEMPTS:
        lines.append(f"The last {stats.same_in_a_row} ended alike: try another way.")
    return "\n".join(lines)


def _headline(stats: Statistics) -> str:
    endings = ", ".join(f"{count} {outcome}" for outcome, count in stats.endings)
    return f"Earlier cycles on this gap, newest first ({endings}):"


def _line(row: PastCycle) -> str:
    day = row.ended_at.astimezone(UTC).date().isoformat()
    tried = shown(row.summary or "nothing", _TRIED_LIMIT)
    return f"- {day} tried: {tried}; {row.outcome}: {shown(row.reason, _ENDED_LIMIT)}"
