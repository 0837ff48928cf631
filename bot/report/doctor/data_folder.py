"""The data folder: it must take writes, have room, and hold locks."""

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from bot.errors import Deferred
from bot.report.doctor.finding import Finding, fail, ok, warn
from bot.report.doctor.mounts import Mount, mount_of
from bot.store.files import TEMP_SUFFIX, probe
from bot.store.index import Index
from bot.store.records import repo_folders

_MEGABYTE = 1 << 20
_GIGABYTE = 1 << 30
_WARN_UNDER = _GIGABYTE
_FAIL_UNDER = 64 * _MEGABYTE
_OLD_S = 3600.0
# Where locks or the index's shared memory don't hold between machines.
_NETWORK = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "lustre", "beegfs"),
        *("9p", "glusterfs", "fuse.glusterfs", "fuse.sshfs", "fuse.rclone", "ncpfs"),
        *("fuse.s3fs", "fuse.gcsfuse", "davfs", "fuse.davfs2", "coda", "orangefs"),
    }
)
_ELSEWHERE = "set data_dir to a folder on a disk of this machine"
_PLACES = (".", "journal", "unpublished", "pulls", "cache")


def folder(data_dir: Path) -> Iterator[Finding]:
    """Look whether the folder takes writes; one that is not there is not made.

    Raises:
        DataFolderUnusable: It is there and takes none.
    """
    if data_dir.is_dir():
        probe(data_dir)
        yield ok("data", f"{data_dir} takes writes")
        return
    above = existing(data_dir)
    if not above.is_dir():
        detail = f"{data_dir} can't be made: {above} is no folder"
        yield fail("data", detail, "move that away or set data_dir elsewhere")
    elif not may_write(above):
        detail = f"{data_dir} can't be made: this user may not write to {above}"
        yield fail("data", detail, f"mkdir -p {data_dir} as root, and chown it")
    else:
        yield ok("data", f"{data_dir} will be made by the first cycle")


def disk(data_dir: Path, mounts: Callable[[], str]) -> Iterator[Finding]:
    """Look at the room that is left, and at the kind of file system."""
    place = existing(data_dir)
    yield room(place, shutil.disk_usage(place).free)
    mount = mount_of(place, mounts())
    if mount:
        yield from kind_of(mount)


def room(place: Path, free: int) -> Finding:
    """Judge how many bytes are free."""
    detail = f"{free / _GIGABYTE:.2f} GB are free at {place}"
    if free >= _WARN_UNDER:
        return ok("disk", detail)
    if free >= _FAIL_UNDER:
        return warn("disk", detail, "make room: clones, trees and set-ups lie there")
    return fail("disk", detail, "make room, or nothing can be kept")


def kind_of(mount: Mount) -> Iterator[Finding]:
    """Say what a file system can't do."""
    if mount.kind in _NETWORK:
        detail = (
            f"{mount.point} is {mount.kind}: locks may not hold there, so two cycles "
            "could run at once"
        )
        yield warn("disk", detail, _ELSEWHERE)
    if "noexec" in mount.options:
        detail = (
            f"{mount.point} is mounted noexec: no check can run a program of its tree"
        )
        yield warn("disk", detail, _ELSEWHERE)


def index(data_dir: Path, kept: Index | None) -> Iterator[Finding]:
    """Look whether the index can be read; it can always be made anew."""
    path = data_dir / "bot.sqlite3"
    if kept is None:
        has_records = any(data_dir.glob("*/cycles"))
        said = "is filled by the next cycle" if has_records else "is made when needed"
        yield ok("index", f"{path} {said}")
        return
    try:
        is_whole = not kept.was_rebuilt
    except Deferred as error:
        yield warn("index", str(error), "bot reindex")
        return
    if is_whole:
        yield ok("index", f"{path} can be read")
    else:
        yield warn("index", f"rows are missing in {path}", "bot reindex")


def leftovers(data_dir: Path, clock: Callable[[], datetime]) -> Iterator[Finding]:
    """Look for what killed or newer versions left in the folder."""
    folders = [data_dir, data_dir / "ledger", data_dir / "outbox"]
    for name in repo_folders(data_dir):
        folders += [data_dir / name / place for place in _PLACES]
    files = [file for place in folders for file in _files(place)]
    before = clock().timestamp() - _OLD_S
    old = [f for f in files if _is_temporary(f) and f.stat().st_mtime < before]
    aside = [f for f in files if ".unreadable" in f.name]
    if old:
        detail = f"{len(old)} temporary files of killed writers, as {old[0]}"
        yield warn("leftovers", detail, "delete them")
    if aside:
        detail = f"{len(aside)} files were moved aside unreadable, as {aside[0]}"
        yield warn("leftovers", detail, "look at them and delete them")
    if not old and not aside:
        yield ok("leftovers", "none")


def existing(path: Path) -> Path:
    """Return the path, or the nearest above it that is there."""
    return next(p for p in (path, *path.parents) if os.path.lexists(p))


def may_write(folder: Path) -> bool:
    """Tell whether this user can make files in a folder."""
    return os.access(folder, os.W_OK | os.X_OK, effective_ids=True)


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        found = [e.name for e in entries if e.is_file(follow_symlinks=False)]
    return [folder / name for name in sorted(found)]


def _is_temporary(file: Path) -> bool:
    return file.name.startswith(".") and file.name.endswith(TEMP_SUFFIX)
