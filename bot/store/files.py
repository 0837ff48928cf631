"""Whole-file writes that survive a kill, and the proof that the folder can be used.

A temporary file is named `.<pid>-<random>.tmp`; no reader looks at such names.
"""

import errno
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bot.errors import DataFolderUnusable

FREE_BYTES_NEEDED = 16 * 1024 * 1024
TEMP_SUFFIX = ".tmp"

_HOUR_S = 3600.0
_GRACE_S = 60.0  # a pid of another container looks dead while its writer lives
_PROBE_BYTES = 4096

_ADVICE = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "raise the quota or free some space",
    errno.EROFS: "it is mounted read-only; remount it or set data_dir elsewhere",
    errno.EACCES: "let this user write there or set data_dir elsewhere",
    errno.EPERM: "let this user write there or set data_dir elsewhere",
    errno.EIO: "check the disk",
    errno.ENOTDIR: "a file stands where a folder is needed; move it away",
    errno.EEXIST: "a file stands where a folder is needed; move it away",
    errno.EISDIR: "a folder stands where a file is needed; move it away",
    errno.ENOENT: "the folder vanished; set data_dir to one that stays",
    errno.EFBIG: "raise the limit on file size",
}


@contextmanager
def usable(path: Path) -> Iterator[None]:
    """Turn what the file system refuses at `path` into `DataFolderUnusable`."""
    try:
        yield
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0)
        if advice is None:
            raise
        raise DataFolderUnusable(
            f"can't write {path}: {error.strerror}; {advice}"
        ) from error


def write_atomic(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Replace the file whole and durably; a kill leaves the old or the new one.

    The folder is created when it is missing.

    Raises:
        DataFolderUnusable: The file system refused it; the old file stands.
    """
    with usable(path):
        make_folder(path.parent)
        temp = _write_temp(path.parent, data, mode)
        try:
            temp.replace(path)
        except OSError:
            temp.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
    sweep(path.parent)


def remove(path: Path) -> None:
    """Delete the file durably; one that is not there is fine."""
    with usable(path):
        path.unlink(missing_ok=True)
        if path.parent.is_dir():
            _sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Create the folder and its parents so that a power cut can't undo it."""
    if folder.is_dir():
        return
    with usable(folder):
        make_folder(folder.parent)
        with suppress(FileExistsError):
            folder.mkdir()
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        _sync_folder(folder.parent)


def probe(folder: Path) -> None:
    """Prove that files can be written in the folder, creating it when needed.

    Raises:
        DataFolderUnusable: It can't be created or written, or has under 16 MB free.
    """
    make_folder(folder)
    with usable(folder):
        room = os.statvfs(folder)
        free = room.f_bavail * room.f_frsize
        if room.f_blocks and free < FREE_BYTES_NEEDED:  # some file systems count none
            raise DataFolderUnusable(
                f"{folder} has {free // 1024} KB free; "
                f"{FREE_BYTES_NEEDED // 1024} KB are needed; free some space"
            )
        _write_temp(folder, bytes(_PROBE_BYTES), 0o600, sync=False).unlink()


def sweep(folder: Path) -> None:
    """Delete temporary files whose writer is dead or that are over an hour old."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name.endswith(TEMP_SUFFIX):
                _sweep_one(folder / entry.name)


def _sweep_one(temp: Path) -> None:
    with suppress(OSError):
        age = time.time() - temp.stat().st_mtime
        pid = temp.name[1:].partition("-")[0]
        if age > _HOUR_S or (age > _GRACE_S and not _is_alive(pid)):
            temp.unlink()


def _is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except PermissionError:
        return True
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    return True


def _write_temp(folder: Path, data: bytes, mode: int, *, sync: bool = True) -> Path:
    temp = folder / f".{os.getpid()}-{secrets.token_hex(6)}{TEMP_SUFFIX}"
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        _write_all(fd, data)
        os.fchmod(fd, mode)
        if sync:
            os.fsync(fd)
    except OSError:
        temp.unlink(missing_ok=True)
        raise
    finally:
        os.close(fd)
    return temp


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
