"""The base of a plan, read from git."""

from typing import NamedTuple

from bot.workspace.git import Git
from bot.workspace.rules import SUBMODULE, SYMLINK, BaseEntry


class Snapshot:
    """One commit as `plan_edits` reads it; nothing is read before it is asked for.

    Args:
        git: Git on a working tree that stands at the commit, so that contents come out
            as they lie in a working tree (line ends by attributes).
        sha: The commit.
    """

    def __init__(self, git: Git, sha: str) -> None:
        self.sha = sha
        self._git = git
        self._listed: dict[str, _Listed] | None = None

    def paths(self) -> frozenset[str]:
        """Return all paths of files, symlinks and submodules."""
        return frozenset(self._entries())

    def entry(self, path: str) -> BaseEntry | None:
        """Return what stands at this very path; None for a folder or nothing."""
        listed = self._entries().get(path)
        if listed is None:
            return None
        return BaseEntry(listed.mode, self._content(path, listed))

    def _content(self, path: str, listed: "_Listed") -> bytes:
        if listed.mode == SUBMODULE:
            return b""
        if listed.mode == SYMLINK:
            return self._git.run("cat-file", "blob", listed.sha)
        return self._git.run("cat-file", "--filters", f"--path={path}", listed.sha)

    def _entries(self) -> "dict[str, _Listed]":
        if self._listed is None:
            out = self._git.run("ls-tree", "-r", "-z", "--full-tree", self.sha)
            lines = out.decode("utf-8", "surrogateescape").split("\0")[:-1]
            split = (line.partition("\t") for line in lines)
            self._listed = {
                path: _Listed(head.split(" ")[0], head.split(" ")[2])
                for head, _, path in split
            }
        return self._listed


class _Listed(NamedTuple):
    mode: str
    sha: str
