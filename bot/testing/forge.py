"""Stand-ins in memory for tests; each passes the same contract tests as the real one."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.domain.pull import Pull, PullDraft, PullState
from bot.errors import BotError
from bot.forge.drafts import CLOSED_BY, newest, opened, updated
from bot.forge.protocol import Closer


@dataclass(slots=True)
class FakeForge:
    """A forge in memory, with a person at the other side of it.

    Attributes:
        clock: Returns the present moment, aware.
        bodies: What each pull request says, by number.
    """

    clock: Callable[[], datetime]
    bodies: dict[int, str] = field(default_factory=dict)
    _pulls: dict[int, Pull] = field(default_factory=dict)
    _unseen: dict[int, PullState] = field(default_factory=dict)

    def person_merges(self, number: int) -> None:
        """Let a person merge it; the next `refresh` sees that."""
        self._unseen[number] = PullState.MERGED

    def person_deletes_branch(self, number: int) -> None:
        """Let a person delete its branch without a merge; the next `refresh` sees that."""
        self._unseen[number] = PullState.CLOSED_BY_PERSON

    def find(self, gap_id: str, cycle_id: str | None = None) -> Pull | None:
        """Return the newest pull request with this marker, in any state."""
        return newest(
            pull
            for pull in self._pulls.values()
            if pull.gap_id == gap_id and cycle_id in {None, pull.cycle_id}
        )

    def open(self, draft: PullDraft) -> Pull:
        """Find or create: a gap never gets a second open pull request."""
        known = self.find(draft.gap_id, draft.cycle_id) or self._open_of(draft.gap_id)
        if known is None:
            number = len(self._pulls) + 1
            url = f"memory:pulls/{number}"
            return self._put(opened(draft, number, url, self.clock()), draft.body)
        if known.state is not PullState.OPEN or known.branch != draft.branch:
            return known
        return self._put(updated(known, draft), draft.body)

    def listing(self, state: PullState | None = None) -> tuple[Pull, ...]:
        """Return the pull requests by number."""
        return tuple(p for p in self._pulls.values() if state in {None, p.state})

    def opened_since(self, moment: datetime) -> int:
        """Count the pull requests opened at or after the moment."""
        return sum(pull.created_at >= moment for pull in self._pulls.values())

    def close(self, number: int, by: Closer, comment: str) -> Pull:
        """Close an open pull request; one that has ended stays as it is."""
        pull = self._get(number)
        if pull.state is not PullState.OPEN:
            return pull
        self.bodies[number] += f"\n\n{comment}"
        return self._end(pull, CLOSED_BY[by])

    def refresh(self, base_sha: str) -> tuple[Pull, ...]:  # noqa: ARG002  as every forge
        """Return those that have ended since the last look."""
        seen, self._unseen = self._unseen, {}
        return tuple(
            self._end(self._pulls[number], state)
            for number, state in seen.items()
            if self._pulls[number].state is PullState.OPEN
        )

    def set_merged(self, number: int, sha: str) -> Pull:  # noqa: ARG002  as every forge
        """Note that a pull request was merged as this commit."""
        return self._end(self._get(number), PullState.MERGED)

    def _put(self, pull: Pull, body: str) -> Pull:
        self._pulls[pull.number] = pull
        self.bodies[pull.number] = body
        return pull

    def _end(self, pull: Pull, state: PullState) -> Pull:
        if pull.state is not state:
            pull = replace(pull, state=state, ended_at=self.clock())
        self._pulls[pull.number] = pull
        return pull

    def _open_of(self, gap_id: str) -> Pull | None:
        return newest(p for p in self.listing(PullState.OPEN) if p.gap_id == gap_id)

    def _get(self, number: int) -> Pull:
        if number not in self._pulls:
            raise BotError(f"there is no pull request {number}")
        return self._pulls[number]
