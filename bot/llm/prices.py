"""What a model costs: from the config, else from the price list that ships with us."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from bot.errors import Misconfigured
from bot.llm.target import Target
from bot.llm.values import TokenUsage
from bot.settings.models import Models
from bot.settings.models import Price as ConfigPrice

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice

_NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True)
class Rates:
    """US dollars per million tokens, which is micro-dollars a token."""

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal
    reasoning: Decimal

    def cost(self, usage: TokenUsage) -> int:
        """Return the micro-dollars, rounded up; each token is priced once."""
        read, write = usage.cache_read_tokens, usage.cache_write_tokens
        thought = min(usage.reasoning_tokens, usage.output_tokens)
        parts = (
            (max(0, usage.input_tokens - read - write), self.input),
            (read, self.cache_read),
            (write, self.cache_write),
            (usage.output_tokens - thought, self.output),
            (thought, self.reasoning),
        )
        return ceil(sum(tokens * Fraction(rate) for tokens, rate in parts))

    def worst(self, input_tokens: int, output_tokens: int) -> int:
        """Return the micro-dollars of these tokens, each at its dearest."""
        dear_input = max(self.input, self.cache_read, self.cache_write)
        dear_output = max(self.output, self.reasoning)
        parts = ((input_tokens, dear_input), (output_tokens, dear_output))
        return ceil(sum(tokens * Fraction(rate) for tokens, rate in parts))


@dataclass(frozen=True, slots=True)
class Price:
    """Rates that may rise with the length of the prompt.

    Attributes:
        tiers: From how many tokens of prompt on which rates hold, ascending.
        source: `config` or `list`.
    """

    tiers: tuple[tuple[int, Rates], ...]
    source: str

    def cost(self, usage: TokenUsage) -> int:
        """Return the micro-dollars of what was used, rounded up."""
        *_, rates = self._reached(usage.input_tokens)
        return rates.cost(usage)

    def worst(self, input_tokens: int, output_tokens: int) -> int:
        """Return the most micro-dollars that no more than these tokens can cost."""
        reached = self._reached(input_tokens)
        return max(rates.worst(input_tokens, output_tokens) for rates in reached)

    def _reached(self, input_tokens: int) -> Iterator[Rates]:
        for start, rates in self.tiers:
            if input_tokens >= start:
                yield rates


def price_of(target: Target, models: Models, now: datetime) -> Price:
    """Return what a model costs.

    Raises:
        Misconfigured: No price is known and the config says neither one nor `free`.
    """
    own = models.prices.get(target.name) or models.prices.get(target.model)
    if own is not None:
        return Price(((0, _configured(own)),), "config")
    if target.is_free:
        return Price(((0, _flat(_NOTHING, _NOTHING)),), "config")
    listed = _listed(target)
    price = listed.get_prices(now) if listed else None
    if price is None or price.input_mtok is None or price.output_mtok is None:
        raise Misconfigured(
            f"no price of {target.name} is known, so it can't be asked within a "
            f'budget: set input and output under [models.prices."{target.name}"], or '
            "free = true there where it costs nothing"
        )
    return Price(tuple(_tiers(price)), "list")


def context_of(target: Target) -> int:
    """Return how many tokens of prompt and answer together the model takes."""
    if target.context is None and target.is_known_provider:
        listed = _listed(target)
        if listed is not None and listed.context_window:
            return listed.context_window
    return target.room


def _configured(price: ConfigPrice) -> Rates:
    if price.free:
        return _flat(_NOTHING, _NOTHING)
    flat = _flat(price.input or _NOTHING, price.output or _NOTHING)
    return Rates(
        input=flat.input,
        output=flat.output,
        cache_read=_or(price.cache_read, flat.input),
        cache_write=_or(price.cache_write, flat.input),
        reasoning=_or(price.reasoning, flat.output),
    )


def _flat(inbound: Decimal, outbound: Decimal) -> Rates:
    return Rates(inbound, outbound, inbound, inbound, outbound)


def _or(price: Decimal | None, default: Decimal) -> Decimal:
    return default if price is None else price


def _listed(target: Target) -> "ModelInfo | None":
    try:
        from genai_prices.data_snapshot import (  # noqa: PLC0415 - 0.3 s, for calls only
            get_snapshot,
        )
    except ImportError as error:
        raise Misconfigured(
            "models need more packages: install gapwright[llm]"
        ) from error
    snapshot = get_snapshot()
    by_name = target.server if target.is_known_provider else None
    by_address = None if by_name else target.base_url
    try:
        _, model = snapshot.find_provider_model(target.model, None, by_name, by_address)
    except LookupError:
        return None
    return model


def _tiers(price: "ModelPrice") -> Iterator[tuple[int, Rates]]:
    starts = {0}
    for value in vars(price).values():
        # From one token above the start on, as the list itself counts.
        starts.update(tier.start + 1 for tier in getattr(value, "tiers", ()))
    for start in sorted(starts):
        yield start, _rates_at(price, start)


def _rates_at(price: "ModelPrice", tokens: int) -> Rates:
    inbound = _at(price.input_mtok, tokens) or _NOTHING
    outbound = _at(price.output_mtok, tokens) or _NOTHING
    return Rates(
        input=inbound,
        output=outbound,
        cache_read=_or(_at(price.cache_read_mtok, tokens), inbound),
        cache_write=_or(_at(price.cache_write_mtok, tokens), inbound),
        reasoning=_or(_at(price.output_reasoning_mtok, tokens), outbound),
    )


def _at(price: object, tokens: int) -> Decimal | None:
    """Return a rate of the list at this length of prompt."""
    if price is None or isinstance(price, Decimal):
        return price
    rate: Decimal = price.base  # type: ignore[attr-defined]  # the list's tiered price
    for tier in price.tiers:  # type: ignore[attr-defined]  # as above
        if tokens > tier.start:
            rate = tier.price
    return rate
