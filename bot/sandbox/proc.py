"""What the kernel says about running processes, read from /proc.

Every process may end between two reads; what is gone counts as nothing.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")
_ANONYMOUS = re.compile(rb"^Rss(?:Anon|Shmem):\s+(\d+) kB", re.MULTILINE)
_PROPORTIONAL = re.compile(rb"^Pss(?:_Anon|_Shmem):\s+(\d+) kB", re.MULTILINE)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def processes() -> Iterator[int]:
    """Yield the id of every process that can be seen."""
    for name in os.listdir(_PROC):  # noqa: PTH208  # a quarter of the time of iterdir
        if name.isdigit():
            yield int(name)


def children(pid: int) -> tuple[int, ...]:
    """Return the direct children of a process."""
    try:
        tasks = list((_PROC / str(pid) / "task").iterdir())
    except OSError:
        return ()
    return tuple(int(c) for t in tasks for c in _read(t / "children").split())


def descendants(pid: int) -> tuple[int, ...]:
    """Return a process and everything below it."""
    found = [pid]
    for parent in found:
        found.extend(children(parent))
    return tuple(found)


def memory_of(pids: tuple[int, ...]) -> int:
    """Return bytes that the processes hold for themselves, shared pages many times."""
    return sum(_kilobytes(pid, "status", _ANONYMOUS) for pid in pids) * 1024


def exact_memory_of(pids: tuple[int, ...]) -> int:
    """Return the same with each shared page counted once; slow.

    A process whose map may not be read counts as in `memory_of`.
    """
    return sum(_proportional(pid) for pid in pids) * 1024


def _proportional(pid: int) -> int:
    exact = _kilobytes(pid, "smaps_rollup", _PROPORTIONAL)
    return exact or _kilobytes(pid, "status", _ANONYMOUS)


def _kilobytes(pid: int, name: str, pattern: re.Pattern[bytes]) -> int:
    return sum(map(int, pattern.findall(_read(_PROC / str(pid) / name))))


def tasks_of(uid: int) -> int:
    """Return how many threads a user has now, over all processes."""
    total = 0
    for pid in processes():
        folder = _PROC / str(pid)
        try:
            if folder.stat().st_uid == uid:
                total += len(os.listdir(folder / "task"))  # noqa: PTH208  # as above
        except OSError:
            continue
    return total


def with_cookie(cookie: bytes) -> tuple[int, ...]:
    """Return the processes that were started with this text in their environment."""
    own = os.getpid()
    return tuple(
        pid
        for pid in processes()
        if pid != own and cookie in _read(_PROC / str(pid) / "environ")
    )


def has_capability(bit: int) -> bool:
    """Tell whether this process holds a capability in effect."""
    match = re.search(
        rb"^CapEff:\s+([0-9a-f]+)", _read(_PROC / "self/status"), re.MULTILINE
    )
    return bool(match and int(match[1], 16) >> bit & 1)
