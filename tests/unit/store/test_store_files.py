"""Whole-file writes under kills, full disks and folders that can't be written."""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from bot.errors import DataFolderUnusable
from bot.store.files import (
    FREE_BYTES_NEEDED,
    _is_alive,
    make_folder,
    probe,
    remove,
    sweep,
    usable,
    write_atomic,
)

# Kills itself before the n-th call into C of a write, for every n, and looks each time.
KILLED_AT_EACH_STEP = """
import os, signal, sys
from pathlib import Path
from bot.domain.record import CycleRecord
from bot.store.files import write_atomic
from bot.store.journal import Journal, JournalEntry
from bot.store.records import Records

folder, old_file, new_file, kind = sys.argv[1:]
old, new = Path(old_file).read_bytes(), Path(new_file).read_bytes()
if kind == "file":
    path = Path(folder) / "deep" / "er" / "file.json"
    write = lambda data: write_atomic(path, data)
elif kind == "record":
    first = CycleRecord.model_validate_json(old)
    path = Records(Path(folder)).path_of(first.repo, first.cycle_id)
    write = lambda data: Records(Path(folder)).write(
        CycleRecord.model_validate_json(data)
    )
else:
    first = JournalEntry.model_validate_json(old)
    path = Path(folder) / f"{first.cycle_id}.json"
    write = lambda data: Journal(Path(folder)).update(
        JournalEntry.model_validate_json(data)
    )

steps, seen = 0, set()
while True:
    write(old)
    pid = os.fork()
    if pid == 0:
        left = steps
        def step(frame, event, arg):
            global left
            if event == "c_call":
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                left -= 1
        sys.setprofile(step)
        write(new)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    content = path.read_bytes()
    assert content in (old, new), content
    assert [p.name for p in path.parent.glob("*.json")] == [path.name]
    seen.add(content)
    if status == 0:
        break
    assert os.WTERMSIG(status) == signal.SIGKILL
    steps += 1
assert seen == {old, new}
print(steps)
"""

WRITES_FOREVER = """
import sys
from pathlib import Path
from bot.store.files import write_atomic
print("ready", flush=True)
while True:
    for letter in b"ab":
        write_atomic(Path(sys.argv[1]), bytes([letter]) * 300_000)
"""


AS_ANOTHER_USER = """
import os, sys
from pathlib import Path
from bot.errors import DataFolderUnusable
from bot.store.files import probe, write_atomic
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
folder = Path(sys.argv[1])
for use in (lambda: probe(folder), lambda: write_atomic(folder / "x", b"")):
    try:
        use()
    except DataFolderUnusable as error:
        assert "let this user write there" in str(error), error
    else:
        raise SystemExit("it was written")
"""


def run(script: str, *args: str, **options) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script, *args],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **options,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_file_holds_the_new_bytes_with_the_wanted_mode(tmp_path):
    """A write makes missing folders, sets the mode and leaves nothing beside it."""
    path = tmp_path / "a" / "b" / "c.json"
    write_atomic(path, b"one")
    write_atomic(path, b"two", mode=0o600)
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [path] == list(path.parent.iterdir())


def test_the_mode_does_not_depend_on_the_umask(tmp_path):
    """A strict umask doesn't narrow what was asked for."""
    before = os.umask(0o077)
    try:
        write_atomic(tmp_path / "x", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("kind", ["file", "record", "journal"])
def test_a_kill_before_each_step_leaves_the_old_or_the_new(kind, tmp_path, texts):
    """Killed before any call of a write, the file is whole, old or new."""
    old, new = texts(kind)
    (tmp_path / "old").write_bytes(old)
    (tmp_path / "new").write_bytes(new)
    steps = run(
        KILLED_AT_EACH_STEP,
        str(tmp_path / "data"),
        str(tmp_path / "old"),
        str(tmp_path / "new"),
        kind,
    )
    assert int(steps) > 10


def test_a_kill_at_a_random_moment_leaves_a_whole_file(tmp_path):
    """A writer killed by SIGKILL while it writes never leaves a torn file."""
    path = tmp_path / "file"
    choose = random.Random(7)
    for _ in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITES_FOREVER, str(path)], stdout=subprocess.PIPE
        )
        assert writer.stdout.readline() == b"ready\n"
        time.sleep(0.005 + choose.random() * 0.03)
        writer.kill()
        writer.wait()
        writer.stdout.close()
        if path.exists():
            assert path.read_bytes() in (b"a" * 300_000, b"b" * 300_000)


