"""A second tree of a real clone and the real sandbox, for recipes to run in."""

import os
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.sandbox.bwrap import open_sandbox
from bot.sandbox.job import Sandbox
from bot.sandbox.owner import sandbox_owner
from bot.settings.model import SandboxSettings
from bot.workspace.clone import Clone
from bot.workspace.git import Git
from bot.workspace.gitconfig import GitEnv
from bot.workspace.trees import Tree


@dataclass(frozen=True)
class Ground:
    """Where recipes run, and on what."""

    clone: Clone
    tree: Tree
    base_sha: str


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    """Return the real sandbox."""
    return open_sandbox(SandboxSettings())


@pytest.fixture
def ground(data_dir: Path) -> Ground:
    """Return a tree of a repository with two files."""
    env = GitEnv.make(data_dir, os.environ)
    remote = data_dir / "remote"
    Git(None, env).run("init", "-q", "-b", "main", str(remote))
    there = Git(remote / ".git", env, remote)
    there.run("config", "user.name", "A Person")
    there.run("config", "user.email", "person@example.org")
    (remote / "keep.txt").write_text("keep\n")
    (remote / "old.txt").write_text("old\n")
    there.run("add", "-A")
    there.run("commit", "-q", "-m", "Start")
    source = SimpleNamespace(
        name="repo", path=str(remote), is_url=False, base="main", prefix="bot"
    )
    clone = Clone.open(source, data_dir / "repo", env)
    tree = Tree.open(clone, data_dir / "repo" / "trees" / "recipe", sandbox_owner())
    return Ground(clone, tree, clone.fetch_base().sha)
