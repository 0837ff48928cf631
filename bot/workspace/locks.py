"""Lock files that a killed git left behind in the bot's own clone.

Never used on a person's repository: there a lock is somebody's.
"""

import os
import time
from contextlib import suppress
from pathlib import Path


def clear_stale(clone: Path) -> tuple[str, ...]:
    """Remove lock files of a clone while no git process is at work in it."""
    locks = [lock for lock in _locks(clone) if _is_old(lock)]
    if not locks or is_in_use(clone):
        return ()
    for lock in locks:
        lock.unlink(missing_ok=True)
    return tuple(str(lock.relative_to(clone)) for lock in locks)


def is_in_use(clone: Path) -> bool:
    """Say whether a process of this user was started by the bot on this clone.

    A git that outlived a killed bot is one of those.
    """
    needle = b"GIT_DIR=" + os.fsencode(clone)
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            variables = environ.read_bytes().split(b"\0")
            if any(v == needle or v.startswith(needle + b"/") for v in variables):
                return True
    return False


def _locks(clone: Path) -> list[Path]:
    places = ("*.lock", "refs/**/*.lock", "worktrees/*/*.lock", "objects/info/*.lock")
    return sorted(lock for place in places for lock in clone.glob(place))


def _is_old(lock: Path) -> bool:
    with suppress(FileNotFoundError):
        return time.time() > lock.stat().st_mtime
    return False
