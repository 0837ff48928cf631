"""A tree as hostile commands leave it: git neither runs, waits for nor swallows anything."""

import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from gitground import Person

from bot.domain.change import FileEdit
from bot.errors import ApplyFailed
from bot.workspace import changes, settle
from bot.workspace.clone import Clone
from bot.workspace.trees import Tree

STEADY = {
    **os.environ,
    "GIT_AUTHOR_NAME": "A Person",
    "GIT_AUTHOR_EMAIL": "person@example.org",
    "GIT_COMMITTER_NAME": "A Person",
    "GIT_COMMITTER_EMAIL": "person@example.org",
    "GIT_AUTHOR_DATE": "@1 +0000",
    "GIT_COMMITTER_DATE": "@1 +0000",
}


def trapped_repository(folder: Path, trap: Path) -> str:
    """Make a repository whose configuration runs a program; return its one commit."""
    folder.mkdir(exist_ok=True)

    def git(*args: str) -> str:
        command = ["git", "-C", str(folder), *args]
        done = subprocess.run(command, check=True, capture_output=True, env=STEADY)
        return done.stdout.decode().strip()

    git("init", "-q", ".")
    (folder / "file").write_text("x\n")
    (folder / ".gitattributes").write_text("* filter=trap\n")
    git("add", "-A")
    git("commit", "-q", "-m", "m")
    git("config", "filter.trap.clean", f"touch '{trap}'; cat")
    git("config", "core.fsmonitor", f"touch '{trap}'; false")
    (folder / "file").write_text("y\n")
    return git("rev-parse", "HEAD")


def with_submodule(person: Person, sha: str) -> None:
    """Commit a submodule that stands at this commit."""
    entry = f"160000,{sha},sub"
    person.git("update-index", "--add", "--cacheinfo", entry)
    (person.path / "sub").mkdir()
    person.git("commit", "-q", "-m", "sub")


def test_no_program_of_a_submodule_is_run(
    tree: Tree, clone: Clone, person: Person, tmp_path: Path
) -> None:
    """A repository planted in a submodule's folder runs nothing, and is told as one."""
    trap = tmp_path / "sprung"
    with_submodule(person, trapped_repository(tmp_path / "other", trap))
    base = clone.fetch_base().sha
    tree.move_to(base)
    trapped_repository(tree.path / "sub", trap)
    trap.unlink(missing_ok=True)
    found = tree.changes(base)
    assert (FileEdit("sub", b"", kind="submodule"),) == found
    assert not trap.exists()


def test_removed_submodule_is_told(
    tree: Tree, clone: Clone, person: Person, tmp_path: Path
) -> None:
    """A submodule that went away shows, so that policy can refuse it."""
    with_submodule(person, person.tip())
    base = clone.fetch_base().sha
    tree.move_to(base)
    (tree.path / "sub").rmdir()
    assert (FileEdit("sub", b"", kind="submodule"),) == tree.changes(base)


def test_ignored_repository_is_no_change(
    tree: Tree, clone: Clone, person: Person, tmp_path: Path
) -> None:
    """A repository in an ignored folder, as installers leave them, is not in the way."""
    base = person.commit({".gitignore": "build/\n"})
    clone.fetch_base()
    tree.move_to(base)
    (tree.path / "build").mkdir()
    trapped_repository(tree.path / "build/:odd", tmp_path / "sprung")
    assert tree.changes(base) == ()


@pytest.mark.parametrize(
    "place", [".gitignore", ".gitattributes", "src/.gitignore", "pipe", "n/.git/HEAD"]
)
def test_git_waits_for_no_pipe(tree: Tree, base: str, place: str) -> None:
    """A pipe in the place of a file that git reads does not hold it up."""
    (tree.path / place).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(tree.path / place)
    (tree.path / "new").write_text("x")
    assert "new" in [edit.path for edit in tree.changes(base)]


@pytest.mark.parametrize("place", ["HEAD", "commondir", "refs/heads/main"])
def test_no_endless_file_is_read(tree: Tree, base: str, place: str) -> None:
    """Links to endless files in a repository inside lead git nowhere."""
    trapped_repository(tree.path / "inner", tree.path.parent / "sprung")
    link = tree.path / "inner/.git" / place
    link.unlink(missing_ok=True)
    link.symlink_to("/dev/zero")
    assert "inner" in [edit.path for edit in tree.changes(base)]


