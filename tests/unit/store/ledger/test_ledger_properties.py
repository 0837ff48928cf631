"""Whatever is asked in whatever order: spent stays within each cap, sums stay true."""

import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)
from ledger_case import BERLIN, Clock, ask, make_ledger, reservation_files, rewrite

from bot.store.ledger import CapReached, Caps, PeriodCaps, Reservation, Totals, Usage

CAPS = Caps(
    call=60,
    cycle=100,
    gap=150,
    repo=PeriodCaps(day=120, month=250, calls_per_day=4, tokens_per_day=70),
    overall=PeriodCaps(day=180, month=400, calls_per_day=6, tokens_per_day=90),
)


@dataclass
class _Told:
    """What the test itself knows of one reservation."""

    repo: str
    gap: str
    cycle: str
    day: str
    charged: Totals
    open: Reservation | None = field(default=None)


class LedgerMachine(RuleBasedStateMachine):
    """Spends, settles, dies and lets time pass, and keeps its own books."""

    def __init__(self) -> None:
        super().__init__()
        self._temp = tempfile.TemporaryDirectory()
        self.folder = Path(self._temp.name) / "ledger"
        self.clock = Clock(datetime(2026, 10, 24, 20, tzinfo=UTC))
        self.ledger = make_ledger(self.folder, self.clock)
        self.told: list[_Told] = []

    def teardown(self) -> None:
        self._temp.cleanup()

    @rule(
        micro_usd=st.integers(0, 80),
        tokens=st.integers(0, 40),
        repo=st.sampled_from("ab"),
        gap=st.sampled_from("xy"),
        cycle=st.sampled_from("123"),
    )
    def reserve(self, micro_usd: int, tokens: int, repo: str, gap: str, cycle: str):
        request = ask(micro_usd, repo=repo, gap=gap, cycle=repo + cycle, tokens=tokens)
        try:
            reservation = self.ledger.reserve(request, CAPS)
        except CapReached:
            return
        day = self.clock().astimezone(BERLIN).date().isoformat()
        worst = Totals() + request.worst
        self.told.append(_Told(repo, gap, repo + cycle, day, worst, reservation))

    @rule(data=st.data(), how=st.sampled_from(["usage", "unsent", "lost", "error"]))
    def settle(self, data: st.DataObject, how: str):
        still_open = [told for told in self.told if told.open]
        if not still_open:
            return
        told = data.draw(st.sampled_from(still_open))
        reservation, told.open = told.open, None
        assert reservation is not None
        if how == "unsent":
            told.charged = Totals() + reservation.release_unsent()
        elif how == "lost":
            reservation.settle_lost()
        elif how == "error":
            told.charged = Totals() + reservation.settle_http_error()
        else:
            money = data.draw(st.integers(0, reservation.worst.micro_usd))
            usage = Usage(micro_usd=money, tokens=reservation.worst.tokens)
            told.charged = Totals() + reservation.settle(usage)

    @rule()
    def die(self):
        """All that is open belonged to processes of an earlier boot."""
        for path in reservation_files(self.folder):
            rewrite(path, boot_id="an earlier boot")
        dead = self.ledger.settle_dead()
        assert sum(told.open is not None for told in self.told) == len(dead)
        for told in self.told:
            told.open = None

    @rule(hours=st.sampled_from([1, 5, 23, 24, 25, 24 * 20, 24 * 200, 24 * 500]))
    def wait(self, hours: int):
        self.clock.go(hours=hours)
        self.ledger.fold()

    @invariant()
    def no_cap_is_passed(self):
        day = self.ledger.today()
        for told in self.told:
            assert self.ledger.of_cycle(told.cycle).micro_usd <= 100
            assert self.ledger.of_gap(told.repo, told.gap).micro_usd <= 150
            self._within(CAPS.repo, day, told.repo)
        self._within(CAPS.overall, day, None)

    def _within(self, caps: PeriodCaps, day: str, repo: str | None) -> None:
        today = self.ledger.spent(day, repo)
        month = self.ledger.spent(day[:7], repo)
        assert caps.day is not None
        assert caps.month is not None
        assert today.micro_usd <= caps.day
        assert month.micro_usd <= caps.month
        assert today.calls <= (caps.calls_per_day or 0)
        assert today.tokens <= (caps.tokens_per_day or 0)

    @invariant()
    def the_books_agree(self):
        ledger = self.ledger
        assert self._sum() == ledger.spent()
        for month in {told.day[:7] for told in self.told}:
            assert self._sum(month) == ledger.spent(month), month
        for repo, gap in {(told.repo, told.gap) for told in self.told}:
            of_gap = [t.charged for t in self.told if (t.repo, t.gap) == (repo, gap)]
            assert sum(of_gap, Totals()) == ledger.of_gap(repo, gap)

    def _sum(self, month: str = "") -> Totals:
        charged = [t.charged for t in self.told if t.day.startswith(month)]
        return sum(charged, Totals())


def test_no_order_of_events_passes_a_cap_or_loses_a_charge():
    """Reserve, settle, release, die and fold in any order: caps hold, books agree."""
    run_state_machine_as_test(
        LedgerMachine,
        settings=settings(
            max_examples=15,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
