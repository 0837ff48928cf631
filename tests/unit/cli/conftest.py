"""The command line, run in this process on a real repository."""

from pathlib import Path

import pytest
from command_world import World


@pytest.fixture
def world(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> World:
    """Return a repository with a config; the working directory has neither."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return World(tmp_path, lambda: tuple(capsys.readouterr()))
