"""A real repository with a linked working tree, built from a mapping of files."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.workspace.git import Git, GitEnv

WHO = {
    "GIT_AUTHOR_NAME": "A Person",
    "GIT_AUTHOR_EMAIL": "person@example.org",
    "GIT_COMMITTER_NAME": "A Person",
    "GIT_COMMITTER_EMAIL": "person@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
}
Content = bytes | tuple[str, bytes]


@dataclass
class PlainTree:
    """A linked working tree."""

    path: Path
    git: Git
    owner: object = None

    def move_to(self, sha: str) -> None:
        """Make it an exact checkout of the commit."""
        self.git.run("checkout", "-q", "--force", "--detach", sha)
        self.git.run("clean", "-q", "-ffdx")


class Ground:
    """A bare repository in a folder, and what tests ask of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = GitEnv.make(folder, os.environ)
        Git(None, self.env).run("init", "-q", "--bare", str(folder / "clone.git"))
        self.git = Git(folder / "clone.git", self.env)

    def commit(
        self, files: Mapping[str, Content], parents: tuple[str, ...] = ()
    ) -> str:
        """Commit exactly these files; a tuple gives the mode too."""
        index = {"GIT_INDEX_FILE": str(self.folder / "index.new")}
        (self.folder / "index.new").unlink(missing_ok=True)
        lines = []
        for path, given in files.items():
            mode, content = given if isinstance(given, tuple) else ("100644", given)
            sha = content.decode()
            if mode != "160000":
                sha = self.git.text("hash-object", "-w", "--stdin", input=content)
            lines.append(f"{mode} {sha}\t{path}\0".encode())
        self.git.run(
            "update-index", "-z", "--index-info", input=b"".join(lines), env=index
        )
        tree = self.git.text("write-tree", env=index)
        given = [part for parent in parents for part in ("-p", parent)]
        return self.git.text("commit-tree", *given, tree, input=b"base\n", env=WHO)

    def tree(self, sha: str, name: str = "tree") -> PlainTree:
        """Make a linked working tree at the commit."""
        path = self.folder / name
        self.git.run("worktree", "add", "-q", "--detach", str(path), sha)
        git_dir = Git(None, self.env, path).text("rev-parse", "--absolute-git-dir")
        return PlainTree(path, Git(Path(git_dir), self.env, path))

    def files(self, tree: str) -> dict[str, tuple[str, bytes]]:
        """Return mode and bytes of every path of a tree or commit."""
        out = self.git.run("ls-tree", "-r", "-z", "--full-tree", tree)
        found = {}
        for line in out.decode().split("\0")[:-1]:
            head, path = line.split("\t")
            mode, kind, sha = head.split(" ")
            content = self.git.run("cat-file", kind, sha) if kind == "blob" else b""
            found[path] = (mode, content)
        return found
