"""Making a tree that untrusted commands wrote in harmless for git to look at."""

import os
from pathlib import Path

from bot.errors import ApplyFailed
from bot.workspace.paths import shown
from bot.workspace.scour import emptied, move, opened, within

MOST_RULES = 1024 * 1024
"""Bytes of a `.gitignore` or `.gitattributes`: git reads them whole, of any size."""

_GIT = b".git"
_RULES = frozenset({".gitignore", ".gitattributes"})


def settle(root: Path, trash: Path) -> tuple[bytes, ...]:
    """Delete what git would wait for, run or be led astray by.

    That is everything but files, folders and symlinks, and every `.git` below the root's
    own: git follows what stands in there, up to programs of somebody's choice.

    Args:
        root: The tree.
        trash: A folder beside it for what is deleted.

    Returns:
        The folders that lost a `.git`.

    Raises:
        ApplyFailed: A file of rules is too big, or the tree is nested too deep.
    """
    repositories: list[bytes] = []
    pending = [b""]
    try:
        with opened(root) as top, emptied(trash) as bin_:
            while pending:
                folder = pending.pop()
                inner, had_git = _settle_one(top, folder, bin_)
                pending += inner
                repositories += [folder] if had_git else []
    except OSError as error:
        raise ApplyFailed(f"{root} can't be looked through: {error}") from error
    return tuple(sorted(repositories))


def _settle_one(top: int, folder: bytes, bin_: int) -> tuple[list[bytes], bool]:
    """Settle one folder; return the folders in it and whether it had a `.git`."""
    inner: list[bytes] = []
    had_git = False
    with within(top, folder) as here:
        with os.scandir(here) as listed:
            entries = list(listed)
        for entry in entries:
            name = os.fsencode(entry.name)
            path = folder + b"/" + name if folder else name
            if path == _GIT:
                continue
            is_git = name == _GIT
            had_git = had_git or is_git
            if is_git or not _is_usual(entry):
                move(here, name, bin_)
            elif entry.is_dir(follow_symlinks=False):
                inner.append(path)
            elif entry.name in _RULES:
                _refuse_big(entry, path)
    return inner, had_git


def _is_usual(entry: os.DirEntry[str]) -> bool:
    if entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False):
        return True
    return entry.is_symlink()


def _refuse_big(entry: os.DirEntry[str], path: bytes) -> None:
    size = entry.stat(follow_symlinks=False).st_size
    if size > MOST_RULES:
        raise ApplyFailed(
            f"{shown(os.fsdecode(path))} has {size} bytes; over {MOST_RULES} it is no "
            "file that a repository needs"
        )
