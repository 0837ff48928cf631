"""Writing into a working tree that may hold symlinks, without ever following one."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Ids(Protocol):
    """A user and a group by number."""

    @property
    def uid(self) -> int:
        """The user."""
        ...

    @property
    def gid(self) -> int:
        """The group."""
        ...


class TreeWriter:
    """Files of one folder, reached name by name from its descriptor.

    Paths are relative and have passed `check_path`. A symlink or a file where a folder
    is needed ends in OSError, also when it is put there in mid-write.

    Args:
        root: The folder.
        owner: Who is to own what is made; None leaves it to the process.
    """

    def __init__(self, root: Path, owner: Ids | None) -> None:
        self._root = os.open(root, _FOLDER)
        self._owner = owner

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._root)

    def file(self, path: str, content: bytes, *, executable: bool) -> None:
        """Write a file anew; another hard link to the old one keeps its content."""
        with self._parent(path, make=True) as (folder, name):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            descriptor = os.open(name, _NEW_FILE, 0o600, dir_fd=folder)
            with os.fdopen(descriptor, "wb") as out:
                if self._owner is not None:
                    os.fchown(descriptor, self._owner.uid, self._owner.gid)
                os.fchmod(descriptor, 0o755 if executable else 0o644)
                out.write(content)

    def link(self, path: str, target: bytes) -> None:
        """Make a symlink in the place of what stands there."""
        with self._parent(path, make=True) as (folder, name):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            os.symlink(target, os.fsencode(name), dir_fd=folder)
            self._give_away(name, folder)

    def delete(self, path: str) -> None:
        """Delete a file or symlink, and the folders that are empty without it."""
        with self._parent(path, make=False) as (folder, name):
            os.unlink(name, dir_fd=folder)
        above = path.rpartition("/")[0]
        while above and self._is_removed(above):
            above = above.rpartition("/")[0]

    def _is_removed(self, path: str) -> bool:
        with self._parent(path, make=False) as (folder, name):
            try:
                os.rmdir(name, dir_fd=folder)
            except OSError:  # not empty
                return False
        return True

    @contextlib.contextmanager
    def _parent(self, path: str, *, make: bool) -> Iterator[tuple[int, str]]:
        *above, name = path.split("/")
        folder = os.dup(self._root)
        try:
            for step in above:
                inner = self._enter(folder, step, make=make)
                os.close(folder)
                folder = inner
            yield folder, name
        finally:
            os.close(folder)

    def _enter(self, folder: int, name: str, *, make: bool) -> int:
        if make:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, 0o755, dir_fd=folder)
                self._give_away(name, folder)
        return os.open(name, _FOLDER, dir_fd=folder)

    def _give_away(self, name: str, folder: int) -> None:
        if self._owner is not None:
            ids = self._owner.uid, self._owner.gid
            os.chown(name, *ids, dir_fd=folder, follow_symlinks=False)
