"""A real sandbox, a real repository and a tree of it."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.errors import SandboxUnavailable
from bot.sandbox.bwrap import open_sandbox
from bot.sandbox.job import Sandbox
from bot.sandbox.owner import Owner, sandbox_owner
from bot.settings.model import SandboxSettings


@dataclass(frozen=True)
class BlobFile:
    """A file of a commit."""

    path: str
    blob: str


@dataclass
class Worktree:
    """A tree as the workspace has them, by the git command line alone."""

    path: Path
    owner: Owner | None
    moves: int = 0

    def git(self, *args: str) -> str:
        """Run git in the tree."""
        argv = ["git", "-c", "safe.directory=*", "-C", str(self.path), *args]
        done = subprocess.run(argv, check=True, capture_output=True, text=True)
        return done.stdout

    def commit(self, **files: str) -> str:
        """Commit files, `_` in their names standing for a dot; return the commit."""
        for name, text in files.items():
            (self.path / name.replace("_", ".")).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD").strip()

    def move_to(self, sha: str) -> None:
        """Make it exactly this commit."""
        self.moves += 1
        self.git("reset", "-q", "--hard", sha)
        self.git("clean", "-qffdx")
        if self.owner:
            for path in (self.path, *self.path.rglob("*")):
                if ".git" not in path.parts:
                    os.chown(path, self.owner.uid, self.owner.gid)

    def untracked(self) -> tuple[str, ...]:
        """Return what is in it beside the commit."""
        out = self.git("ls-files", "--others", "--directory", "-z")
        return tuple(path for path in out.split("\0") if path)

    def files(self, sha: str, globs) -> tuple[BlobFile, ...]:
        """Return the files of a commit that match globs."""
        lines = self.git("ls-tree", sha, *globs).splitlines()
        parts = [line.split(None, 3) for line in lines]
        return tuple(BlobFile(part[3], part[2]) for part in parts)


@pytest.fixture
def owner() -> Owner | None:
    """Return who runs the jobs."""
    return sandbox_owner()


@pytest.fixture
def tree(tmp_path: Path, owner: Owner | None) -> Worktree:
    """Return a tree with one commit."""
    folder = tmp_path / "trees" / "cycle"
    folder.mkdir(parents=True)
    worktree = Worktree(folder, owner)
    worktree.git("init", "-q")
    worktree.commit(a_txt="a\n")
    worktree.move_to("HEAD")
    worktree.moves = 0
    return worktree


@pytest.fixture
def settings() -> SandboxSettings:
    """Return limits for small jobs."""
    return SandboxSettings(memory="512MB", timeout="30s", silence="30s")


@pytest.fixture
def sandbox(settings: SandboxSettings) -> Sandbox:
    """Return bubblewrap, where it works."""
    try:
        return open_sandbox(settings)
    except SandboxUnavailable as error:
        pytest.skip(f"no sandbox here: {error}")
