"""The values that one stage of a cycle hands to the next."""

import re
from dataclasses import dataclass

from bot.checks.baseline import Baseline
from bot.checks.setup import SetUpResult
from bot.cycle.ending import Ending
from bot.domain.change import Proposal
from bot.domain.gap import Gap
from bot.domain.outcome import Outcome
from bot.propose.proposer import Feedback
from bot.workspace.rules import Planned

_SIGNED_CHARACTERS = 2000
_VARYING = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d+)?", re.IGNORECASE)

EDITS_REF = "refs/bot/edits/{}"
COMMIT_REF = "refs/bot/commits/{}"
ATTEMPT_REF = "refs/bot/attempts/{}"


@dataclass(frozen=True, slots=True)
class Task:
    """The gap of this cycle, the base it is closed on, and what is known of it.

    Attributes:
        resumes: The interrupted cycle whose paid replies are used first.
        origin: The cycle that first asked; None is this one.
        tried: Models whose proposals for this text failed.
    """

    gap: Gap
    base_sha: str
    base: str
    memory: str
    resumes: str | None = None
    origin: str | None = None
    tried: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Ground:
    """What the base itself says: its set-up and its checks."""

    set_up: SetUpResult
    baseline: Baseline


@dataclass(frozen=True, slots=True)
class Answer:
    """A proposal that policy accepts, planned on the task's base."""

    proposal: Proposal
    plan: Planned


@dataclass(frozen=True, slots=True)
class Made:
    """The commit of this cycle.

    Attributes:
        answer: What it carries.
        sha: The commit with the edits and the ticked line.
        edits_sha: The commit with the edits alone.
        branch: The branch it is meant for.
        message: Its message.
    """

    answer: Answer
    sha: str
    edits_sha: str
    branch: str
    message: str


def signature(output: str) -> str:
    """Return the end of an output without what differs from run to run."""
    tail = output[-_SIGNED_CHARACTERS:]
    return " ".join(_VARYING.sub("#", tail).split())


@dataclass(frozen=True, slots=True)
class Tested:
    """What the checks said of a commit."""

    is_green: bool
    reason: str
    output: str

    @property
    def ending(self) -> Ending:
        """How the cycle ends if no repair follows."""
        return Ending(Outcome.TESTS_FAILED, self.reason)

    def is_as_before(self, feedback: Feedback | None) -> bool:
        """Whether the checks fail just as they did before the repair."""
        return feedback is not None and signature(feedback.text) == signature(
            self.output
        )

    def feedback(self, answer: Answer) -> Feedback:
        """Return what the proposer is told for a repair."""
        return Feedback(kind="tests", text=self.output, previous=answer.proposal)
