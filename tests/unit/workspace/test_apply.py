"""Tests of applying a plan to a real working tree, and of reading its base."""

import errno
import os
import resource
import shutil
import signal
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from ground import Ground, PlainTree
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.domain.change import Action, Change, FileEdit, Plan
from bot.errors import ApplyFailed, DataFolderUnusable, Deferred, GitFailed
from bot.workspace.apply import apply
from bot.workspace.plan import BaseEntry, Planned, Rules, plan_edits
from bot.workspace.snapshot import Snapshot
from bot.workspace.write import TreeWriter

BASE = {
    "README.md": b"one\ntwo\n",
    "run.sh": ("100755", b"#!/bin/sh\n"),
    "src/a.py": b"a\n",
    "deep/er/only.txt": b"x\n",
    "link": ("120000", b"src"),
    "bad": ("120000", b"/nowhere"),
    ".gitignore": b"*.log\nbuild/\n",
    "vendor/lib": ("160000", b"1" * 40),
    "w*ld [x].txt": b"w\n",
    "w1ld x.txt": b"no\n",
}
LOOSE = Rules(max_files=99, max_lines=9999, allow_binary=True, allow_symlinks=True)


@dataclass
class Place:
    """A repository, its base and a tree at it."""

    ground: Ground
    base: str
    tree: PlainTree

    def plan(self, *edits, rules=LOOSE):
        planned = plan_edits(edits, Snapshot(self.tree.git, self.base), rules)
        assert isinstance(planned, Planned), planned
        return planned

    def apply(self, *edits):
        return self.ground.files(apply(self.plan(*edits), self.tree))

    def is_at_base(self):
        status = self.tree.git.run("status", "--porcelain", "-z", "--ignored")
        head = self.tree.git.text("rev-parse", "HEAD")
        return (status, head) == (b"", self.base)


def start(folder, files=None):
    ground = Ground(folder)
    base = ground.commit(BASE if files is None else files)
    return Place(ground, base, ground.tree(base))


@pytest.fixture
def place(tmp_path):
    return start(tmp_path)


def expected(**changes):
    files = {
        path: given if isinstance(given, tuple) else ("100644", given)
        for path, given in BASE.items()
    }
    files["vendor/lib"] = ("160000", b"")
    return files


def test_gives_exactly_the_contents_asked(place):
    """Adds, updates, deletes, modes and links come out as planned, and nothing else."""
    made = place.apply(
        FileEdit("README.md", b"one\r\ntwo"),
        FileEdit("new/dir/x.py", b"print()\n", executable=True),
        FileEdit("src/a.py", b"a\n", executable=True),
        FileEdit("deep/er/only.txt", None),
        FileEdit("link", b"new", kind="symlink"),
        FileEdit("bad", None),
        FileEdit("w*ld [x].txt", b"W\n"),
        FileEdit("\u65e5\u672c.txt", b"\xff\0"),
        FileEdit("-rf", b"-\n"),
        FileEdit(":(top)x", b":\n"),
        FileEdit(" #", b"\n"),
    )
    wanted = expected()
    del wanted["deep/er/only.txt"], wanted["bad"]
    wanted |= {
        "README.md": ("100644", b"one\r\ntwo"),
        "new/dir/x.py": ("100755", b"print()\n"),
        "src/a.py": ("100755", b"a\n"),
        "link": ("120000", b"new"),
        "w*ld [x].txt": ("100644", b"W\n"),
        "\u65e5\u672c.txt": ("100644", b"\xff\0"),
        "-rf": ("100644", b"-\n"),
        ":(top)x": ("100644", b":\n"),
        " #": ("100644", b"\n"),
    }
    assert wanted == made
    assert not (place.tree.path / "deep").exists()
    assert (place.tree.path / "new/dir/x.py").stat().st_mode & 0o777 == 0o755
    assert (place.tree.path / "README.md").read_bytes() == b"one\r\ntwo"


def test_ignored_files_are_staged_too(place):
    """What was proposed is committed whatever `.gitignore` says; other files are not."""
    (place.tree.path / "stray.txt").write_bytes(b"left by someone\n")
    made = place.apply(FileEdit("a.log", b"1\n"), FileEdit("build/x/y.c", b"2\n"))
    added = made.keys() - expected().keys()
    assert added == {"a.log", "build/x/y.c"}


