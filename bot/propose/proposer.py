"""What a proposer is asked and what it may answer."""

from dataclasses import dataclass
from typing import Literal, Protocol

from bot.domain.change import Declined, NoAnswer, Proposal
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
    """

    gap: Gap
    base_sha: str
    cycle_id: str
    memory: str = ""
    notes: tuple[str, ...] = ()


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

    @property
    def repair_rounds(self) -> int:
        """How often it may be asked again with feedback."""

    def propose(
        self, task: Task, feedback: Feedback | None = None
    ) -> Proposal | Declined | NoAnswer:
        """Answer a gap, or the feedback on the answer before.

        Raises:
            Interrupted: A signal asked the running cycle to stop.
        """
        ...
