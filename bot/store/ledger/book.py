"""Sums over the ledger's rows, and whether a request fits the caps; pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from bot.errors import OverBudget
from bot.store.ledger.money import in_words
from bot.store.ledger.values import (
    Caps,
    Left,
    PeriodCaps,
    Request,
    Scope,
    SpendRow,
    Totals,
)

Unit = Literal["micro_usd", "calls", "tokens"]

_KEYS = {
    Scope.CALL: "[budget] usd_per_cycle",
    Scope.CYCLE: "[budget] usd_per_cycle",
    Scope.GAP: "[budget] usd_per_gap",
    Scope.REPO_DAY: "[repo.budget] usd_per_day",
    Scope.REPO_MONTH: "[repo.budget] usd_per_month",
    Scope.REPO_CALLS: "[repo.budget] calls_per_day",
    Scope.REPO_TOKENS: "[repo.budget] tokens_per_day",
    Scope.DAY: "[budget] usd_per_day",
    Scope.MONTH: "[budget] usd_per_month",
    Scope.CALLS: "[budget] calls_per_day",
    Scope.TOKENS: "[budget] tokens_per_day",
}


class CapReached(OverBudget):
    """A request that does not fit a cap.

    Attributes:
        scope: The first cap that it does not fit, from the call outwards.
        cap: In the scope's unit (micro-USD, calls or tokens).
        spent: What was spent or is reserved.
        asked: The request's worst case.
    """

    def __init__(
        self, scope: Scope, unit: Unit, cap: int, spent: int, asked: int
    ) -> None:
        super().__init__(
            f"the {scope} cap of {_words(unit, cap)} has no room: "
            f"{_words(unit, spent)} spent or reserved, {_words(unit, asked)} asked; "
            f"raise {_KEYS[scope]} or wait"
        )
        self.scope = scope
        self.cap = cap
        self.spent = spent
        self.asked = asked


@dataclass(frozen=True, slots=True)
class _Line:
    scope: Scope
    unit: Unit
    cap: int
    spent: int

    @property
    def left(self) -> int:
        return max(0, self.cap - self.spent)


@dataclass(frozen=True, slots=True)
class Book:
    """The rows that count on `day` (`YYYY-MM-DD` in the configured zone)."""

    rows: tuple[SpendRow, ...]
    day: str

    def total(
        self,
        *,
        period: str = "",
        repo: str | None = None,
        gap_id: str | None = None,
        cycle_id: str | None = None,
    ) -> Totals:
        """Sum the rows that match all that is given.

        Args:
            period: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; empty is ever.
            repo: Of this repository only.
            gap_id: Of this gap only.
            cycle_id: Of this cycle only.
        """
        return sum_of(
            row.totals
            for row in self.rows
            if row.period.startswith(period)
            and repo in (None, row.repo)
            and gap_id in (None, row.gap_id)
            and cycle_id in (None, row.cycle_id)
        )

    def refusal(self, request: Request, caps: Caps) -> CapReached | None:
        """Return why the request can't be reserved, if it can't.

        A request that asks for none of a cap's unit always fits that cap, so free
        models go on when the money is gone.
        """
        for line in self._lines(request, caps):
            asked: int = getattr(request.worst, line.unit)
            if asked > 0 and line.spent + asked > line.cap:
                return CapReached(line.scope, line.unit, line.cap, line.spent, asked)
        return None

    def left(self, caps: Caps, repo: str) -> Left:
        """Return what the caps of day and month leave for the repository."""
        lines = tuple(self._period_lines(caps, repo))
        empty = [line for line in lines if line.left == 0]
        return Left(
            micro_usd=_least(lines, "micro_usd"),
            calls=_least(lines, "calls"),
            tokens=_least(lines, "tokens"),
            used_up=_used_up(empty[0]) if empty else None,
        )

    def _lines(self, request: Request, caps: Caps) -> Iterator[_Line]:
        yield from _line(Scope.CALL, "micro_usd", caps.call, Totals())
        if request.cycle_id is not None:
            spent = self.total(cycle_id=request.cycle_id)
            yield from _line(Scope.CYCLE, "micro_usd", caps.cycle, spent)
        if request.gap_id is not None:
            spent = self.total(repo=request.repo, gap_id=request.gap_id)
            yield from _line(Scope.GAP, "micro_usd", caps.gap, spent)
        yield from self._period_lines(caps, request.repo)

    def _period_lines(self, caps: Caps, repo: str) -> Iterator[_Line]:
        in_repo = (
            Scope.REPO_DAY,
            Scope.REPO_MONTH,
            Scope.REPO_CALLS,
            Scope.REPO_TOKENS,
        )
        overall = (Scope.DAY, Scope.MONTH, Scope.CALLS, Scope.TOKENS)
        yield from self._lines_of(in_repo, caps.repo, repo)
        yield from self._lines_of(overall, caps.overall, None)

    def _lines_of(
        self, scopes: tuple[Scope, ...], caps: PeriodCaps, repo: str | None
    ) -> Iterator[_Line]:
        today = self.total(period=self.day, repo=repo)
        month = self.total(period=self.day[:7], repo=repo)
        yield from _line(scopes[0], "micro_usd", caps.day, today)
        yield from _line(scopes[1], "micro_usd", caps.month, month)
        yield from _line(scopes[2], "calls", caps.calls_per_day, today)
        yield from _line(scopes[3], "tokens", caps.tokens_per_day, today)


def sum_of(totals: Iterable[Totals]) -> Totals:
    """Add them up."""
    return sum(totals, start=Totals())


def _line(scope: Scope, unit: Unit, cap: int | None, spent: Totals) -> Iterator[_Line]:
    if cap is not None:
        yield _Line(scope, unit, cap, getattr(spent, unit))


def _least(lines: tuple[_Line, ...], unit: Unit) -> int | None:
    return min((line.left for line in lines if line.unit == unit), default=None)


def _used_up(line: _Line) -> str:
    return (
        f"the {line.scope} cap of {_words(line.unit, line.cap)} is used up: "
        f"{_words(line.unit, line.spent)} spent or reserved; "
        f"raise {_KEYS[line.scope]} or wait"
    )


def _words(unit: Unit, amount: int) -> str:
    if unit == "micro_usd":
        return in_words(amount)
    return f"{amount} {unit}"
