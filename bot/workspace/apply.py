"""A checked plan written into a working tree and into git: all of it or nothing."""

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn, Protocol

from bot.domain.change import Action, Change, Plan
from bot.errors import ApplyFailed, BotError, DataFolderUnusable, GitFailed
from bot.workspace.git import Git
from bot.workspace.paths import shown
from bot.workspace.rules import EXECUTABLE, SYMLINK, Planned
from bot.workspace.write import Ids, TreeWriter

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
_REGULAR = "100644"
_NO_FILTER = frozenset({b"unspecified", b"unset", b""})


class WorkTree(Protocol):
    """A linked working tree that stands at the plan's base."""

    @property
    def path(self) -> Path:
        """Its folder."""
        ...

    @property
    def git(self) -> Git:
        """Git on it."""
        ...

    @property
    def owner(self) -> Ids | None:
        """Who is to own the files; None leaves them to the bot."""
        ...

    def move_to(self, sha: str) -> object:
        """Make it an exact checkout of the commit."""
        ...


def apply(plan: Plan, tree: WorkTree) -> str:
    """Write the plan into the tree, stage exactly its paths and return the git tree.

    Raises:
        ApplyFailed: Something could not be written or staged, or git stored something
            else than was planned; the tree is back at its base.
        DataFolderUnusable: No room left; the tree is moved back as far as that goes.
        Deferred: Git's lock is held by another program; the tree is back at its base.
    """
    try:
        return _applied(plan, tree)
    except BaseException as error:
        ending = _ending(error)
        _move_back(plan, tree, ending or error)
        if ending is None:
            raise
        raise ending from error


def _applied(plan: Plan, tree: WorkTree) -> str:
    changes = [c for c in plan.changes if c.action is not Action.NOOP]
    links = plan.symlinks if isinstance(plan, Planned) else frozenset()
    if changes:
        _write(changes, links, tree)
        _stage(changes, tree.git)
    made = tree.git.text("write-tree")
    _verify(plan.base_sha, made, changes, links, tree.git)
    return made


def _write(changes: list[Change], links: frozenset[str], tree: WorkTree) -> None:
    with TreeWriter(tree.path, tree.owner) as writer:
        # Deletions first: a file may make room for a folder of its name.
        for change in sorted(changes, key=lambda change: change.content is not None):
            try:
                _write_one(writer, change, is_link=change.path in links)
            except OSError as error:
                error.filename = change.path  # the writer knows only one name of it
                raise


def _write_one(writer: TreeWriter, change: Change, *, is_link: bool) -> None:
    if change.content is None:
        writer.delete(change.path)
    elif is_link:
        writer.link(change.path, change.content)
    else:
        writer.file(change.path, change.content, executable=change.executable)


def _stage(changes: Iterable[Change], git: Git) -> None:
    written = [c.path for c in changes if c.content is not None]
    _refuse_filters(written, git)
    # `-f`: a path in .gitignore is still what was proposed. Pathspecs are literal by
    # the environment of `Git`.
    git.run(
        "add",
        "-A",
        "-f",
        "--pathspec-from-file=-",
        "--pathspec-file-nul",
        input=_nul_separated(c.path for c in changes),
    )


def _refuse_filters(paths: list[str], git: Git) -> None:
    """Refuse paths whose content git would have to send through a program.

    The bot runs no such program, so what belongs into LFS or has to be encrypted would
    be stored as it is.
    """
    out = git.run(
        "check-attr", "-z", "--stdin", "filter", input=_nul_separated(paths)
    ).split(b"\0")
    for path, value in zip(out[::3], out[2::3], strict=False):
        if value not in _NO_FILTER:
            name = shown(os.fsdecode(path))
            raise ApplyFailed(
                f"{name} has the attribute filter={os.fsdecode(value)}, and the bot "
                "runs no filter program: leave this file to a person"
            )


def _verify(
    base: str, made: str, changes: list[Change], links: frozenset[str], git: Git
) -> None:
    out = git.run("diff-tree", "-r", "--raw", "-z", "--no-renames", base, made)
    fields = out.decode("utf-8", "surrogateescape").split("\0")
    found = {
        path: raw.split(" ")[1]
        for raw, path in zip(fields[::2], fields[1::2], strict=False)
    }
    wanted = {change.path: _mode(change, links) for change in changes}
    for path in sorted(found.keys() | wanted.keys()):
        if found.get(path) != wanted.get(path):
            _raise_difference(path, found.get(path), wanted.get(path))


def _raise_difference(path: str, found: str | None, wanted: str | None) -> NoReturn:
    if wanted is None:
        raise ApplyFailed(f"{shown(path)} would change, though it was not planned")
    if found is None:
        raise ApplyFailed(
            f"git stores no change of {shown(path)}: the repository's attributes take "
            "the proposed difference away"
        )
    raise ApplyFailed(f"git stored {shown(path)} as {found} where {wanted} was planned")


def _mode(change: Change, links: frozenset[str]) -> str:
    if change.content is None:
        return "000000"
    if change.path in links:
        return SYMLINK
    return EXECUTABLE if change.executable else _REGULAR


def _nul_separated(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _move_back(plan: Plan, tree: WorkTree, ending: BaseException) -> None:
    try:
        tree.move_to(plan.base_sha)
    except (BotError, OSError) as error:
        if isinstance(ending, ApplyFailed):  # it would say that the tree is back
            raise error from ending
        ending.add_note(f"the tree could not be moved back either: {error}")


def _ending(error: BaseException) -> BotError | None:
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return DataFolderUnusable(
            f"a proposed file could not be written: {error}; "
            "make room for the data folder"
        )
    if isinstance(error, OSError | GitFailed):
        return ApplyFailed(f"the plan could not be applied: {error}")
    return None
