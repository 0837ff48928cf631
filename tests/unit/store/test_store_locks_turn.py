"""A lock for short work: whoever comes second waits, but not for ever."""

from pathlib import Path

import pytest

from bot.errors import DataFolderUnusable, Deferred
from bot.store.locks import turn


def test_who_waits_in_vain_is_told(tmp_path: Path) -> None:
    """A lock held for longer than the time-out is nobody's fault."""
    path = tmp_path / "folder" / "lock"
    with turn(path, 0), pytest.raises(Deferred, match="held by another"), turn(path, 0):
        pass
    with turn(path, 0):
        assert path.exists()


def test_a_lock_that_cant_be_made_is_told(tmp_path: Path) -> None:
    """A folder in its place is an unusable data folder."""
    (tmp_path / "lock").mkdir()
    with pytest.raises(DataFolderUnusable), turn(tmp_path / "lock", 0):
        pass
