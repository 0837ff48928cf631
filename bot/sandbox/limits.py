"""What a job may use: kernel limits of each process, and sampled ones of them all."""

import os
import resource
import time
from pathlib import Path

from bot.sandbox.job import Ended
from bot.sandbox.proc import descendants, exact_memory_of, memory_of, tasks_of
from bot.settings.model import SandboxSettings

_OPEN_FILES = 8192
_INTERVAL_S = 0.2
_SHARE_OF_TIME = 20
"""Sampling may take one part in so many of the supervisor's time."""
_FREE_FLOOR = 256 * 1024**2
_FREE_FILES = 10_000


def prlimit_args(settings: SandboxSettings, uid: int) -> tuple[str, ...]:
    """Return the arguments of `prlimit` for a job that runs as this user.

    The kernel counts processes by user, so what the user runs already is added.
    Address space is left alone: JavaScript, Go and Java reserve far more than they use.
    """
    wanted = {
        "nproc": (resource.RLIMIT_NPROC, settings.processes + tasks_of(uid)),
        "fsize": (resource.RLIMIT_FSIZE, settings.disk),
        "data": (resource.RLIMIT_DATA, settings.memory),
        "nofile": (resource.RLIMIT_NOFILE, _OPEN_FILES),
        "core": (resource.RLIMIT_CORE, 0),
    }
    if settings.cpu is not None:
        wanted["cpu"] = (resource.RLIMIT_CPU, max(1, int(settings.cpu)))
    return tuple(
        f"--{name}={_allowed(which, value)}" for name, (which, value) in wanted.items()
    )


def _allowed(which: int, value: int) -> int:
    """Return the value, or the bot's own limit where that is lower and can't be raised."""
    hard = resource.getrlimit(which)[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)


class Watch:
    """Looks now and then at what a job holds, and says which limit it broke.

    Args:
        memory: Bytes that all its processes may hold together.
        tree: A folder on the disk that must not run full, of bytes or of files.
    """

    def __init__(self, memory: int, tree: Path) -> None:
        self._memory = memory
        self._tree = tree
        self._floor = _least_free(os.statvfs(tree))
        self._next_at = 0.0

    def __call__(self, pid: int) -> Ended | None:
        """Return the limit that the process and its descendants broke, if any."""
        now = time.monotonic()
        if now < self._next_at:
            return None
        ended = self._look(pid)
        took = time.monotonic() - now
        self._next_at = now + max(_INTERVAL_S, took * _SHARE_OF_TIME)
        return ended

    def _look(self, pid: int) -> Ended | None:
        pids = descendants(pid)
        if memory_of(pids) > self._memory and exact_memory_of(pids) > self._memory:
            return Ended.MEMORY
        if _is_below(os.statvfs(self._tree), self._floor):
            return Ended.DISK
        return None


def _least_free(disk: os.statvfs_result) -> tuple[int, int]:
    """Return the bytes and files that are to stay free: half, or what others can do with."""
    free = disk.f_bavail * disk.f_frsize
    return min(_FREE_FLOOR, free // 2), min(_FREE_FILES, disk.f_favail // 2)


def _is_below(disk: os.statvfs_result, floor: tuple[int, int]) -> bool:
    least_bytes, least_files = floor
    free = disk.f_bavail * disk.f_frsize
    return free < least_bytes or disk.f_favail < least_files
