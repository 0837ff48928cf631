"""Reading what a command left in a working tree, as wanted states of paths."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from bot.domain.change import FileEdit, Kind
from bot.errors import ApplyFailed
from bot.workspace.git import Git

MOST_BYTES = 256 * 1024 * 1024

_KINDS: dict[str, Kind] = {"120000": "symlink", "160000": "submodule"}
_NOTHING = "000000"
_EXECUTABLE = "100755"


def read_changes(git: Git, root: Path, base_sha: str) -> tuple[FileEdit, ...]:
    """Stage the whole tree and return how it differs from a commit.

    Raises:
        ApplyFailed: The changed files are over 256 MB together.
    """
    git.run("add", "--all", "--", ".")
    listed = git.run(
        "diff-index", "--cached", "--raw", "-z", "--no-renames", base_sha, "--"
    )
    found = tuple(_pairs(listed))
    room = MOST_BYTES - sum(_size(root, path) for _, path in found)
    if room < 0:
        raise ApplyFailed(
            f"the changed files in {root} are over {MOST_BYTES >> 20} MB together"
        )
    return tuple(_edit(root, facts, path) for facts, path in found)


def _pairs(listed: bytes) -> Iterator[tuple[list[str], bytes]]:
    """Yield (old mode, new mode, old id, new id, status) and path of `--raw -z`."""
    fields = listed.split(b"\0")
    for facts, path in zip(fields[::2], fields[1::2], strict=False):
        yield facts.decode("ascii").removeprefix(":").split(" "), path


def _edit(root: Path, facts: list[str], path: bytes) -> FileEdit:
    old_mode, new_mode, _, new_id, _ = facts
    shown = path.decode("utf-8", "surrogateescape")
    if new_mode == _NOTHING:
        return FileEdit(shown, None, kind=_KINDS.get(old_mode, "file"))
    kind = _KINDS.get(new_mode, "file")
    if kind == "submodule":
        return FileEdit(shown, new_id.encode(), kind=kind)
    full = os.fsencode(root) + b"/" + path
    if kind == "symlink":
        target = Path(os.fsdecode(full)).readlink()
        return FileEdit(shown, os.fsencode(target), kind=kind)
    return FileEdit(shown, _content(full), executable=new_mode == _EXECUTABLE)


def _content(full: bytes) -> bytes:
    handle = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        return file.read()


def _size(root: Path, path: bytes) -> int:
    try:
        facts = os.lstat(os.fsencode(root) + b"/" + path)
    except (FileNotFoundError, NotADirectoryError):
        return 0
    return facts.st_size if stat.S_ISREG(facts.st_mode) else 0
