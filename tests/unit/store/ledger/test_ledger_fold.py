"""Past days, months and years fold; no fold changes what was spent."""

import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ledger_case import (
    FREE,
    NOON,
    Clock,
    ask,
    by_key,
    fold_all,
    make_ledger,
    reservation_files,
    reserve_and_settle,
    run_killed,
)

from bot.errors import DataFolderUnusable
from bot.store.ledger import CapReached, Caps, Ledger, PeriodCaps, Totals, Usage


def _spend(ledger: Ledger, micro_usd: int, **of: str) -> None:
    ledger.reserve(ask(micro_usd, **of), FREE).settle_lost()  # type: ignore[arg-type]  # texts only


def _entries(folder: Path) -> list[str]:
    names = [p.name for p in folder.iterdir()]
    return sorted(n for n in names if n != "lock" and not n.endswith(".tmp"))


def test_the_first_reservation_of_a_day_folds_the_days_before(
    ledger: Ledger, folder: Path, clock: Clock
):
    """A past day becomes one file with the sums of its cycles."""
    clock.go(days=-2)
    for cycle in ("c1", "c1", "c2"):
        _spend(ledger, 100, cycle=cycle)
    clock.go(days=1)
    ledger.reserve(ask(1, cycle="c2"), FREE).settle_lost()
    clock.go(days=1)

    ledger.reserve(ask(1, cycle="c3"), FREE)

    assert ["2026-11-28.json", "2026-11-29.json", "2026-11-30"] == _entries(folder)
    assert 200 == ledger.of_cycle("c1").micro_usd
    assert Totals(micro_usd=101, calls=2, tokens=20) == ledger.of_cycle("c2")
    assert 300 == ledger.spent("2026-11-28").micro_usd
    assert 302 == ledger.spent("2026-11").micro_usd


def test_an_open_reservation_keeps_its_day_and_its_month(
    ledger: Ledger, folder: Path, clock: Clock
):
    """What is not settled is not folded, and can be settled later."""
    _spend(ledger, 100)
    clock.go(minutes=1)
    late = ledger.reserve(ask(50), FREE)
    clock.go(days=-1)
    _spend(ledger, 7)
    clock.go(days=40)
    ledger.fold()
    assert ["2026-11-29.json", "2026-11-30"] == _entries(folder)

    late.settle(Usage(micro_usd=20))
    ledger.fold()

    assert ["2026-11.json"] == _entries(folder)
    assert 127 == ledger.of_gap("lakehouse", "gap-a").micro_usd
    assert 120 == ledger.spent("2026-11-30").micro_usd


def test_a_month_still_tells_days_and_cycles(
    ledger: Ledger, folder: Path, clock: Clock
):
    """A cycle over midnight at the end of the month keeps its cap."""
    _spend(ledger, 100, cycle="long")
    clock.go(days=1)
    ledger.fold()
    assert ["2026-11.json"] == _entries(folder)

    with pytest.raises(CapReached, match="the cycle cap"):
        ledger.reserve(ask(1, cycle="long"), Caps(cycle=100))
    assert 100 == ledger.spent("2026-11-30").micro_usd


def test_a_year_folds_when_another_has_passed(
    ledger: Ledger, folder: Path, clock: Clock
):
    """An old year keeps months, repositories and gaps; days and cycles are given up."""
    clock.now = datetime(2023, 12, 30, 12, tzinfo=UTC)
    _spend(ledger, 1, gap="old", cycle="c1")
    clock.go(days=1)
    _spend(ledger, 2, gap="old", cycle="c2")
    clock.now = datetime(2024, 12, 31, 12, tzinfo=UTC)
    _spend(ledger, 4, gap="old", cycle="c3")
    assert ["2023-12.json", "2024-12-31"] == _entries(folder)

    clock.now = datetime(2025, 1, 1, 12, tzinfo=UTC)
    ledger.fold()

    assert ["2023.json", "2024-12.json"] == _entries(folder)
    assert 7 == ledger.of_gap("lakehouse", "old").micro_usd
    assert 3 == ledger.spent("2023-12").micro_usd
    assert 3 == ledger.spent("2023").micro_usd
    assert ["2023-12", "2024-12-31"] == [row.period for row in ledger.spend_rows()]


def test_a_year_with_an_open_reservation_is_not_folded(
    ledger: Ledger, folder: Path, clock: Clock
):
    """An open reservation holds its year, too."""
    clock.now = datetime(2022, 3, 1, 12, tzinfo=UTC)
    _spend(ledger, 1)
    clock.now = datetime(2022, 5, 1, 12, tzinfo=UTC)
    ledger.reserve(ask(2), FREE)
    clock.now = NOON

    ledger.fold()

    assert ["2022-03.json", "2022-05-01"] == _entries(folder)
    assert 3 == ledger.spent("2022").micro_usd


def test_a_clock_that_was_ahead_loses_nothing(
    ledger: Ledger, folder: Path, clock: Clock
):
    """What is spent on a day that was folded already is added to it later."""
    _spend(ledger, 1)
    clock.go(days=45)
    ledger.fold()
    clock.go(days=-45)
    _spend(ledger, 2)
    assert ["2026-11-30", "2026-11.json"] == _entries(folder)
    with pytest.raises(CapReached, match=r"\$0\.000003 spent"):
        ledger.reserve(ask(1), Caps(overall=PeriodCaps(day=3)))

    clock.go(days=45)
    ledger.fold()

    assert ["2026-11.json"] == _entries(folder)
    (row,) = ledger.spend_rows()
    assert Totals(micro_usd=3, calls=2, tokens=20) == row.totals


