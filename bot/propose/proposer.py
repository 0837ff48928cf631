"""What a proposer is asked and what it may answer."""

from dataclasses import dataclass
from typing import Literal, Protocol

from bot.domain.change import Declined, NoAnswer, Proposal, Refused
from bot.domain.gap import Gap


@dataclass(frozen=True, slots=True)
class Task:
    """A gap to be closed.

    Attributes:
        gap: The gap; its text is untrusted.
        base_sha: The commit that the change is for.
        cycle_id: The cycle that asks.
        memory: What earlier cycles on this gap tried.
        notes: What else the proposer should know.
        resumes: The interrupted cycle whose paid replies are used first.
        origin: The cycle that first asked; its own, or that of the resumed one.
        tried: Models whose proposals for this text failed; the next one is asked.
    """

    gap: Gap
    base_sha: str
    cycle_id: str
    memory: str = ""
    notes: tuple[str, ...] = ()
    resumes: str | None = None
    origin: str = ""
    tried: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Feedback:
    """Why the last proposal did not do; `text` is untrusted where tests wrote it."""

    kind: Literal["rejected", "tests"]
    text: str
    previous: Proposal


class Proposer(Protocol):
    """Answers gaps."""

    @property
    def can_spend(self) -> bool:
        """Whether an answer can cost money."""

    def repair_rounds(self, gap: Gap) -> int:
        """Return how often it may be asked again with feedback."""
        ...

    def propose(
        self, task: Task, feedback: Feedback | None = None
    ) -> Proposal | Declined | NoAnswer | Refused:
        """Answer a gap, or the feedback on the answer before.

        Raises:
            Interrupted: A signal asked the running cycle to stop.
        """
        ...
