"""A real sandbox and a tree to run in; what can't run here is skipped with its reason."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.errors import SandboxUnavailable
from bot.sandbox.bwrap import open_sandbox
from bot.sandbox.job import Finished, Job, Sandbox
from bot.sandbox.owner import Owner, sandbox_owner
from bot.settings.model import SandboxSettings

Run = Callable[..., Finished]


def give(path: Path, owner: Owner | None) -> None:
    """Let the sandbox's user have a folder."""
    if owner:
        os.chown(path, owner.uid, owner.gid)


@pytest.fixture
def owner() -> Owner | None:
    """Return who runs the jobs."""
    return sandbox_owner()


@pytest.fixture
def tree(tmp_path: Path, owner: Owner | None) -> Path:
    """Return an empty working tree."""
    folder = tmp_path / "tree"
    folder.mkdir()
    give(folder, owner)
    return folder


@pytest.fixture
def settings() -> SandboxSettings:
    """Return the limits of the tests' jobs."""
    return SandboxSettings(memory="256MB", processes=64, disk="8MB")


@pytest.fixture
def sandbox(settings: SandboxSettings) -> Sandbox:
    """Return bubblewrap, where it works."""
    try:
        return open_sandbox(settings)
    except SandboxUnavailable as error:
        pytest.skip(f"no sandbox here: {error}")


@pytest.fixture
def run(sandbox: Sandbox, tree: Path) -> Run:
    """Return a function that runs a command in the sandbox."""

    def runner(command: str, **job: Any) -> Finished:
        job = {"tree": tree, "timeout_s": 30.0, **job}
        return sandbox.run(Job(command=command, **job))

    return runner
