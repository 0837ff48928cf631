"""Where the sandbox's user can't walk to a path, root mounts it to where it can.

This happens in a mount namespace of the job's own, so no mount outlives it.
"""

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.errors import SandboxUnavailable
from bot.sandbox.owner import Owner
from bot.sandbox.proc import has_capability

_CAP_SYS_ADMIN = 21
_PLACES = ("/mnt", "/media", "/srv", "/run", "/tmp")  # noqa: S108  # only mounted over

# Arguments: the place, how many sources, the sources, and then what to go on with.
_SCRIPT = """
set -e
place=$1 count=$2
shift 2
mount -n -t tmpfs -o mode=0755,size=1m,nr_inodes=4k staging "$place"
number=0
while [ "$number" -lt "$count" ]; do
  if [ -d "$1" ]; then mkdir "$place/$number"; else : > "$place/$number"; fi
  mount -n --bind "$1" "$place/$number"
  number=$((number + 1))
  shift
done
exec "$@"
"""


@dataclass(frozen=True, slots=True)
class Staging:
    """The names under which the sandbox's user finds host paths.

    Attributes:
        names: From each asked path to its name.
        argv: What the command line must begin with to make the names true.
    """

    names: Mapping[Path, str]
    argv: tuple[str, ...] = ()


def stage(paths: Iterable[Path], owner: Owner | None) -> Staging:
    """Find a name for each path; without an owner every path keeps its own.

    Raises:
        SandboxUnavailable: A path is not there, or can't be reached by the owner and
            must not be mounted elsewhere.
    """
    real = {path: _resolved(path) for path in paths}
    hidden = [p for p in dict.fromkeys(real.values()) if not is_reachable(p, owner)]
    if not hidden:
        return Staging({path: str(found) for path, found in real.items()})
    if not has_capability(_CAP_SYS_ADMIN):
        raise SandboxUnavailable(
            f"The sandbox's user can't reach {hidden[0]}, and without CAP_SYS_ADMIN it "
            "can't be mounted where it could. Put it where everyone may walk to, or run "
            "the bot as a user of its own instead of root."
        )
    place = _place(real.values())
    number = {path: f"{place}/{index}" for index, path in enumerate(hidden)}
    names = {path: number.get(found, str(found)) for path, found in real.items()}
    argv = ("unshare", "--mount", "--propagation", "private", "--")
    script = ("sh", "-c", _SCRIPT, "sh", place, str(len(hidden)))
    return Staging(names, (*argv, *script, *map(str, hidden)))


def is_reachable(path: Path, owner: Owner | None) -> bool:
    """Tell whether a user may walk to a resolved path (its own bits don't count)."""
    return owner is None or all(_may_pass(p.stat(), owner) for p in path.parents)


def _may_pass(status: os.stat_result, owner: Owner) -> bool:
    if status.st_uid == owner.uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid == owner.gid:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve(strict=True)
    except OSError as error:
        raise SandboxUnavailable(
            f"The sandbox was to show {path}, which can't be found: {error.strerror}. "
            "Put it there or take it out of the config."
        ) from error


def _place(used: Iterable[Path]) -> str:
    """Return a folder that a file system may be mounted over for one job."""
    taken = {parent for path in used for parent in (path, *path.parents)}
    for place in _PLACES:
        folder = Path(place)
        if folder.is_dir() and folder.resolve() == folder and folder not in taken:
            return place
    raise SandboxUnavailable(
        f"None of {', '.join(_PLACES)} is free for mounting what the sandbox's user "
        "can't reach. Create an empty /mnt, or run the bot as a user of its own."
    )
