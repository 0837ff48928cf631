"""The outbox, the repository lock and the pull request's file."""

import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from bot.errors import DataFolderUnusable
from bot.store.jsonfile import UnreadableError
from bot.store.locks import LOCK_NAME, holder, repository_lock
from bot.store.outbox import Outbox
from bot.store.pullfile import PullFile, pull_path, read_pull, walk_pulls, write_pull

HOLDS = """
import sys, time
from pathlib import Path
from bot.store.locks import repository_lock
with repository_lock(Path(sys.argv[1]), "cycle-of-the-child") as held:
    print(held, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def ids(make_record):
    return [make_record(number).cycle_id for number in range(6)]


def test_bodies_wait_oldest_first_until_done(data_dir, ids):
    """A body is kept as it is; done removes it and may be repeated."""
    outbox = Outbox(data_dir / "outbox")
    assert outbox.pending() == ()
    assert outbox.put(ids[1], b"later") == 0
    assert outbox.put(ids[0], b"early") == 0
    (data_dir / "outbox" / "stray.json").write_text("")
    assert [path.read_bytes() for path in outbox.pending()] == [b"early", b"later"]
    first = outbox.pending()[0]
    outbox.done(first)
    outbox.done(first)
    assert [ids[1]] == [path.stem for path in Outbox(data_dir / "outbox").pending()]


def test_the_oldest_are_dropped_over_the_count(data_dir, ids):
    """A dead observer can't fill the disk with files."""
    outbox = Outbox(data_dir / "outbox", max_files=3)
    assert [outbox.put(i, b"x") for i in ids[:5]] == [0, 0, 0, 1, 1]
    assert ids[2:5] == [path.stem for path in outbox.pending()]


def test_the_oldest_are_dropped_over_the_size(data_dir, ids):
    """A dead observer can't fill the disk with bytes; the newest is always kept."""
    outbox = Outbox(data_dir / "outbox", max_bytes=100)
    assert [outbox.put(i, b"x" * 50) for i in ids[:2]] + [
        outbox.put(ids[2], b"x" * 90)
    ] == [0, 0, 2]
    assert outbox.put(ids[3], b"x" * 500) == 1
    assert [ids[3]] == [path.stem for path in outbox.pending()]


def test_an_old_cycles_body_is_not_dropped_by_its_own_put(data_dir, ids):
    """What was just put stays, though others are newer."""
    outbox = Outbox(data_dir / "outbox", max_files=1)
    outbox.put(ids[5], b"x")
    assert outbox.put(ids[0], b"x") == 1
    assert [ids[0]] == [path.stem for path in outbox.pending()]


def test_the_outbox_touches_its_own_files_only(data_dir):
    """An id or path that leads elsewhere is refused."""
    outbox = Outbox(data_dir / "outbox")
    with pytest.raises(ValueError, match="not a cycle id"):
        outbox.put("../x", b"")
    with pytest.raises(ValueError, match="is not in"):
        outbox.done(data_dir / "gitconfig")


def test_a_lock_is_held_by_one_and_never_waits(data_dir):
    """The second is told no at once; afterwards it is free and the file stays."""
    folder = data_dir / "lake"
    assert holder(folder) is None
    with repository_lock(folder, "cycle-1") as first:
        with repository_lock(folder, "cycle-2") as second:
            assert (first, second) == (True, False)
        assert f"{os.getpid()} cycle-1" == holder(folder)
    assert holder(folder) is None
    assert (folder / LOCK_NAME).exists()
    with repository_lock(folder) as again:
        assert again
        assert str(os.getpid()) == holder(folder)


def test_locks_of_two_repositories_are_apart(data_dir):
    """A long cycle of one repository keeps no other waiting."""
    with (
        repository_lock(data_dir / "lake") as one,
        repository_lock(data_dir / "mill") as other,
    ):
        assert one
        assert other


def test_another_process_holds_the_lock_until_it_is_killed(data_dir):
    """A holder's death frees the lock; what it left in the file is only a note."""
    folder = data_dir / "lake"
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert child.stdout.readline() == b"True\n"
        inode = (folder / LOCK_NAME).stat().st_ino
        with repository_lock(folder, "mine") as held:
            assert not held
        assert f"{child.pid} cycle-of-the-child" == holder(folder)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdin.close()
        child.stdout.close()
    assert f"{child.pid} cycle-of-the-child" == holder(folder)
    with repository_lock(folder, "mine") as held:
        assert held
        assert f"{os.getpid()} mine" == holder(folder)
    assert inode == (folder / LOCK_NAME).stat().st_ino


def test_an_error_in_the_block_frees_the_lock(data_dir):
    """The lock never outlives its block."""
    with pytest.raises(RuntimeError, match="bug"), repository_lock(data_dir):
        raise RuntimeError("bug")
    with repository_lock(data_dir) as held:
        assert held


def test_a_lock_that_cant_be_made_is_told(data_dir):
    """A folder in the lock's place is an unusable data folder."""
    (data_dir / LOCK_NAME).mkdir()
    with (
        pytest.raises(DataFolderUnusable, match="lock"),
        repository_lock(data_dir),
    ):
        pytest.fail("it was held")


def test_a_pull_request_reads_back_as_it_was(data_dir, make_pull):
    """The file holds all fields, in the shape that the index reads too."""
    folder = data_dir / "lake" / "pulls"
    assert list(walk_pulls(folder)) == []
    for number in (10, 9):
        write_pull(folder, make_pull(number))
    (folder / "10.md").write_text("body")
    (folder / "010.json").write_text("{}")
    paths = list(walk_pulls(folder))
    assert [pull_path(folder, 9), pull_path(folder, 10)] == paths
    assert make_pull(10) == read_pull(paths[1])
    assert PullFile.of(make_pull(9)).pull() == make_pull(9)


def test_a_pull_file_under_another_number_is_unreadable(data_dir, make_pull):
    """A copied file can't stand for a second pull request."""
    path = write_pull(data_dir, make_pull(3))
    path.rename(data_dir / "4.json")
    with pytest.raises(UnreadableError, match="says that it is number 3"):
        read_pull(data_dir / "4.json")


def test_a_pull_needs_a_positive_number(make_pull):
    """Numbers start at one."""
    with pytest.raises(ValueError, match="greater than 0"):
        PullFile.of(replace(make_pull(), number=0))