def test_files_and_folders_change_places(place):
    """A file makes room for a folder of its name and the other way round."""
    made = place.apply(
        FileEdit("README.md", None),
        FileEdit("README.md/x", b"x\n"),
        FileEdit("src", b"now a file\n"),
        FileEdit("src/a.py", None),
        FileEdit("link", None),
        FileEdit("link/y", b"y\n"),
        FileEdit("DEEP/er", b"z\n"),
        FileEdit("deep/er/only.txt", None),
    )
    assert made["README.md/x"] == ("100644", b"x\n")
    assert made["src"] == ("100644", b"now a file\n")
    assert made["link/y"] == ("100644", b"y\n")
    assert made["DEEP/er"] == ("100644", b"z\n")
    assert not {"README.md", "src/a.py", "link", "deep/er/only.txt"} & made.keys()


def test_nothing_to_change_gives_the_tree_of_the_base(place):
    """A plan of no-ops writes nothing."""
    plan = place.plan(FileEdit("README.md", b"one\ntwo\n"))
    assert plan.is_noop
    base_tree = place.ground.git.text("rev-parse", f"{place.base}^{{tree}}")
    assert base_tree == apply(plan, place.tree)


def test_a_plain_plan_has_no_links(place):
    """A plan that carries no list of symlinks is of files only."""
    change = Change("n", Action.ADD, b"src", lines_added=1)
    made = apply(Plan(place.base, (change,), 1), place.tree)
    assert place.ground.files(made)["n"] == ("100644", b"src")


def test_never_writes_through_a_symlink(place, tmp_path):
    """A symlink that appears in the tree after planning is not followed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_bytes(b"precious\n")
    plan = place.plan(FileEdit("src/a.py", b"changed\n"))
    shutil.rmtree(place.tree.path / "src")
    (place.tree.path / "src").symlink_to(outside)
    with pytest.raises(ApplyFailed):
        apply(plan, place.tree)
    assert (outside / "a.py").read_bytes() == b"precious\n"
    assert place.is_at_base()


def test_a_symlink_in_the_place_of_a_file_is_replaced_not_followed(place, tmp_path):
    """The file itself is made anew, whatever stood there in between."""
    outside = tmp_path / "precious"
    outside.write_bytes(b"precious\n")
    (place.tree.path / "README.md").unlink()
    (place.tree.path / "README.md").symlink_to(outside)
    made = place.apply(FileEdit("README.md", b"new\n"))
    assert outside.read_bytes() == b"precious\n"
    assert made["README.md"] == ("100644", b"new\n")


def test_another_name_of_the_old_file_keeps_its_content(place, tmp_path):
    """A hard link out of the tree is not written through either."""
    os.link(place.tree.path / "README.md", tmp_path / "twin")
    place.apply(FileEdit("README.md", b"new\n"))
    assert (tmp_path / "twin").read_bytes() == b"one\ntwo\n"


def test_a_failed_write_leaves_nothing_behind(place):
    """What was written before the failure is gone, and the tree is at its base."""
    plan = place.plan(
        FileEdit("README.md", None), FileEdit("n1", b"1\n"), FileEdit("n2/x", b"2\n")
    )
    (place.tree.path / "n2").write_bytes(b"in the way")
    with pytest.raises(ApplyFailed, match=r"could not be applied: .*: 'n2/x'"):
        apply(plan, place.tree)
    assert place.is_at_base()


def test_deleting_what_is_not_there_fails(place):
    """A tree that is not at its base is noticed."""
    plan = place.plan(FileEdit("README.md", None))
    (place.tree.path / "README.md").unlink()
    with pytest.raises(ApplyFailed):
        apply(plan, place.tree)
    assert place.is_at_base()


def test_a_tree_at_another_commit_is_noticed(place):
    """A difference that nobody planned fails and is named."""
    other = place.ground.commit({**BASE, "extra.txt": b"x\n"}, (place.base,))
    plan = place.plan(FileEdit("n", b"n\n"))
    place.tree.move_to(other)
    with pytest.raises(ApplyFailed, match=r"extra\.txt would change"):
        apply(plan, place.tree)
    assert place.is_at_base()


@pytest.fixture
def small_files():
    """Bound the size of files this process can write, as a full disk would."""
    kept = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, kept[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, kept)
    signal.signal(signal.SIGXFSZ, old)


def test_a_file_cut_off_in_mid_write_is_no_file(place, small_files):
    """A write that fails half-way is undone."""
    plan = place.plan(
        FileEdit("a", b"1\n"), FileEdit("b", b"0" * (2 << 20)), rules=HUGE
    )
    with pytest.raises(ApplyFailed, match="File too large"):
        apply(plan, place.tree)
    assert place.is_at_base()


HUGE = Rules(max_bytes=1 << 30)


@contextmanager
def full_disk(folder):
    """Mount a file system of 256 KB on the folder."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    folder.mkdir(exist_ok=True)
    libc = __import__("ctypes").CDLL(None, use_errno=True)
    done = libc.mount(b"tmpfs", bytes(folder), b"tmpfs", 0, b"size=256k")
    if done != 0:
        pytest.skip("this machine mounts no tmpfs")
    try:
        yield
    finally:
        libc.umount2(bytes(folder), 2)


