"""The unprivileged user that owns the trees and runs the jobs when the bot is root."""

import os
import pwd
from dataclasses import dataclass

SANDBOX_UID = 64321
"""Above what distributions give to people and services, below `nobody`; needs no entry
in /etc/passwd."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A user and group by number."""

    uid: int
    gid: int


def sandbox_owner() -> Owner | None:
    """Return who runs the jobs, or None when that is the bot's own user."""
    if os.geteuid() != 0:
        return None
    uid = next(uid for uid in range(SANDBOX_UID, 65534) if not _is_taken(uid))
    return Owner(uid=uid, gid=uid)


def _is_taken(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True
