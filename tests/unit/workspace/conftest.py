"""Real git repositories for the tests of the workspace."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from gitground import Person, Source

from bot.workspace.clone import Clone
from bot.workspace.gitconfig import GitEnv
from bot.workspace.trees import Tree


@pytest.fixture
def new_person(tmp_path: Path) -> Callable[..., Person]:
    """Return a function that makes an empty repository with branch main."""

    def make(name: str = "person", *options: str) -> Person:
        path = tmp_path / name
        command = ["git", "init", "-q", "-b", "main", *options, str(path)]
        subprocess.run(command, check=True)
        return Person(path)

    return make


@pytest.fixture
def person(new_person: Callable[..., Person]) -> Person:
    """Return a person's checkout of a small repository with two folders."""
    made = new_person()
    made.commit(
        {
            "PRD.md": "- [ ] one [bot-eligible]\n",
            "src/app.py": "print(1)\n",
            "src/deep/er.py": "x = 1\n",
            "docs/prd/two.md": "two\n",
        }
    )
    return made


@pytest.fixture
def git_env(data_dir: Path) -> GitEnv:
    """Return the environments of git commands."""
    return GitEnv.make(data_dir, os.environ)


@pytest.fixture
def clone(person: Person, data_dir: Path, git_env: GitEnv) -> Clone:
    """Return the bot's clone of the person's repository."""
    return Clone.open(Source(str(person.path)), data_dir / "r", git_env)


@pytest.fixture
def base(clone: Clone) -> str:
    """Return the base as the clone has it."""
    return clone.fetch_base().sha


@pytest.fixture
def tree(clone: Clone, base: str, data_dir: Path) -> Tree:
    """Return the cycle's working tree, at the base."""
    made = Tree.open(clone, data_dir / "r/trees/cycle", None)
    made.move_to(base)
    return made
