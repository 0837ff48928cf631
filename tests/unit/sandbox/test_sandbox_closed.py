"""Folders that a job closed to everybody, its own user included."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.sandbox.job import Bind
from bot.sandbox.mountpoints import fits, open_up, remove_empty


def test_a_closed_tree_is_opened_and_an_open_one_left_alone(tmp_path: Path) -> None:
    """Only what the owner lacks is added."""
    for before, after in ((0o000, 0o700), (0o055, 0o755), (0o750, 0o750)):
        tmp_path.chmod(before)
        open_up(tmp_path)
        assert after == tmp_path.stat().st_mode & 0o777


def run_as(uid: int, work: Callable[[], object]) -> None:
    """Do the work without root's rights on files."""
    os.seteuid(uid)
    try:
        work()
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to become another user")
def test_nothing_is_laid_on_what_is_closed(tmp_path: Path) -> None:
    """A bind in a folder that may not be entered is left out, and nothing breaks."""
    for path in (tmp_path, *tmp_path.parents):
        path.chmod(path.stat().st_mode | 0o011)
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed").chmod(0)
    os.chown(tmp_path / "closed", 64321, 64321)
    bind = Bind(Path("/usr"), "/repo/closed/inner/deep")
    found: list[bool] = []
    run_as(64321, lambda: found.append(fits(tmp_path, bind)))
    run_as(64321, lambda: remove_empty(tmp_path, [tmp_path / "closed/inner/deep"]))
    assert [False] == found
