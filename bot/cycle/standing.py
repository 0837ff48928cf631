"""What the bot may do with each gap now, and why."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol

from bot.cycle.wording import counted, shown
from bot.domain.gap import Gap, GapEntry, GapState, GapStatus
from bot.domain.pull import Pull, PullState
from bot.store.index import text_hash

_ENDED = {
    PullState.MERGED: GapState.DONE,
    PullState.CLOSED_BY_PERSON: GapState.REJECTED,
    PullState.OPEN: GapState.OPEN_PR,
}


class Attempt(Protocol):
    """What is read of an earlier cycle that counts as an attempt."""

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
    def text_hash(self) -> str | None:
        """The hash of the gap's text as it was then."""

    @property
    def declined(self) -> str | None:
        """How the proposer declined, if it did."""


class Patience(Protocol):
    """The part of the repository's policy that says how often a gap is tried."""

    @property
    def attempts_per_gap(self) -> int:
        """Attempts at one text before a person is asked."""

    @property
    def cooldown(self) -> Sequence[float]:
        """Seconds to wait after the 1st, 2nd, … attempt, at least one; the last repeats."""


@dataclass(frozen=True, slots=True)
class History:
    """What is known of the past of a repository's gaps.

    Attributes:
        pulls: The bot's pull requests in any state and order.
        unpublished: Gaps with a finished commit that no pull request carries yet.
        refused: Of those, the ones that only a person can get further, and why.
        attempts: Attempts and declined cycles by gap id, in any order.
        done_ids: Gaps whose line is ticked in the base.
    """

    pulls: tuple[Pull, ...] = ()
    unpublished: AbstractSet[str] = frozenset()
    refused: Mapping[str, str] = field(default_factory=dict)
    attempts: Mapping[str, Sequence[Attempt]] = field(default_factory=dict)
    done_ids: AbstractSet[str] = frozenset()


def standing_of(
    entries: Iterable[GapEntry],
    history: History,
    now: datetime,
    policy: Patience,
) -> tuple[GapStatus, ...]:
    """Return every gap's state and why, in the order given; linear in the gaps."""
    judge = _Judge(history, now, policy)
    return tuple(judge.status(entry) for entry in entries)


class _Judge:
    """Looks at one gap after the other against the same past."""

    def __init__(self, history: History, now: datetime, policy: Patience) -> None:
        self._history = history
        self._now = now
        self._policy = policy
        self._pulls = _telling(history.pulls)

    def status(self, entry: GapEntry) -> GapStatus:
        if entry.fault is not None:
            return GapStatus(entry.gap, GapState.FAULTY, entry.fault)
        state, why = (
            self._by_pull(entry.gap)
            or self._by_unpublished(entry.gap)
            or self._by_dependencies(entry.gap)
            or self._by_attempts(entry.gap)
            or (GapState.ELIGIBLE, "can be worked on")
        )
        return GapStatus(entry.gap, state, why)

    def _by_pull(self, gap: Gap) -> tuple[GapState, str] | None:
        pull = self._pulls.get(gap.id)
        if pull is None:
            return None
        return _ENDED[pull.state], _why_pull(pull)

    def _by_unpublished(self, gap: Gap) -> tuple[GapState, str] | None:
        refused = self._history.refused.get(gap.id)
        if refused is not None:
            return GapState.NEEDS_HUMAN, f"finished, but {refused}"
        if gap.id not in self._history.unpublished:
            return None
        return GapState.OPEN_PR, "finished, waiting to be published"

    def _by_dependencies(self, gap: Gap) -> tuple[GapState, str] | None:
        missing = [wanted for wanted in gap.depends if not self._is_done(wanted)]
        if not missing:
            return None
        return GapState.BLOCKED, f"waits until done: {', '.join(missing)}"

    def _is_done(self, gap_id: str) -> bool:
        if gap_id in self._history.done_ids:
            return True
        pull = self._pulls.get(gap_id)
        return pull is not None and pull.state is PullState.MERGED

    def _by_attempts(self, gap: Gap) -> tuple[GapState, str] | None:
        rows = self._history.attempts.get(gap.id, ())
        if not rows:
            return None
        current = text_hash(gap)
        tried = [row for row in rows if row.text_hash == current]
        if not tried:
            return None
        return _by_declined(tried) or self._by_patience(tried)

    def _by_patience(self, tried: Sequence[Attempt]) -> tuple[GapState, str] | None:
        last = max(tried, key=_ended_at)
        told = f"{counted(len(tried), 'attempt')}, the last ended {_ending(last)}"
        if len(tried) >= self._policy.attempts_per_gap:
            return (
                GapState.NEEDS_HUMAN,
                f"{told}; reword it or its notes, or ask for it by id",
            )
        # One that ended in the future was timed by a wrong clock: waiting for that day
        # could take years, and the number of attempts is bounded all the same.
        past = [row.ended_at for row in tried if row.ended_at <= self._now]
        if past and self._now < (until := max(past) + self._wait(len(tried))):
            return GapState.COOLING, f"cooling down until {_minute(until)}: {told}"
        return None

    def _wait(self, attempts: int) -> timedelta:
        waits = self._policy.cooldown
        return timedelta(seconds=waits[min(attempts, len(waits)) - 1])


def _telling(pulls: Iterable[Pull]) -> dict[str, Pull]:
    """Keep the pull request that decides over each gap.

    An open one always does; one that the bot closed itself never does.
    """
    telling: dict[str, Pull] = {}
    for pull in pulls:
        if pull.state is PullState.CLOSED_BY_BOT:
            continue
        known = telling.get(pull.gap_id)
        if known is None or _weight(pull) > _weight(known):
            telling[pull.gap_id] = pull
    return telling


def _weight(pull: Pull) -> tuple[bool, int]:
    return pull.state is PullState.OPEN, pull.number


def _why_pull(pull: Pull) -> str:
    named = f"pull request {pull.number}"
    if pull.state is PullState.OPEN:
        return f"{named} is open: {pull.url}"
    if pull.state is PullState.MERGED:
        return f"{named} was merged, but the line still has its marker"
    return (
        f"a person closed {named}; to have it tried again ask for it by id, or give the "
        "line another title (another [id:] where it has one)"
    )


def _by_declined(tried: Sequence[Attempt]) -> tuple[GapState, str] | None:
    declined = [row for row in tried if row.declined]
    if not declined:
        return None
    last = max(declined, key=_ended_at)
    why = f"{shown(last.reason)}; it is looked at again when its title or notes change"
    return GapState.NEEDS_INFO, why


def _ended_at(row: Attempt) -> datetime:
    return row.ended_at


def _ending(row: Attempt) -> str:
    return f"{row.outcome}: {shown(row.reason)}"


def _minute(moment: datetime) -> str:
    """Name the first whole minute at which the wait is over."""
    up = moment.astimezone(UTC) + timedelta(minutes=1) - timedelta.resolution
    return f"{up:%Y-%m-%dT%H:%M}Z"
