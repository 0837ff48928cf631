"""One running cycle a repository, whatever starts it; the system frees a dead holder's.

The lock file is never deleted: two processes must always mean the same file. What
stands in it is for people only.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from bot.errors import Deferred
from bot.store.files import make_folder, usable

LOCK_NAME = "lock"


@contextmanager
def repository_lock(folder: Path, cycle_id: str = "") -> Iterator[bool]:
    """Hold the repository's lock for the block; False when another holds it.

    Args:
        folder: `<data>/<repo>`; created when missing.
        cycle_id: Written beside the pid, for people who look.

    Raises:
        DataFolderUnusable: The file system refused it.
    """
    make_folder(folder)
    path = folder / LOCK_NAME
    lock = FileLock(path, timeout=0, mode=0o644, fallback_to_soft=False)
    try:
        with usable(path):
            lock.acquire()
    except Timeout:
        yield False
        return
    try:
        _note(path, f"{os.getpid()} {cycle_id}".rstrip() + "\n")
        yield True
    finally:
        _note(path, "")
        lock.release()


@contextmanager
def turn(path: Path, timeout_s: float) -> Iterator[None]:
    """Hold a lock for a short work, after whoever holds it now.

    Raises:
        DataFolderUnusable: The file system refused it.
        Deferred: Another held it for longer than the time-out.
    """
    make_folder(path.parent)
    lock = FileLock(path, timeout=timeout_s, mode=0o644, fallback_to_soft=False)
    try:
        with usable(path):
            lock.acquire()
    except Timeout as error:
        raise Deferred(f"{path} was held by another for {timeout_s:g} s") from error
    try:
        yield
    finally:
        lock.release()


def holder(folder: Path) -> str | None:
    """Return "pid cycle_id" of the present or crashed holder, None when free."""
    try:
        text = (folder / LOCK_NAME).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.strip() or None


def _note(path: Path, text: str) -> None:
    with suppress(OSError), path.open("r+", encoding="utf-8") as file:
        file.truncate()
        file.write(text)
