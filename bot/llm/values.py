"""What models are asked and what they answer."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from bot.errors import BotError
from bot.store.ledger import Caps

CALLS_PER_CYCLE = 6
"""Requests that one cycle may send in all, failed ones included."""

FILTERED = "content_filter"
"""The finish reason of a refusal."""


class ModelFailed(BotError):
    """The model gave no usable answer: it refused, was filtered, or had no room."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; `system` ones stand first."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class CallScope:
    """Whom a call is charged to, and what bounds it.

    Attributes:
        repo: The repository.
        caps: Every cap that it must fit.
        gap_id: The gap, if it is about one.
        cycle_id: The cycle; None stores no reply.
        resumes: The interrupted cycle whose replies are used first and whose calls
            count. A cycle that goes on under its own id after its process died names
            itself, or calls that brought no reply are not counted.
        after: Models that had their attempts at this gap; those behind them are asked.
        max_calls: Requests that the cycle may send in all.
    """

    repo: str
    caps: Caps
    gap_id: str | None = None
    cycle_id: str | None = None
    resumes: str | None = None
    after: frozenset[str] = frozenset()
    max_calls: int = CALLS_PER_CYCLE


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens as the provider counted them.

    Attributes:
        input_tokens: Of the whole prompt, cached ones included.
        output_tokens: Of the whole answer, thinking included.
        cache_read_tokens: Those of the prompt that came from a cache.
        cache_write_tokens: Those of the prompt that went to a cache.
        reasoning_tokens: Those of the answer that were thinking.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def total(self) -> int:
        """All tokens, each once."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered, charged and stored.

    Attributes:
        text: Its answer without thinking; untrusted.
        usage: What was charged.
        cost: In US dollars.
        finish_reason: `stop`, `length` (it was cut off) or as the provider says.
        model: Who answered, as the config names it.
        is_stored: Whether it came from an interrupted cycle, without a call.
        over_reservation: Whether the usage was above the worst case.
    """

    text: str
    usage: TokenUsage
    cost: Decimal
    finish_reason: str | None
    model: str
    is_stored: bool = False
    over_reservation: bool = False