def test_a_full_disk_means_an_unusable_data_folder(place):
    """No room is not the proposal's fault; the tree is back at its base."""
    plan = place.plan(FileEdit("full/b", b"0" * (1 << 20)), rules=HUGE)
    with (
        full_disk(place.tree.path / "full"),
        pytest.raises(DataFolderUnusable, match="make room") as caught,
    ):
        apply(plan, place.tree)
    assert isinstance(caught.value.__cause__, OSError)
    assert caught.value.__cause__.errno == errno.ENOSPC


def test_a_lock_of_another_program_defers(place):
    """Git's lock is nobody's fault: nothing is staged and the tree is as before."""
    plan = place.plan(FileEdit("n", b"n\n"))
    git_dir = place.tree.git.text("rev-parse", "--absolute-git-dir")
    lock = os.path.join(git_dir, "index.lock")  # noqa: PTH118 - git's own text
    tree = Unlocking(place.tree, lock)
    with open(lock, "xb"), pytest.raises(Deferred):  # noqa: PTH123 - as above
        apply(plan, tree)
    assert place.is_at_base()


class Unlocking:
    """A tree whose foreign lock is gone by the time it is moved back."""

    def __init__(self, tree, lock):
        self.path, self.git, self.owner = tree.path, tree.git, tree.owner
        self._tree, self._lock = tree, lock

    def move_to(self, sha):
        os.unlink(self._lock)  # noqa: PTH108 - git's own text
        self._tree.move_to(sha)


def test_a_tree_that_cannot_be_moved_back_says_so(place):
    """When moving back fails too, that error stands and the first is its cause."""
    plan = place.plan(FileEdit("README.md", None))
    (place.tree.path / "README.md").unlink()
    gone = Plan("f" * 40, plan.changes, plan.patch_bytes)
    with pytest.raises(GitFailed) as caught:
        apply(gone, place.tree)
    assert isinstance(caught.value.__cause__, ApplyFailed)


def test_no_room_stays_the_ending_when_moving_back_fails_too(place):
    """A full disk is told as a full disk."""
    plan = place.plan(FileEdit("full/b", b"0" * (1 << 20)), rules=HUGE)
    with (
        full_disk(place.tree.path / "full"),
        pytest.raises(DataFolderUnusable),
    ):
        apply(Plan("f" * 40, plan.changes, 1), place.tree)


@pytest.mark.parametrize(
    "attributes", [b"*.bin filter=lfs diff=lfs merge=lfs -text\n", b"*.bin filter\n"]
)
def test_files_of_a_filter_program_are_refused(tmp_path, attributes):
    """What belongs into LFS or is to be encrypted is never stored as it is."""
    place = start(tmp_path, {".gitattributes": attributes, "a.txt": b"a\n"})
    with pytest.raises(ApplyFailed, match=r"new\.bin has the attribute filter="):
        place.apply(FileEdit("new.bin", b"secret\n"))
    assert place.is_at_base()
    assert "ok.txt" in place.apply(FileEdit("ok.txt", b"x\n"))


