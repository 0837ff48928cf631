"""The lock that every reader and writer of the ledger's folder takes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from bot.errors import Deferred
from bot.store.files import make_folder, usable

LOCK_TIMEOUT_S = 30.0

_NAME = "lock"
_POLL_S = 0.01


@contextmanager
def locked(folder: Path, timeout_s: float) -> Iterator[None]:
    """Hold the ledger, against other threads and processes; the folder is created.

    Raises:
        DataFolderUnusable: The lock can't be written.
        Deferred: Another held it for too long.
    """
    make_folder(folder)
    path = folder / _NAME
    # One object a use: an object that two threads share would let both in.
    lock = FileLock(
        path,
        timeout=timeout_s,
        poll_interval=_POLL_S,
        fallback_to_soft=False,
        preserve_lock_file=True,
    )
    try:
        with usable(path):
            lock.acquire()
    except Timeout as error:
        raise Deferred(
            f"waited {timeout_s:g} s for {path}; "
            "another process holds the ledger, look whether it hangs"
        ) from error
    try:
        yield
    finally:
        lock.release()
