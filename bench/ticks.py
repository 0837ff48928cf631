"""A tick with nothing to do, in a running process, with few and with many records."""

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.ground import config, repository, warm_disk
from bench.measure import Line, git, in_turns, median_ms
from bot.app import App
from bot.cycle.tick import run_tick
from bot.domain.outcome import Outcome
from bot.domain.record import CycleRecord
from bot.settings.load import load_settings
from bot.store.records import new_cycle_id

_FEW, _MANY = 100, 100_000
_ROUNDS = 30


def measure(place: Path) -> Iterator[Line]:
    """Measure an idle tick beside a bare fetch, and beside itself with more history."""
    source = repository(place / "idle", files=200, gaps=0)
    plain = place / "plain.git"
    git(place, "clone", "-q", "--bare", str(source), str(plain))
    few = _bot(place / "few", source, _FEW)
    many = _bot(place / "many", source, _MANY)

    def fetch() -> None:
        git(plain, "fetch", "-q", str(source), "refs/heads/main")

    fetched, with_few, with_many = in_turns(_ROUNDS, fetch, few, many)
    bare, ours, later = map(median_ms, (fetched, with_few, with_many))
    yield Line(
        "tick that ends skipped_no_gap",
        f"{ours:.1f} ms",
        f"bare git fetch {bare:.1f} ms: {ours / bare:.2f}x",
        "2x the fetch plus 10 ms",
        ours <= 2 * bare + 10,
    )
    yield Line(
        f"the same with {_MANY:,} earlier records",
        f"{later:.1f} ms",
        f"with {_FEW} records {ours:.1f} ms: {later / ours:.2f}x",
        "1.5x",
        later <= 1.5 * ours,
    )
    records = place / "many" / "data" / "bench" / "cycles"
    (stats,) = in_turns(3, lambda: _stat_all(records), warm=1)
    yield Line(
        "a stat of every record instead",
        f"{median_ms(stats):.0f} ms",
        f"our whole tick {later:.1f} ms: {median_ms(stats) / later:.0f}x",
        "for comparison",
        holds=True,
    )


def _bot(folder: Path, source: Path, records: int) -> Callable[[], None]:
    file = config(folder, source)
    loaded = load_settings(file, {"HOME": str(folder)}, folder)
    app = App(loaded, dict(os.environ))
    repo = app.one_repo(None)
    rooms = app.rooms(repo)
    run_tick(rooms, "tick")
    _fill(app, records)
    warm_disk(folder)

    def tick() -> None:
        record = run_tick(rooms, "tick")
        if record.outcome is not Outcome.SKIPPED_NO_GAP:
            raise SystemExit(f"an idle tick ended {record.outcome}: {record.reason}")

    return tick


def _fill(app: App, count: int) -> None:
    """Write earlier records as files and rows, without syncing each."""
    moment = datetime.now(UTC) - timedelta(days=count // 1000 + 1)
    batch = []
    for number in range(count):
        moment += timedelta(seconds=80)
        record = CycleRecord(
            cycle_id=new_cycle_id(moment, f"{number:08x}"),
            repo="bench",
            trigger="tick",
            started_at=moment,
            ended_at=moment,
            duration_ms=0,
            outcome=Outcome.SKIPPED_NO_GAP,
            reason="no gap can be worked on",
            bot_version="0",
        )
        path = app.records.path_of("bench", record.cycle_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record.model_dump(mode="json"), indent=2))
        batch.append((record, None))
        if len(batch) == 5000:
            app.index.add_cycles(batch)
            batch.clear()
    app.index.add_cycles(batch)


def _stat_all(folder: Path) -> float:
    newest = 0.0
    for day in os.scandir(folder):
        for entry in os.scandir(day.path):
            newest = max(newest, entry.stat().st_mtime)
    return newest