def test_the_next_writer_sweeps_what_a_dead_one_left(tmp_path):
    """Temporary files of a dead writer and very old ones go; a living one's stay."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    ages = {
        f".{gone.pid}-aa.tmp": 120,  # dead
        f".{gone.pid}-bb.tmp": 1,  # dead, but perhaps of another container
        f".{os.getpid()}-cc.tmp": 120,  # alive
        f".{os.getpid()}-dd.tmp": 4000,  # alive, but of an earlier life
        ".1-ee.tmp": 120,  # alive, whoever may signal it
        ".word-ff.tmp": 120,  # no pid at all
        "mine.tmp": 9999,  # not ours
    }
    for name, age in ages.items():
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    write_atomic(tmp_path / "x", b"")
    left = {p.name for p in tmp_path.iterdir()}
    kept = {f".{gone.pid}-bb.tmp", f".{os.getpid()}-cc.tmp", ".1-ee.tmp", "mine.tmp"}
    assert kept | {"x"} == left


def test_a_writer_of_another_user_is_alive():
    """A process that may not be signalled exists all the same."""
    was_root = os.getuid() == 0
    if was_root:
        os.setresuid(65534, 65534, 0)
    try:
        assert _is_alive("1")
    finally:
        if was_root:
            os.setresuid(0, 0, 0)


def test_sweeping_a_missing_folder_is_harmless(tmp_path):
    """A folder that is not there needs no sweeping."""
    sweep(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_removed_file_is_gone_and_removing_again_is_harmless(tmp_path):
    """Removal is repeatable, even when the folder is gone."""
    path = tmp_path / "a" / "x"
    write_atomic(path, b"")
    remove(path)
    remove(path)
    assert not path.exists()
    path.parent.rmdir()
    remove(path)


def test_a_file_where_a_folder_is_needed_is_told(tmp_path):
    """A file in the way is an unusable data folder that names the file."""
    (tmp_path / "data").write_text("x")
    with pytest.raises(DataFolderUnusable, match="a file stands where") as caught:
        write_atomic(tmp_path / "data" / "x", b"")
    assert str(tmp_path / "data") in str(caught.value)
    with pytest.raises(DataFolderUnusable, match="a file stands where"):
        make_folder(tmp_path / "data")
    with pytest.raises(DataFolderUnusable, match="a file stands where"):
        probe(tmp_path / "data")


def test_a_folder_where_the_file_should_be_is_told_and_no_temp_is_left(tmp_path):
    """A failed replacement removes its temporary file."""
    (tmp_path / "x").mkdir()
    with pytest.raises(DataFolderUnusable, match="a folder stands where"):
        write_atomic(tmp_path / "x", b"")
    assert [tmp_path / "x"] == list(tmp_path.iterdir())


def test_other_errors_pass_through(tmp_path):
    """An error that says nothing about the folder keeps its type."""
    with pytest.raises(OSError, match="File name too long"):
        write_atomic(tmp_path / ("x" * 300), b"")
    with pytest.raises(OSError, match="no number"), usable(tmp_path):
        raise OSError("no number")


def test_a_usable_folder_passes_the_probe_and_keeps_no_trace(tmp_path):
    """The probe creates the folder and leaves it empty."""
    probe(tmp_path / "new" / "data")
    assert list((tmp_path / "new" / "data").iterdir()) == []


def test_a_limit_on_file_size_leaves_the_old_file(tmp_path):
    """A write that the system cuts off is told, and the old file stands."""
    run(
        """
import resource, sys
from pathlib import Path
from bot.errors import DataFolderUnusable
from bot.store.files import write_atomic
path = Path(sys.argv[1]) / "x"
write_atomic(path, b"old")
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
try:
    write_atomic(path, bytes(5000))
except DataFolderUnusable as error:
    assert "limit on file size" in str(error), error
else:
    raise SystemExit("it was written")
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
assert b"old" == path.read_bytes()
assert [path] == list(path.parent.iterdir())
""",
        str(tmp_path),
    )


def test_a_folder_of_another_user_is_told():
    """Where this user may not write, both the probe and the write say so."""
    with tempfile.TemporaryDirectory() as closed:  # where another user may look
        Path(closed).chmod(0o555)
        run(AS_ANOTHER_USER, closed)


MOUNTED = """
import subprocess, sys
from pathlib import Path
from bot.errors import DataFolderUnusable
from bot.store.files import probe, write_atomic
folder = Path(sys.argv[1])
write_atomic(folder / "x", b"old")
def refused(use, words):
    try:
        use()
    except DataFolderUnusable as error:
        assert words in str(error), error
    else:
        raise SystemExit("it was written")
refused(lambda: probe(folder), "16384 KB are needed")
refused(lambda: write_atomic(folder / "x", bytes(10_000_000)), "free some space")
subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
refused(lambda: write_atomic(folder / "x", b""), "mounted read-only")
assert b"old" == (folder / "x").read_bytes()
assert [folder / "x"] == list(folder.iterdir())
"""


_TRY = 'mount -t tmpfs none "$1" && mount -o remount,ro "$1"'


def test_a_full_and_a_read_only_file_system_are_told(tmp_path):
    """A real small file system: too little room, no room, then read-only."""
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    if (
        shutil.which("unshare") is None
        or subprocess.run(
            [*unshare, "sh", "-c", _TRY, "sh", tmp_path],
            capture_output=True,
            check=False,
        ).returncode
    ):
        pytest.skip("no user namespace to mount a small file system in")
    mount = 'mount -t tmpfs -o size=256k none "$1" && exec "$2" -c "$3" "$1"'
    done = subprocess.run(
        [*unshare, "sh", "-c", mount, "sh", tmp_path, sys.executable, MOUNTED],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert FREE_BYTES_NEEDED == 16 * 1024 * 1024


def test_the_killed_child_really_was_killed(tmp_path):
    """The harness of these tests kills: a profile hook can end a process."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import os, sys\nsys.setprofile(lambda *_: os.kill(os.getpid(), 9))\nlen('')",
        ],
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
