"""What the ledger is asked and what it answers; whole numbers only."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(strict=True, ge=0)]
How = Literal["usage", "dead", "unsent", "lost", "http_error"]


class Frozen(BaseModel):
    """A value that is written to a file or comes from one."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Totals(Frozen):
    """Money in micro-USD, calls and tokens."""

    micro_usd: Count = 0
    calls: Count = 0
    tokens: Count = 0

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(
            micro_usd=self.micro_usd + other.micro_usd,
            calls=self.calls + other.calls,
            tokens=self.tokens + other.tokens,
        )

    def fits(self, other: "Totals") -> bool:
        """Whether no part of this is above the other's."""
        return (
            self.micro_usd <= other.micro_usd
            and self.calls <= other.calls
            and self.tokens <= other.tokens
        )


class Usage(Totals):
    """What a request costs, at worst or in the end: one call unless said otherwise."""

    calls: Annotated[int, Field(strict=True, ge=1)] = 1


class Settled(Totals):
    """What a reservation was charged in the end, and on what ground.

    Attributes:
        how: `usage` (the provider's numbers), `dead` (its process died), `unsent`,
            `lost` (no answer after sending), `http_error` (an answer without usage).
        over_reservation: The usage was above the worst case: the provider broke
            the bound, and its model should rest.
    """

    how: How
    over_reservation: bool = False

    @classmethod
    def at(cls, totals: Totals, how: How, *, over: bool = False) -> Self:
        """Return these totals as a settlement."""
        return cls(
            micro_usd=totals.micro_usd,
            calls=totals.calls,
            tokens=totals.tokens,
            how=how,
            over_reservation=over,
        )


class Request(Frozen):
    """A request that is about to be sent, with the most that it can cost.

    Attributes:
        repo: The repository it is made for.
        gap_id: The gap it works on; None has no cap of its own.
        cycle_id: The cycle it belongs to; None has no cap of its own.
        role: Who asks (`proposer`, `judge`, …).
        model: Who is asked.
        worst: The worst case.
    """

    repo: str
    gap_id: str | None
    cycle_id: str | None
    role: str
    model: str
    worst: Usage


class PeriodCaps(Frozen):
    """Caps that start anew each day or month; None is no cap. Money in micro-USD."""

    day: Count | None = None
    month: Count | None = None
    calls_per_day: Count | None = None
    tokens_per_day: Count | None = None


class Caps(Frozen):
    """Every cap that one request must fit; None is no cap. Money in micro-USD.

    Attributes:
        call: For the one request.
        cycle: For all requests of its cycle.
        gap: For all requests ever made for its gap.
        repo: Over its repository.
        overall: Over all repositories.
    """

    call: Count | None = None
    cycle: Count | None = None
    gap: Count | None = None
    repo: PeriodCaps = PeriodCaps()
    overall: PeriodCaps = PeriodCaps()


class Scope(StrEnum):
    """Where a cap stands; the order is the order of looking."""

    CALL = "call"
    CYCLE = "cycle"
    GAP = "gap"
    REPO_DAY = "repository's day"
    REPO_MONTH = "repository's month"
    REPO_CALLS = "repository's calls a day"
    REPO_TOKENS = "repository's tokens a day"
    DAY = "day"
    MONTH = "month"
    CALLS = "calls a day"
    TOKENS = "tokens a day"


class Left(Frozen):
    """What the caps of day and month leave; None is no cap.

    Attributes:
        micro_usd: The least of what day and month leave, here and over all.
        calls: Calls left today.
        tokens: Tokens left today.
        used_up: The first cap that leaves nothing, in words; None when all leave some.
    """

    micro_usd: Count | None
    calls: Count | None
    tokens: Count | None
    used_up: str | None


class SpendRow(Frozen):
    """What was charged in a period for one repository, gap and cycle.

    Attributes:
        period: `YYYY-MM-DD`, or `YYYY-MM` for what is over a year old, where the
            cycle is no longer told.
        repo: The repository.
        gap_id: The gap, if there was one.
        cycle_id: The cycle, if there was one and it is still told.
        totals: The sum; an open reservation counts at its worst case.
    """

    period: str
    repo: str
    gap_id: str | None
    cycle_id: str | None
    totals: Totals