def test_line_ends_follow_the_attributes(tmp_path):
    """A tree with CRLF by attribute is compared and written as it lies there."""
    files = {".gitattributes": b"*.txt text eol=crlf\n", "a.txt": b"1\n2\n"}
    place = start(tmp_path, files)
    snapshot = Snapshot(place.tree.git, place.base)
    assert snapshot.entry("a.txt") == BaseEntry("100644", b"1\r\n2\r\n")
    made = place.apply(FileEdit("a.txt", b"1\r\n3\r\n"), FileEdit("b.txt", b"x\r\n"))
    assert made["a.txt"] == ("100644", b"1\n3\n")
    assert made["b.txt"] == ("100644", b"x\n")


def test_a_change_that_attributes_take_away_fails(tmp_path):
    """A difference in line ends alone that git does not store is named."""
    files = {".gitattributes": b"*.txt text\n", "a.txt": b"1\n2\n"}
    place = start(tmp_path, files)
    with pytest.raises(ApplyFailed, match=r"no change of a\.txt"):
        place.apply(FileEdit("a.txt", b"1\r\n2\r\n"))
    assert place.is_at_base()


def test_a_mode_that_git_does_not_take_fails(place):
    """A tree that stores no x bits is noticed instead of losing the bit."""
    place.tree.git.run("config", "core.fileMode", "false")
    with pytest.raises(ApplyFailed, match="100644 where 100755 was planned"):
        place.apply(FileEdit("n.sh", b"#!/bin/sh\n", executable=True))


@dataclass
class Ids:
    uid: int
    gid: int


@pytest.mark.skipif(os.geteuid() != 0, reason="giving files away needs root")
def test_what_is_written_belongs_to_the_owner(place):
    """Files, new folders and links get the tree's owner."""
    place.tree.owner = Ids(12345, 23456)
    place.apply(
        FileEdit("new/dir/x", b"x\n"),
        FileEdit("README.md", b"r\n"),
        FileEdit("l", b"src", kind="symlink"),
    )
    for name in ("new", "new/dir", "new/dir/x", "README.md", "l"):
        found = (place.tree.path / name).lstat()
        assert (found.st_uid, found.st_gid) == (12345, 23456)
    assert (place.tree.path / "src").lstat().st_uid == 0


def test_the_writer_needs_a_folder_that_is_no_link(tmp_path):
    """A root that is a symlink is not written into."""
    (tmp_path / "real").mkdir()
    (tmp_path / "root").symlink_to("real")
    with pytest.raises(OSError, match="root"):
        TreeWriter(tmp_path / "root", None)


def test_a_snapshot_reads_what_git_has(place):
    """Modes, contents and paths are those of the commit; a folder is no entry."""
    snapshot = Snapshot(place.tree.git, place.base)
    assert snapshot.paths() == expected().keys()
    assert snapshot.entry("run.sh") == BaseEntry("100755", b"#!/bin/sh\n")
    assert snapshot.entry("link") == BaseEntry("120000", b"src")
    assert snapshot.entry("vendor/lib") == BaseEntry("160000", b"")
    assert snapshot.entry("w*ld [x].txt") == BaseEntry("100644", b"w\n")
    assert snapshot.entry("src") is None
    assert snapshot.entry("none") is None


_NAMES = st.sampled_from(["a", "b", "c", "\u00e9"])
_PATHS = st.lists(_NAMES, min_size=1, max_size=3).map("/".join)
_CONTENTS = st.sampled_from([b"", b"x", b"x\n", b"1\r\n2\n", b"\xff\xfe\n"])


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.dictionaries(_PATHS, _CONTENTS, max_size=5), st.data())
def test_plan_and_apply_give_exactly_the_contents_asked(tmp_path_factory, wanted, data):
    """For any edits that are planned, the tree is the base with just those edits."""
    base = {"a": b"a\n", "b/a": b"x", "b/b": b"", "c/c/c": b"1\r\n2\n"}
    place = start(tmp_path_factory.mktemp("p"), base)
    edits = [FileEdit(path, content) for path, content in wanted.items()]
    gone = data.draw(st.sets(st.sampled_from(sorted(base)))) - wanted.keys()
    edits += [FileEdit(path, None) for path in gone]
    planned = plan_edits(edits, Snapshot(place.tree.git, place.base), LOOSE)
    if not isinstance(planned, Planned):
        return
    made = place.ground.files(apply(planned, place.tree))
    left = {path: content for path, content in base.items() if path not in gone}
    assert {p: c for p, (_, c) in made.items()} == left | wanted
