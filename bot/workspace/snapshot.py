"""The base of a plan, read from git."""

from bot.workspace.git import Git
from bot.workspace.rules import SUBMODULE, SYMLINK, BaseEntry


class Snapshot:
    """One commit as `plan_edits` reads it; nothing is read before it is asked for.

    Args:
        git: Git on a working tree that stands at the commit (its index holds nothing
            else), so that contents come out as they lie there (line ends by attributes).
        sha: The commit.
    """

    def __init__(self, git: Git, sha: str) -> None:
        self.sha = sha
        self._git = git
        self._listed: dict[str, str] | None = None

    def paths(self) -> frozenset[str]:
        """Return all paths of files, symlinks and submodules."""
        return frozenset(self._entries())

    def entry(self, path: str) -> BaseEntry | None:
        """Return what stands at this very path; None for a folder or nothing."""
        listed = self._entries().get(path)
        if listed is None:
            return None
        mode, blob, _stage = listed.split(" ")
        return BaseEntry(mode, self._content(path, mode, blob))

    def _content(self, path: str, mode: str, blob: str) -> bytes:
        if mode == SUBMODULE:
            return b""
        if mode == SYMLINK:
            return self._git.run("cat-file", "blob", blob)
        return self._git.run("cat-file", "--filters", f"--path={path}", blob)

    def _entries(self) -> dict[str, str]:
        if self._listed is None:
            # The index holds the commit, and is read faster than its trees.
            out = self._git.run("ls-files", "--stage", "-z")
            lines = out.decode("utf-8", "surrogateescape").split("\0")[:-1]
            # Each line is mode, id and stage, of one width all over, and the path.
            start = lines[0].index("\t") + 1 if lines else 0
            self._listed = {line[start:]: line[: start - 1] for line in lines}
        return self._listed
