"""What people are told, of real repositories and folders."""

from pathlib import Path

import pytest
from command_world import World
from doctor_ground import Doctor


@pytest.fixture
def world(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> World:
    """Return a repository with a config; the working directory has neither."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return World(tmp_path, lambda: tuple(capsys.readouterr()))


@pytest.fixture
def doctor(world: World) -> Doctor:
    """Return what takes looks at the world."""
    return Doctor(world)
