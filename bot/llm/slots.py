"""Holds back requests of all processes beyond what a server takes at a time."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from bot.errors import Deferred, Interrupted
from bot.store.files import make_folder, usable

_POLL_S = 0.05


@contextmanager
def slot(
    folder: Path,
    server: str,
    most: int | None,
    *,
    timeout_s: float,
    is_cancelled: Callable[[], bool],
) -> Iterator[None]:
    """Hold one of a server's places.

    Args:
        folder: Where the locks lie; created when it is missing.
        server: Whose places.
        most: How many there are; None is no limit.
        timeout_s: How long to wait for one.
        is_cancelled: Ends the wait.

    Raises:
        Deferred: None became free in time.
        Interrupted: A signal came while waiting.
    """
    if most is None:
        yield
        return
    make_folder(folder)
    lock = _taken(folder, server, most, timeout_s, is_cancelled)
    try:
        yield
    finally:
        lock.release()


def _taken(
    folder: Path,
    server: str,
    most: int,
    timeout_s: float,
    is_cancelled: Callable[[], bool],
) -> FileLock:
    end = time.monotonic() + timeout_s
    while True:
        for number in range(most):
            lock = _try(folder / f"{server}-{number}.lock")
            if lock is not None:
                return lock
        if is_cancelled():
            raise Interrupted(f"a signal came while waiting for the server {server!r}")
        if time.monotonic() >= end:
            raise Deferred(
                f"the server {server!r} was busy for {timeout_s:g} s with {most} "
                f"request(s) at a time; raise in_flight under "
                f"[models.endpoints.{server}] if it takes more"
            )
        time.sleep(_POLL_S)


def _try(path: Path) -> FileLock | None:
    # One object a use: an object that two threads share would let both in.
    lock = FileLock(path, timeout=0, fallback_to_soft=False, preserve_lock_file=True)
    try:
        with usable(path):
            lock.acquire()
    except Timeout:
        return None
    return lock
