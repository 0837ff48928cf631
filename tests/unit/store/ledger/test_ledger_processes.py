"""Processes and threads that spend together never overspend; the dead are told."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from filelock import FileLock
from ledger_case import (
    BERLIN,
    FREE,
    NOON,
    Clock,
    ask,
    make_ledger,
    processes,
    reservation_files,
)

from bot.errors import DataFolderUnusable, Deferred
from bot.store.ledger import CapReached, Caps, Ledger, PeriodCaps, Usage
from bot.store.ledger.files import read_contents
from bot.store.ledger.owner import _start_ticks, is_dead, this_process

CAP = 500
SHARED = Caps(gap=10**9, overall=PeriodCaps(day=CAP))


def _spend_until_refused(ledger: Ledger, cost: int) -> None:
    while True:
        try:
            reservation = ledger.reserve(ask(7), SHARED)
        except CapReached:
            return
        reservation.settle(Usage(micro_usd=cost))


def _hammer(folder: Path, cost: int) -> None:
    ledger = make_ledger(folder, Clock())
    threads = [
        threading.Thread(target=_spend_until_refused, args=(ledger, cost))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_processes_and_threads_together_use_the_cap_up_and_no_more(folder: Path):
    """Three processes of three threads spend to the last reservation that fits."""
    children = [
        processes().Process(target=_hammer, args=(folder, cost)) for cost in (7, 7, 5)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join()

    spent = make_ledger(folder, Clock()).spent()

    assert [0, 0, 0] == [child.exitcode for child in children]
    assert CAP - 7 < spent.micro_usd <= CAP
    assert len(reservation_files(folder)) == spent.calls


def _hold(folder: Path, ready: Connection) -> None:
    make_ledger(folder, Clock()).reserve(ask(100), FREE)
    ready.send(None)
    signal.pause()


def test_only_the_dead_are_settled(ledger: Ledger, folder: Path):
    """A living process keeps its reservation; killed, even unreaped, it is charged."""
    ours, theirs = processes().Pipe()
    child = processes().Process(target=_hold, args=(folder, theirs))
    child.start()
    assert ours.poll(10)
    assert () == ledger.settle_dead()

    os.kill(child.pid or 0, signal.SIGKILL)
    child.join()

    assert 1 == len(ledger.settle_dead())
    assert 100 == ledger.spent().micro_usd


def test_a_zombie_is_dead():
    """A process that ended but was not waited for holds nothing any more."""
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    owner = this_process().model_copy(update={"pid": pid, "start_ticks": 1})

    zombie = is_dead(owner, NOON, NOON)
    os.waitpid(pid, 0)

    assert zombie
    assert is_dead(owner, NOON, NOON)


@contextmanager
def _nobody() -> Iterator[None]:
    """Be a user without rights; one who is no superuser is that already."""
    if os.getuid() != 0:
        yield
        return
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def test_a_process_of_another_user_is_alive():
    """A process that may not be signalled from here is there all the same."""
    ticks = int(Path("/proc/1/stat").read_text().rpartition(")")[2].split()[19])
    owner = this_process().model_copy(update={"pid": 1, "start_ticks": ticks})

    with _nobody():
        dead = is_dead(owner, NOON, NOON)

    assert not dead


def test_a_start_that_cannot_be_seen_is_not_known():
    """A process that /proc does not show has no start to compare."""
    assert _start_ticks(2**22 + 1) is None


def test_a_ledger_that_is_held_for_too_long_defers(folder: Path):
    """Another process that hangs with the lock is named, and nothing is spent."""
    ledger = Ledger(folder, BERLIN, Clock(), lock_timeout_s=0.02)
    ledger.reserve(ask(1), FREE)

    with FileLock(folder / "lock"), pytest.raises(Deferred, match="holds the ledger"):
        ledger.reserve(ask(1), FREE)

    assert 1 == ledger.spent().micro_usd


def test_a_reader_waits_for_whoever_writes(ledger: Ledger, folder: Path):
    """Reading takes the lock too, so that a fold in progress is never half seen."""
    ledger.reserve(ask(1), FREE)

    with FileLock(folder / "lock"), pytest.raises(Deferred, match="holds the ledger"):
        read_contents(folder, lock_timeout_s=0.02)


def test_a_lock_that_cannot_be_written_is_named(ledger: Ledger, folder: Path):
    """Where the lock can't be taken for a fault of the disk, the error says so at once."""
    (folder / "lock").mkdir(parents=True)

    with pytest.raises(DataFolderUnusable, match=r"can't write .*lock"):
        ledger.spent()


def _die_with_lock(folder: Path, _now: datetime) -> None:
    lock = FileLock(folder / "lock")
    lock.acquire()
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_holder_frees_the_ledger(ledger: Ledger, folder: Path):
    """A process that is killed with the lock keeps nobody out."""
    ledger.reserve(ask(1), FREE)
    child = processes().Process(target=_die_with_lock, args=(folder, NOON))
    child.start()
    child.join()

    ledger.reserve(ask(2), FREE)

    assert -signal.SIGKILL == child.exitcode
    assert 3 == ledger.spent().micro_usd