def test_an_unfinished_write_does_not_keep_a_day(
    ledger: Ledger, folder: Path, clock: Clock
):
    """A temporary file that a kill left goes away with its day."""
    _spend(ledger, 1)
    (folder / "2026-11-30" / ".1-abc.tmp").write_text("{")
    clock.go(days=1)

    ledger.fold()

    assert ["2026-11.json"] == _entries(folder)


def test_what_a_person_put_there_is_kept(ledger: Ledger, folder: Path, clock: Clock):
    """A note in a day's folder survives the fold and is no spending."""
    _spend(ledger, 1)
    (folder / "2026-11-30" / "note.txt").write_text("why so much?")
    clock.go(days=1)

    ledger.fold()
    ledger.fold()

    assert ["2026-11-30", "2026-11.json"] == _entries(folder)
    assert 1 == ledger.spent().micro_usd


def _history(folder: Path) -> datetime:
    """Spend on days of two old years, of last month and of yesterday."""
    clock = Clock()
    ledger = make_ledger(folder, clock)
    for days in (990, 400, 34, 1):
        clock.now = NOON - timedelta(days=days)
        for gap in ("gap-a", "gap-b"):
            ledger.reserve(
                ask(10 + days, gap=gap, cycle=f"c{days}"), FREE
            ).settle_lost()
    return NOON


def _unfold(folder: Path) -> None:
    """Spend again on days that were folded already, as a clock set back does."""
    clock = Clock()
    ledger = make_ledger(folder, clock)
    for days in (400, 1):
        clock.now = NOON - timedelta(days=days)
        ledger.reserve(ask(3), FREE).settle_lost()


def test_a_kill_at_any_step_of_a_fold_changes_no_sum(tmp_path: Path):
    """However far a fold came, the sums are the same, and the next one finishes it."""
    seed = tmp_path / "seed"
    now = _history(seed)
    _unfold(seed)
    later = now + timedelta(days=800)
    expected = by_key(list(make_ledger(seed, Clock(now)).spend_rows()))
    ends = set()

    for step in range(1, 200):
        folder = tmp_path / str(step)
        shutil.copytree(seed, folder)
        died = run_killed(step, fold_all, folder, later)
        ledger = make_ledger(folder, Clock(later))
        assert expected == by_key(list(ledger.spend_rows())), step
        ledger.fold()
        assert expected == by_key(list(ledger.spend_rows())), step
        ends.add(tuple(_entries(folder)))
        shutil.rmtree(folder)
        if not died:
            break

    assert not died
    assert step > 20
    assert {("2024.json", "2025.json", "2026.json")} == ends


def test_a_kill_at_any_step_of_a_request_is_charged_at_most_once(tmp_path: Path):
    """A process that dies leaves nothing, its worst case or its usage; never more."""
    seen = set()

    for step in range(1, 100):
        folder = tmp_path / str(step)
        died = run_killed(step, reserve_and_settle, folder, NOON)
        ledger = make_ledger(folder, Clock())
        before = ledger.spent().micro_usd
        ledger.settle_dead()
        assert before == ledger.spent().micro_usd, step
        seen.add(before)
        assert '"settled":null' not in "".join(
            path.read_text() for path in reservation_files(folder)
        )
        if not died:
            break

    assert not died
    assert {0, 60, 100} == seen


_COUNT_READS = """
import sys
opened = set()
def hook(event, args):
    if event == "open" and str(args[0]).startswith(sys.argv[1]):
        opened.add(str(args[0]))
sys.addaudithook(hook)
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo
from bot.store.ledger import Caps, Ledger, Request, Usage
now = datetime.fromisoformat(sys.argv[2])
request = Request(
    repo="lakehouse", gap_id="gap-a", cycle_id="c", role="r", model="m",
    worst=Usage(micro_usd=1),
)
ledger = Ledger(Path(sys.argv[1]), ZoneInfo("Europe/Berlin"), lambda: now)
ledger.reserve(request, Caps(gap=10**9))
print(sum(path.endswith(".json") for path in opened))
"""


def _year(folder: Path) -> int:
    """Spend every other day for a year, folding as it goes."""
    clock = Clock(datetime(2025, 11, 30, 12, tzinfo=UTC))
    ledger = make_ledger(folder, clock)
    written = 0
    while clock.now <= NOON:
        ledger.reserve(ask(1, cycle=f"c{written}"), FREE).settle_lost()
        written += 1
        clock.go(days=2)
    return written


def test_a_year_of_history_is_read_in_few_files(folder: Path):
    """A fresh process reads a month's days, the months and its own day, no more."""
    written = _year(folder)

    done = subprocess.run(
        [sys.executable, "-c", _COUNT_READS, str(folder), NOON.isoformat()],
        check=True,
        capture_output=True,
        text=True,
    )

    assert 183 == written
    assert (
        written + 1 == make_ledger(folder, Clock()).of_gap("lakehouse", "gap-a").calls
    )
    # 15 days of November, 12 months, one reservation of the day.
    assert 15 + 12 + 1 >= int(done.stdout) > 12


def test_a_fold_that_cannot_write_leaves_the_sum(
    ledger: Ledger, folder: Path, clock: Clock
):
    """Where the parent can't be written nothing is deleted."""
    _spend(ledger, 5)
    clock.go(days=1)
    (folder / "2026-11-30.json").mkdir()

    with pytest.raises(DataFolderUnusable):
        ledger.fold()

    (folder / "2026-11-30.json").rmdir()
    assert 5 == ledger.spent().micro_usd
