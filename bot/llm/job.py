"""What the gateway was asked, and why a model of the cascade was passed over."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from bot.errors import BotError, Deferred, OverBudget
from bot.llm.replies import request_hash
from bot.llm.tokens import least_tokens, most_tokens
from bot.llm.values import CallScope, Message, ModelFailed
from bot.store.ledger import Request, Usage


@dataclass(frozen=True)
class Job:
    """One question, for whichever model answers it.

    Attributes:
        role: Who asks.
        messages: The conversation.
        scope: Whom it is charged to.
        max_output: Most tokens of the answer.
        number: Which call of its cycle it is, from 1.
    """

    role: str
    messages: tuple[Message, ...]
    scope: CallScope
    max_output: int
    number: int

    @cached_property
    def hash(self) -> str:
        """What tells it from another question."""
        return request_hash(self.role, self.messages, self.max_output)

    @cached_property
    def most_input(self) -> int:
        """More tokens than its prompt can be."""
        return most_tokens(self.messages)

    @cached_property
    def least_input(self) -> int:
        """Fewer tokens than its prompt can be."""
        return least_tokens(self.messages)

    def request(self, model: str, worst: Usage) -> Request:
        """Return what the ledger is asked to set aside."""
        return Request(
            repo=self.scope.repo,
            gap_id=self.scope.gap_id,
            cycle_id=self.scope.cycle_id,
            role=self.role,
            model=model,
            worst=worst,
        )


@dataclass(frozen=True, slots=True)
class Passed:
    """A model that gave no answer, and what would have to change.

    Attributes:
        reason: In words, secrets taken out.
        why: `outage` (also a rest), `budget`, or `room`.
        not_before: Earliest sensible moment for another try, when it is known.
    """

    reason: str
    why: str
    not_before: datetime | None = None


def ended(passed: Sequence[Passed]) -> BotError:
    """Return how a cascade ends that nobody answered.

    An outage passes by itself, so it says more than a want of budget, and that more
    than a prompt that nobody has room for.
    """
    text = "; ".join(p.reason for p in passed)
    outages = [p for p in passed if p.why == "outage"]
    if outages:
        moments = [p.not_before for p in outages]
        known = [moment for moment in moments if moment is not None]
        return Deferred(text, min(known) if len(known) == len(moments) else None)
    if any(p.why == "budget" for p in passed):
        return OverBudget(text)
    return ModelFailed(text)
