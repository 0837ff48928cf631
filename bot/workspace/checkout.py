"""A look at the person's checkout: takes no lock, writes nothing, changes nothing."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.errors import GitFailed
from bot.workspace.git import Git, GitEnv

PAUSE_FILE = "bot.paused"
_LOOK_TIMEOUT_S = 120.0

_PATH_FIELD = {"1": 8, "2": 9, "u": 10}
"""Which space-separated field of a line of porcelain v2 is the path."""


@dataclass(frozen=True, slots=True)
class CheckoutState:
    """What a look found.

    Attributes:
        is_checkout: Whether the path is a working tree at all.
        dirty: Paths that differ from HEAD or are untracked, a folder with `/`.
        head_branch: The branch that is checked out; None when detached.
        origin_url: Where its `origin` is.
        origin_default: The default branch of `origin`, without `origin/`.
    """

    is_checkout: bool
    dirty: tuple[str, ...] = ()
    head_branch: str | None = None
    origin_url: str | None = None
    origin_default: str | None = None


def look(path: Path, env: GitEnv, ignore: Iterable[Path] = ()) -> CheckoutState:
    """Return the state of the checkout at `path`.

    Args:
        path: The root of a working tree; anything else is no checkout.
        env: The environments of git commands.
        ignore: Files and folders that are no dirt: the config in use, the data folder.

    Raises:
        GitFailed: Git can't read it.
    """
    git = _git(path, env)
    if git is None or git.call("rev-parse", "--show-cdup").stdout != b"\n":
        return CheckoutState(is_checkout=False)
    lines = _status(git)
    return CheckoutState(
        is_checkout=True,
        dirty=_dirty(git, path, lines, ignore),
        head_branch=_head(lines),
        origin_url=_optional(git, "config", "--get", "remote.origin.url"),
        origin_default=_origin_default(git),
    )


def dirty_paths(
    path: Path, env: GitEnv, ignore: Iterable[Path] = ()
) -> tuple[str, ...]:
    """Return what `look` calls dirty of a checkout, with one process only.

    Raises:
        GitFailed: Git can't read it.
    """
    git = _git(path, env)
    return _dirty(git, path, _status(git), ignore) if git else ()


def base_is_checked_out(path: Path, branch: str, env: GitEnv) -> bool:
    """Say whether any working tree of the repository at `path` has the branch out."""
    git = _git(path, env)
    if git is None:
        return False
    out = git.run("worktree", "list", "--porcelain", "-z")
    return f"branch refs/heads/{branch}" in os.fsdecode(out).split("\0")


def _git(path: Path, env: GitEnv) -> Git | None:
    return Git(None, env, path, personal=True) if path.is_dir() else None


def _status(git: Git) -> list[str]:
    out = git.run(
        "status",
        "--porcelain=v2",
        "-z",
        "--branch",
        "--no-renames",
        "--untracked-files=normal",
        "--ignore-submodules=dirty",
        timeout=_LOOK_TIMEOUT_S,
    )
    return [line for line in os.fsdecode(out).split("\0") if line]


def _dirty(
    git: Git, path: Path, lines: list[str], ignore: Iterable[Path]
) -> tuple[str, ...]:
    root = path.resolve()
    ours = [root / PAUSE_FILE, *(item.resolve() for item in ignore)]
    return tuple(_dirt(git, root, _paths(lines), ours))


def _paths(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        kind = line[0]
        if kind == "?":
            yield line[2:]
        elif kind in _PATH_FIELD:
            yield line.split(" ", _PATH_FIELD[kind])[-1]


def _dirt(
    git: Git, root: Path, paths: Iterable[str], ours: list[Path]
) -> Iterator[str]:
    for path in paths:
        full = root / path
        if any(full == item or item in full.parents for item in ours):
            continue
        if path.endswith("/") and any(full in item.parents for item in ours):
            yield from _strangers_in(git, root, path, ours)
        else:
            yield path


def _strangers_in(git: Git, root: Path, folder: str, ours: list[Path]) -> Iterator[str]:
    """Look into an untracked folder that git names as one and that holds what is ours."""
    inside = [str(item.relative_to(root)) for item in ours if root in item.parents]
    out = git.run(
        "ls-files",
        "--others",
        "--exclude-standard",
        "-z",
        "--",
        f":(top,literal){folder}",
        *(f":(top,literal,exclude){item}" for item in inside),
    )
    yield from (path for path in os.fsdecode(out).split("\0") if path)


def _head(lines: Iterable[str]) -> str | None:
    mark = "# branch.head "
    head = next((line[len(mark) :] for line in lines if line.startswith(mark)), None)
    return None if head == "(detached)" else head


def _origin_default(git: Git) -> str | None:
    name = _optional(git, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
    return name.removeprefix("refs/remotes/origin/") if name else None


def _optional(git: Git, *args: str) -> str | None:
    try:
        return git.text(*args) or None
    except GitFailed:
        return None
