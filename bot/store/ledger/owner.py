"""Which process holds a reservation, told so that a reused pid is no alibi."""

import os
from datetime import datetime, timedelta
from pathlib import Path

from bot.store.ledger.values import Frozen

_PROC = Path("/proc")
_BOOT_ID = _PROC / "sys/kernel/random/boot_id"
_STRANGER_AFTER = timedelta(days=1)


class Owner(Frozen):
    """A process of this host.

    Attributes:
        pid: As its own pid namespace numbers it.
        start_ticks: Its start in clock ticks since boot; 0 when not known.
        boot_id: The kernel's id of this boot.
        pid_namespace: Which pids its number is one of (containers have their own).
    """

    pid: int
    start_ticks: int
    boot_id: str
    pid_namespace: str


def this_process() -> Owner:
    """Return the calling process."""
    pid = os.getpid()
    return Owner(
        pid=pid,
        start_ticks=_start_ticks(pid) or 0,
        boot_id=_boot_id(),
        pid_namespace=_pid_namespace(),
    )


def is_dead(owner: Owner, since: datetime, now: datetime) -> bool:
    """Whether the process is gone for certain.

    A pid of another namespace can't be looked up from here; such an owner counts
    as dead only when what it held since `since` is over a day old.
    """
    if owner.boot_id != _boot_id():
        return True
    if owner.pid_namespace != _pid_namespace():
        return now - since > _STRANGER_AFTER
    if not _exists(owner.pid):
        return True
    ticks = _start_ticks(owner.pid)
    return ticks is not None and ticks != owner.start_ticks


def _boot_id() -> str:
    return _BOOT_ID.read_text(encoding="utf-8").strip()


def _pid_namespace() -> str:
    return str((_PROC / "self/ns/pid").readlink())


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _start_ticks(pid: int) -> int | None:
    """Return when the process started; -1 for a zombie, None when it can't be seen."""
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    # The command stands in brackets and may hold any byte, so count from its end.
    fields = stat[stat.rindex(b")") + 2 :].split()
    return -1 if fields[0] in {b"Z", b"X"} else int(fields[19])
