"""Removing what is not tracked from a working tree, whatever was left there.

`git clean` leaves named pipes, `.git` folders inside tracked ones, what lies in the
folders of submodules, and paths longer than the system takes at once; so the tree is
compared with the index here. No symlink is ever followed: everything happens relative to
an open folder.
"""

import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ONLY_NAMED = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_USABLE = stat.S_IRWXU
_SPECIAL = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX


class Tracked:
    """The names that a tree may hold, folder by folder.

    Args:
        files: Paths of tracked files and symlinks, as bytes.
        submodules: Paths of submodules, whose folders are to be empty.
    """

    def __init__(self, files: Iterable[bytes], submodules: Iterable[bytes]) -> None:
        self._files: dict[bytes, set[bytes]] = {}
        self._folders: dict[bytes, set[bytes]] = {}
        for path in files:
            folder, _, name = path.rpartition(b"/")
            names = self._files.get(folder)
            if names is None:
                names = self._files[folder] = set()
                self._add_folder(folder)
            names.add(name)
        for path in submodules:
            self._add_folder(path)

    def files_in(self, folder: bytes) -> set[bytes]:
        """Return the names of files and symlinks in a folder."""
        return self._files.get(folder, set())

    def folders_in(self, folder: bytes) -> set[bytes]:
        """Return the names of folders in a folder."""
        return self._folders.get(folder, set())

    def _add_folder(self, path: bytes) -> None:
        while path:
            parent, _, name = path.rpartition(b"/")
            names = self._folders.setdefault(parent, set())
            if name in names:
                return
            names.add(name)
            path = parent


def scour(root: Path, tracked: Tracked, trash: Path) -> int:
    """Remove all but tracked names (and the root's `.git`); return how many went.

    Folders that can't be entered are opened up first. What is removed is moved to the
    trash folder, on the same file system, and deleted there.
    """
    removed = 0
    pending = [b""]
    with opened(root) as top, emptied(trash) as bin_:
        while pending:
            folder = pending.pop()
            foreign, inner = _sort(top, folder, tracked)
            pending += inner
            for name in foreign:
                _discard(top, folder, name, bin_)
            removed += len(foreign)
    return removed


def strangers(root: Path, tracked: Tracked) -> tuple[bytes, ...]:
    """Return what `scour` would remove, in order; a folder is named once, with a `/`."""
    found: list[bytes] = []
    pending = [b""]
    with opened(root) as top:
        while pending:
            folder = pending.pop()
            foreign, inner = _sort(top, folder, tracked)
            pending += inner
            found += (_named(top, folder, name) for name in foreign)
    return tuple(sorted(found))


def open_up(path: Path) -> None:
    """Give the owner of a folder all rights on it; what is no folder stays as it is."""
    if path.is_dir() and not path.is_symlink():
        with opened(path.parent) as parent:
            _open_up(parent, os.fsencode(path.name))


def delete_tree(path: Path, trash: Path) -> None:
    """Delete a file or folder, however deep, and whatever its modes are."""
    if not os.path.lexists(path):
        return
    with opened(path.parent) as parent, emptied(trash) as bin_:
        move(parent, os.fsencode(path.name), bin_)


def _sort(top: int, folder: bytes, tracked: Tracked) -> tuple[list[bytes], list[bytes]]:
    """Return the foreign names in a folder and the tracked folders in it, as paths."""
    files, folders = tracked.files_in(folder), tracked.folders_in(folder)
    foreign: list[bytes] = []
    inner: list[bytes] = []
    with within(top, folder) as here, os.scandir(here) as listed:
        for entry in listed:
            name = os.fsencode(entry.name)
            # A file in its place is by far the most usual.
            if name in files and entry.is_file(follow_symlinks=False):
                continue
            if name in folders and entry.is_dir(follow_symlinks=False):
                inner.append(folder + b"/" + name if folder else name)
            elif not (name in files and entry.is_symlink()) and (
                folder or name != b".git"
            ):
                foreign.append(name)
    return foreign, inner


def _discard(top: int, folder: bytes, name: bytes, bin_: int) -> None:
    with within(top, folder) as here:
        move(here, name, bin_)


def _named(top: int, folder: bytes, name: bytes) -> bytes:
    path = folder + b"/" + name if folder else name
    with within(top, folder) as here:
        is_folder = stat.S_ISDIR(os.lstat(name, dir_fd=here).st_mode)
    return path + b"/" if is_folder else path


def move(folder: int, name: bytes, bin_: int) -> None:
    """Unlink a file, or move a folder to the trash under a fresh name."""
    if not stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
        os.unlink(name, dir_fd=folder)
        return
    _open_up(folder, name)
    os.rename(name, secrets.token_hex(8).encode(), src_dir_fd=folder, dst_dir_fd=bin_)


def _empty(bin_: int) -> None:
    """Delete all in the trash: what lies deeper is moved up, so no path gets long."""
    while names := _names(bin_):
        for name in names:
            if stat.S_ISDIR(os.lstat(name, dir_fd=bin_).st_mode):
                _flatten(bin_, name)
            else:
                os.unlink(name, dir_fd=bin_)


def _flatten(bin_: int, name: bytes) -> None:
    _open_up(bin_, name)
    folder = os.open(name, _FOLDER, dir_fd=bin_)
    try:
        for inner in _names(folder):
            move(folder, inner, bin_)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=bin_)


def _names(folder: int) -> list[bytes]:
    with os.scandir(folder) as listed:
        return [os.fsencode(entry.name) for entry in listed]


def _open_up(folder: int, name: bytes) -> None:
    """Give the owner of a folder all rights on it, without following a symlink."""
    handle = os.open(name, _ONLY_NAMED, dir_fd=folder)
    try:
        mode = stat.S_IMODE(os.fstat(handle).st_mode)
        if mode & _USABLE != _USABLE:
            os.chmod(f"/proc/self/fd/{handle}", mode | _USABLE)  # noqa: PTH101 - a descriptor, no path
    finally:
        os.close(handle)


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """Open a folder that is no symlink."""
    handle = os.open(path, _FOLDER)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def within(top: int, folder: bytes) -> Iterator[int]:
    """Open a folder inside whose parents were seen to be folders, and open it up."""
    try:
        handle = os.open(folder or b".", _FOLDER, dir_fd=top)
    except PermissionError:
        _open_up(top, folder)
        handle = os.open(folder, _FOLDER, dir_fd=top)
    try:
        mode = stat.S_IMODE(os.fstat(handle).st_mode)
        if mode & _USABLE != _USABLE or mode & _SPECIAL:
            os.fchmod(handle, (mode | _USABLE) & ~_SPECIAL)
        _forget_rules(handle)
        yield handle
    finally:
        os.close(handle)


def _forget_rules(folder: int) -> None:
    """Take from a folder what would decide over the modes of files made in it later."""
    with suppress(OSError):  # a file system without
        for name in os.listxattr(folder):
            if name.startswith(("system.posix_acl_", "user.")):
                os.removexattr(folder, name)


@contextmanager
def emptied(trash: Path) -> Iterator[int]:
    """Open a folder for what is to be deleted; with it all goes that was moved there."""
    trash.mkdir(exist_ok=True)
    with opened(trash) as bin_:
        yield bin_
        _empty(bin_)
    trash.rmdir()
