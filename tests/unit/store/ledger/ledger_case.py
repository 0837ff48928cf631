"""What the tests of the ledger share: a settable clock, requests, dying processes."""

import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.store.ledger import Caps, Ledger, Request, SpendRow, Usage

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
FREE = Caps()

_WRITES = os.O_WRONLY | os.O_RDWR
_MUTATIONS = {"os.rename", "os.remove", "os.rmdir", "os.mkdir"}


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def go(self, **by: float) -> None:
        self.now += timedelta(**by)


def at(text: str) -> Clock:
    """Return a clock that stands at an ISO moment."""
    return Clock(datetime.fromisoformat(text))


def make_ledger(folder: Path, clock: Callable[[], datetime]) -> Ledger:
    """Return a ledger in Berlin's time whose ids never repeat within this process."""
    numbers = count()
    token = f"{os.getpid():x}"
    return Ledger(folder, BERLIN, clock, lambda: f"{token}-{next(numbers):06d}")


def ask(
    micro_usd: int = 100,
    *,
    repo: str = "lakehouse",
    gap: str | None = "gap-a",
    cycle: str | None = "cycle-1",
    tokens: int = 10,
) -> Request:
    """Return a request with this worst case."""
    return Request(
        repo=repo,
        gap_id=gap,
        cycle_id=cycle,
        role="proposer",
        model="openai:gpt-5-mini",
        worst=Usage(micro_usd=micro_usd, tokens=tokens),
    )


def by_key(rows: list[SpendRow]) -> dict[tuple[str, str | None], int]:
    """Sum the money of rows by repository and gap."""
    sums: dict[tuple[str, str | None], int] = {}
    for row in rows:
        key = (row.repo, row.gap_id)
        sums[key] = sums.get(key, 0) + row.totals.micro_usd
    return dict(sorted(sums.items(), key=str))


def rewrite(path: Path, **owner: object) -> None:
    """Change the owner that stands in a reservation's file."""
    content = json.loads(path.read_text())
    content["owner"].update(owner)
    path.write_text(json.dumps(content))


def reservation_files(folder: Path) -> list[Path]:
    """Return the files of all reservations, oldest first."""
    return sorted(folder.glob("????-??-??/*.json"))


def processes() -> multiprocessing.context.ForkServerContext:
    """Return how child processes are started: forked from a server without threads."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["bot.store.ledger", "filelock"])
    return context


def die_at(step: int) -> None:
    """Let this process be killed just before its n-th change of the file system."""
    left = step

    def hook(event: str, args: tuple[object, ...]) -> None:
        nonlocal left
        writes = event == "open" and isinstance(args[2], int) and args[2] & _WRITES
        if not writes and event not in _MUTATIONS:
            return
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def run_killed(
    step: int, work: Callable[[Path, datetime], None], folder: Path, now: datetime
) -> bool:
    """Run the work in a process that dies at the n-th step; tell whether it died."""
    child = processes().Process(target=_work_until, args=(step, work, folder, now))
    child.start()
    child.join()
    assert child.exitcode in {0, -signal.SIGKILL}
    return child.exitcode != 0


def _work_until(
    step: int, work: Callable[[Path, datetime], None], folder: Path, now: datetime
) -> None:
    die_at(step)
    work(folder, now)


def fold_all(folder: Path, now: datetime) -> None:
    """Fold what is past; work for `run_killed`."""
    make_ledger(folder, Clock(now)).fold()


def reserve_and_settle(folder: Path, now: datetime) -> None:
    """Reserve 100 and settle 60; work for `run_killed`."""
    reservation = make_ledger(folder, Clock(now)).reserve(ask(100), FREE)
    reservation.settle(Usage(micro_usd=60, tokens=6))