def test_untracked_is_told_without_git(tree: Tree, base: str) -> None:
    """What a set-up left is listed whatever repositories and pipes are among it."""
    trapped_repository(tree.path / "inner", tree.path.parent / "sprung")
    (tree.path / "inner/.git/HEAD").unlink()
    os.mkfifo(tree.path / "inner/.git/HEAD")
    os.mkfifo(tree.path / "src/pipe")
    assert ("inner/", "src/pipe") == tree.untracked()


def test_flood_is_refused_before_it_is_stored(
    tree: Tree, clone: Clone, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A huge file, though it takes no room on disk, is neither read nor stored."""
    before = clone.git.text("count-objects")
    with (tree.path / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ApplyFailed, match="over 256 MB"):
        tree.changes(base)
    (tree.path / "sparse").unlink()
    monkeypatch.setattr(changes, "MOST_PATHS", 2)
    for name in "abc":
        (tree.path / name).write_text(name)
    with pytest.raises(ApplyFailed, match="3 files changed"):
        tree.changes(base)
    assert before == clone.git.text("count-objects")


def test_huge_rules_are_refused(
    tree: Tree, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules that git would read whole into memory are refused by their size."""
    monkeypatch.setattr(settle, "MOST_RULES", 100)
    (tree.path / "src/.gitattributes").write_text("# " + "x" * 100)
    with pytest.raises(ApplyFailed, match=r"src/\.gitattributes has 102 bytes"):
        tree.changes(base)


def test_encoding_that_does_not_exist_is_no_matter(tree: Tree, base: str) -> None:
    """Attributes that git can't follow don't keep a proposal from being read."""
    (tree.path / ".gitattributes").write_text("*.py working-tree-encoding=bogus\n")
    (tree.path / "src/app.py").write_text("print(2)\n")
    assert [".gitattributes", "src/app.py"] == [
        edit.path for edit in tree.changes(base)
    ]


def test_too_deep_is_told(tree: Tree, base: str) -> None:
    """Folders nested deeper than a path is long end in an error that says so."""
    inner = os.open(tree.path, os.O_RDONLY)
    for _ in range(30):
        os.mkdir("x" * 200, dir_fd=inner)
        outer, inner = inner, os.open("x" * 200, os.O_RDONLY, dir_fd=inner)
        os.close(outer)
    os.close(inner)
    with pytest.raises(ApplyFailed, match="can't be looked through"):
        tree.changes(base)


def test_closed_folders_are_opened(tree: Tree, base: str) -> None:
    """A folder that nobody may enter hides nothing and is no deletion."""
    (tree.path / "src/new").write_text("x")
    (tree.path / "src").chmod(0)
    tree.path.chmod(0)
    assert ["src/new"] == [edit.path for edit in tree.changes(base)]


def default_acl(folder: Path) -> None:
    """Let files made in the folder be for nobody to execute."""
    entries = [(0x01, 6), (0x04, 0), (0x20, 0)]  # user, group, others
    packed = b"".join(
        struct.pack("<HHI", tag, bits, 0xFFFFFFFF) for tag, bits in entries
    )
    try:
        os.setxattr(folder, "system.posix_acl_default", struct.pack("<I", 2) + packed)
        os.setxattr(folder, "user.note", b"x")
    except OSError as error:
        pytest.skip(f"no access control lists here: {error}")


def test_no_rule_for_later_files_stays_behind(
    tree: Tree, clone: Clone, person: Person
) -> None:
    """Access control lists and special modes of folders don't outlive a move."""
    (person.path / "tool.sh").write_text("#!/bin/sh\n")
    (person.path / "tool.sh").chmod(0o755)
    (person.path / "src/tool.sh").write_text("#!/bin/sh\n")
    (person.path / "src/tool.sh").chmod(0o755)
    base = person.commit({})
    clone.fetch_base()
    tree.move_to(base)
    for folder in (tree.path, tree.path / "src"):
        default_acl(folder)
        folder.chmod(0o3777)
        (folder / "tool.sh").unlink()
    tree.move_to(base)
    for folder in (tree.path, tree.path / "src"):
        assert (folder / "tool.sh").stat().st_mode & 0o777 == 0o755
        assert [] == os.listxattr(folder)
        assert folder.stat().st_mode & 0o7000 == 0


def test_folder_that_became_a_link_is_told(tree: Tree, base: str) -> None:
    """A symlink in the place of a tracked folder is one edit, and its files are gone."""
    shutil.rmtree(tree.path / "src")
    (tree.path / "src").symlink_to("/etc")
    (tree.path / "PRD.md").touch()
    assert tree.changes(base) == (
        FileEdit("src", b"/etc", kind="symlink"),
        FileEdit("src/app.py", None),
        FileEdit("src/deep/er.py", None),
    )
