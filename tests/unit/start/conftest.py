"""Real repositories with the files that a test names."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bot.workspace.git import Git
from bot.workspace.gitconfig import GitEnv

Repository = Callable[..., Path]


@pytest.fixture
def git_env(tmp_path: Path) -> GitEnv:
    """Return the environments of git commands."""
    return GitEnv.make(tmp_path / "git", os.environ)


@pytest.fixture
def repository(tmp_path: Path, git_env: GitEnv) -> Repository:
    """Return a maker of checkouts that have committed the given files."""

    def make(
        files: Mapping[str, str | bytes], name: str = "project", branch: str = "main"
    ) -> Path:
        root = tmp_path / name
        Git(None, git_env).run("init", "-q", "-b", branch, str(root))
        for path, content in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            data = content.encode() if isinstance(content, str) else content
            target.write_bytes(data)
        git = Git(None, git_env, root)
        who = ("-c", "user.name=A Person", "-c", "user.email=person@example.org")
        git.run("add", "-A")
        git.run(*who, "commit", "-q", "--allow-empty", "-m", "Start")
        return root

    return make
