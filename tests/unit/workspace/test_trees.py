"""Working trees: after a move they hold exactly the commit, whatever was left there."""

import os
import random
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from gitground import IS_ROOT, Owner, Person, Source, listing

from bot.domain.change import FileEdit
from bot.errors import ApplyFailed, DataFolderUnusable, Deferred, GitFailed
from bot.workspace import changes
from bot.workspace.clone import Clone
from bot.workspace.git import GitEnv
from bot.workspace.scour import delete_tree
from bot.workspace.trees import Tree

OWNER = Owner(64321, 64322)
AT_BASE = {
    "PRD.md", "src/", "src/app.py", "src/deep/", "src/deep/er.py",
    "docs/", "docs/prd/", "docs/prd/two.md",
}  # fmt: skip
as_root = pytest.mark.skipif(not IS_ROOT, reason="only root can give files away")


def state(root: Path) -> dict[str, object]:
    """Return every path with its kind and content."""
    found: dict[str, object] = {}
    for name in listing(root):
        path = root / name
        if path.is_symlink():
            found[name] = ("link", str(path.readlink()))
        elif path.is_file():
            found[name] = (path.stat().st_mode & 0o111, path.read_bytes())
        else:
            found[name] = "folder" if path.is_dir() else "other"
    return found


def test_tree_is_made_detached(tree: Tree, clone: Clone, base: str) -> None:
    """A new tree holds the commit, detached, and git inside it works."""
    assert listing(tree.path) == AT_BASE
    plain = subprocess.run(
        ["git", "-C", str(tree.path), "-c", "safe.directory=*", "rev-parse", "HEAD"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert plain.stdout.strip() == base
    assert tree.git.code("symbolic-ref", "-q", "HEAD") == 1


def test_tree_follows_commits_both_ways(tree: Tree, clone: Clone, person, base) -> None:
    """Moving on and back again gives exactly each commit."""
    before = state(tree.path)
    new = person.commit({"src/app.py": None, "src/new/x": "1", "PRD.md": "p\n"})
    clone.fetch_base()
    tree.move_to(new)
    assert listing(tree.path) == (AT_BASE - {"src/app.py"}) | {"src/new/", "src/new/x"}
    tree.move_to(base)
    assert before == state(tree.path)


def _ignored(root: Path) -> None:
    (root / ".gitignore").write_text("*.pyc\n")
    (root / "src/app.pyc").write_text("x")
    (root / "build").mkdir()
    (root / "build/out.pyc").write_text("x")


def _nested_repository(root: Path) -> None:
    subprocess.run(["git", "init", "-q", str(root / "nested")], check=True)
    (root / "nested/file").write_text("x")


def _repository_in_tracked_folder(root: Path) -> None:
    subprocess.run(["git", "init", "-q", str(root / "src")], check=True)


def _pipes(root: Path) -> None:
    os.mkfifo(root / "pipe")
    os.mkfifo(root / "src/conftest.py")
    (root / "PRD.md").unlink()
    os.mkfifo(root / "PRD.md")


def _links_out(root: Path) -> None:
    shutil.rmtree(root / "src")
    (root / "src").symlink_to(root.parent / "outside")
    (root / "dangling").symlink_to("/nowhere")
    (root / "docs/loop").symlink_to("..")
    (root / "PRD.md").unlink()
    (root / "PRD.md").symlink_to("/etc/passwd")


def _swapped(root: Path) -> None:
    (root / "PRD.md").unlink()
    (root / "PRD.md").mkdir()
    (root / "PRD.md/x").write_text("x")
    shutil.rmtree(root / "docs")
    (root / "docs").write_text("x")


def _closed(root: Path) -> None:
    for folder in (root / "src/deep", root / "src", root):
        folder.chmod(0)


def _locked(root: Path) -> None:
    (root / "dark/er").mkdir(parents=True)
    (root / "dark/er/x").write_text("x")
    for name in ("dark/er", "dark", "src/deep", "src", "docs/prd"):
        (root / name).chmod(0)
    (root / "PRD.md").chmod(0)


def _read_only(root: Path) -> None:
    (root / "src/junk").write_text("x")
    (root / "src/app.py").unlink()
    (root / "src").chmod(0o555)


def _deep(root: Path) -> None:
    here = os.open(root / "src", os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("deeper-and-deeper", dir_fd=here)
        inner = os.open("deeper-and-deeper", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("leaf", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


def _odd_names(root: Path) -> None:
    for name in ("-rf", "new\nline", 'q"uote', "ünï", ":(top)x", "*", "\udcff\udcfe"):
        (root / "src" / name).write_text("x")
        (root / f"d{name}").mkdir()


def _no_pointer(root: Path) -> None:
    (root / ".git").unlink()


def _pointer_elsewhere(root: Path) -> None:
    evil = root.parent / "evil"
    subprocess.run(["git", "init", "-q", str(evil)], check=True)
    mark = root.parent / "owned"
    with (evil / ".git/config").open("a") as config:
        config.write(f'[core]\n\tfsmonitor = "touch {mark}"\n')
    (root / ".git").write_text(f"gitdir: {evil}/.git\n")


def _pointer_is_folder(root: Path) -> None:
    (root / ".git").unlink()
    subprocess.run(["git", "init", "-q", str(root)], check=True)


def _pointer_is_link(root: Path) -> None:
    (root / ".git").unlink()
    (root / ".git").symlink_to("/etc/passwd")


def _hard_link(root: Path) -> None:
    (root / "PRD.md").unlink()
    (root.parent / "outside/file").hardlink_to(root / "src/app.py")


def _modes(root: Path) -> None:
    (root / "PRD.md").chmod(0o777)
    (root / "src/app.py").chmod(0o600)


def _gone(root: Path) -> None:
    shutil.rmtree(root)


def _a_link(root: Path) -> None:
    shutil.rmtree(root)
    root.symlink_to(root.parent / "outside")


def _a_file(root: Path) -> None:
    shutil.rmtree(root)
    root.write_text("x")


def _no_git_dir(root: Path) -> None:
    shutil.rmtree(root.parent.parent / "clone.git/worktrees/cycle")


def _broken_index(root: Path) -> None:
    (root.parent.parent / "clone.git/worktrees/cycle/index").write_bytes(b"junk")


HOSTILE = [
    _ignored, _nested_repository, _repository_in_tracked_folder, _pipes, _links_out, _swapped,
    _locked, _read_only, _deep, _odd_names, _no_pointer, _pointer_elsewhere,
    _pointer_is_folder, _pointer_is_link, _hard_link, _modes, _gone, _a_link, _a_file,
    _no_git_dir, _broken_index,
]  # fmt: skip


@pytest.mark.parametrize("mess", HOSTILE, ids=lambda mess: mess.__name__.strip("_"))
@pytest.mark.parametrize("owner", [None, pytest.param(OWNER, marks=as_root)])
def test_whatever_was_left_is_gone(
    mess: Callable[[Path], None],
    owner: Owner | None,
    tree: Tree,
    clone: Clone,
    base: str,
) -> None:
    """A move restores exactly the commit, and nothing outside the tree is touched."""
    tree = Tree.open(clone, tree.path, owner)
    tree.move_to(base)
    before = state(tree.path)
    outside = tree.path.parent / "outside"
    outside.mkdir()
    (outside / "deep").mkdir()
    (outside / "app.py").write_text("theirs")
    mess(tree.path)
    tree.move_to(base)
    assert before == state(tree.path)
    assert (outside / "app.py").read_text() == "theirs"
    assert (outside / "deep").is_dir()
    assert not (tree.path.parent / "owned").exists()
    assert (tree.path / ".git").read_text() == f"gitdir: {tree.git_dir}\n"
    assert {p.name for p in tree.path.parent.iterdir()} <= {"cycle", "outside", "evil"}
    assert tree.changes(base) == ()
    if owner:
        assert owners(tree.path) == {(owner.uid, owner.gid)}


def owners(root: Path) -> set[tuple[int, int]]:
    """Return who owns the tree and all in it but the `.git` file."""
    paths = [root, *(root / name for name in listing(root))]
    return {(p.lstat().st_uid, p.lstat().st_gid) for p in paths}


def test_no_step_of_a_move_waits_for_a_pipe(
    tree: Tree, clone: Clone, person: Person, base: str
) -> None:
    """Pipes in the place of files that git reads hold up no move to another commit."""
    sha = person.commit({"src/app.py": None, "src/new": "1", "PRD.md": "p\n"})
    clone.fetch_base()
    for folder in ("", "src", "src/deep", "docs"):
        for name in (".gitattributes", ".gitignore"):
            os.mkfifo(tree.path / folder / name)
    tree.move_to(sha)
    os.mkfifo(tree.path / ".gitattributes")
    assert (tree.path / "src/new").read_text() == "1"
    assert tree.untracked() == (".gitattributes",)
    assert tree.changes(sha) == ()


@pytest.fixture
def shared() -> Iterator[Path]:
    """Return a folder outside pytest's own, which is root's alone."""
    folder = Path(tempfile.mkdtemp())
    yield folder
    delete_tree(folder, folder.with_name(f"{folder.name}.trash"))


@contextmanager
def plain_user(uid: int) -> Iterator[None]:
    """Act on files as a user without any rights of root's."""
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.mark.skipif(not IS_ROOT, reason="needs to become another user")
@pytest.mark.parametrize(
    "mess", [_locked, _read_only, _deep, _swapped, _links_out, _closed]
)
def test_plain_user_can_clean_up_too(
    mess: Callable[[Path], None], person: Person, shared: Path, tree: Tree
) -> None:
    """Without root's rights, folders that were closed are opened and emptied."""
    # `tree` was asked for so that all modules are loaded: the plain user may see none.
    shutil.copytree(person.path, shared / "person")
    os.chown(shared, 64321, 64321)
    with plain_user(64321):
        env = GitEnv.make(shared, {**os.environ, "HOME": str(shared)})
        clone = Clone.open(Source(str(shared / "person")), shared / "r", env)
        tree = Tree.open(clone, shared / "r/trees/cycle", None)
        base = clone.fetch_base().sha
        tree.move_to(base)
        before = state(tree.path)
        (tree.path.parent / "outside").mkdir()
        mess(tree.path)
        tree.move_to(base)
        assert before == state(tree.path)


def test_change_with_old_size_and_time_is_found(tree: Tree, base: str) -> None:
    """A change that keeps size and modification time is undone: ctime tells."""
    file = tree.path / "src/app.py"
    old = file.stat()
    file.write_bytes(b"print(9)\n")
    os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))
    tree.move_to(base)
    assert file.read_bytes() == b"print(1)\n"


def test_staged_changes_are_undone(tree: Tree, base: str) -> None:
    """What was staged for a commit leaves with the next move."""
    (tree.path / "new/er").mkdir(parents=True)
    (tree.path / "new/er/x").write_text("x")
    (tree.path / "PRD.md").unlink()
    assert len(tree.changes(base)) == 2
    tree.move_to(base)
    assert listing(tree.path) == AT_BASE


def test_submodules_stay_empty(clone: Clone, person: Person, tree: Tree) -> None:
    """A submodule is an empty folder, whatever a command puts there."""
    sub = f"160000,{person.tip()},libs/sub"
    person.git("update-index", "--add", "--cacheinfo", sub)
    person.git("commit", "-q", "-m", "sub")
    sha = clone.fetch_base().sha
    tree.move_to(sha)
    (tree.path / "libs/sub/junk").write_text("x")
    tree.move_to(sha)
    assert list((tree.path / "libs/sub").iterdir()) == []
    assert tree.changes(sha) == ()


def test_large_file_pointers_stay_pointers(
    clone: Clone, person: Person, tree: Tree
) -> None:
    """A file of Git LFS lies in the tree as the text that git stores."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    person.commit({".gitattributes": "*.bin filter=lfs -text\n", "a.bin": pointer})
    sha = clone.fetch_base().sha
    tree.move_to(sha)
    assert (tree.path / "a.bin").read_text() == pointer
    assert tree.changes(sha) == ()


@as_root
def test_owner_is_given_what_git_wrote(
    clone: Clone, person: Person, base: str, data_dir: Path
) -> None:
    """After each move all belongs to the owner, new folders and links too."""
    tree = Tree.open(clone, data_dir / "r/trees/cycle", OWNER)
    tree.move_to(base)
    assert owners(tree.path) == {(OWNER.uid, OWNER.gid)}
    (person.path / "link").symlink_to("/etc/passwd")
    person.commit({"a/b/c/d": "1", "src/app.py": "2", "ünï\n": "3", "-rf": "4"})
    passwd = Path("/etc/passwd").stat().st_uid
    tree.move_to(clone.fetch_base().sha)
    assert owners(tree.path) == {(OWNER.uid, OWNER.gid)}
    assert Path("/etc/passwd").stat().st_uid == passwd
    assert (tree.path / ".git").stat().st_uid == 0


def gave_away_later(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the next files that are given away seem to be from some seconds ago."""
    give = os.chown

    def chown(path: bytes, *ids: int, follow_symlinks: bool) -> None:
        old = os.lstat(path).st_mtime_ns - 5 * 10**9
        os.utime(path, ns=(old, old), follow_symlinks=False)
        give(path, *ids, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(os, "chown", chown)


@as_root
def test_change_in_the_second_of_giving_is_found(
    clone: Clone, base: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where writing takes seconds, a change right after it can't pass for the old file.

    Git compares whole seconds: those of the two times of change would be as it knows them.
    """
    for attempt in range(5):
        tree = Tree.open(clone, data_dir / f"r/trees/{attempt}", OWNER)
        gave_away_later(tree, monkeypatch)
        tree.move_to(base)
        monkeypatch.undo()
        victim = tree.path / "src/app.py"
        before = victim.stat()
        victim.write_text("print(2)\n")
        os.utime(victim, ns=(before.st_atime_ns, before.st_mtime_ns))
        tree.move_to(base)
        assert victim.read_text() == "print(1)\n"


@as_root
def test_folders_that_went_are_no_matter(
    clone: Clone, person: Person, base: str, data_dir: Path
) -> None:
    """A commit without a folder leaves nothing to give in it."""
    tree = Tree.open(clone, data_dir / "r/trees/cycle", OWNER)
    tree.move_to(base)
    person.commit({"src/deep/er.py": None, "docs/prd/two.md": None})
    tree.move_to(clone.fetch_base().sha)
    assert listing(tree.path) == {"PRD.md", "src/", "src/app.py"}
    assert owners(tree.path) == {(tree.owner.uid, tree.owner.gid)}


@as_root
def test_only_what_changed_is_given(
    clone: Clone, person: Person, base: str, data_dir: Path
) -> None:
    """Files that git did not write again keep their ctime, so nothing walks the tree."""
    tree = Tree.open(clone, data_dir / "r/trees/cycle", OWNER)
    tree.move_to(base)
    before = {n: (tree.path / n).lstat().st_ctime_ns for n in listing(tree.path)}
    person.commit({"src/app.py": "2\n"})
    tree.move_to(clone.fetch_base().sha)
    after = {n: (tree.path / n).lstat().st_ctime_ns for n in listing(tree.path)}
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"src/app.py", "src/"}
    assert tree.git.run("diff-files", "--name-only") == b""


@as_root
def test_move_killed_before_giving_is_made_good(
    clone: Clone, base: str, data_dir: Path
) -> None:
    """Files that a killed move left as root's are the owner's after the next."""
    path = data_dir / "r/trees/cycle"
    Tree.open(clone, path, None).move_to(base)
    assert owners(path) == {(0, 0)}
    Tree.open(clone, path, OWNER).move_to(base)
    assert owners(path) == {(OWNER.uid, OWNER.gid)}
    Tree.open(clone, path, Owner(64330, 64330)).move_to(base)
    assert owners(path) == {(64330, 64330)}


def test_stale_lock_of_a_tree_is_removed(tree: Tree, clone: Clone, base: str) -> None:
    """An index lock that a killed git left stops nothing, and is told."""
    lock = tree.git_dir / "index.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    tree.move_to(base)
    assert clone.removed_locks == ("worktrees/cycle/index.lock",)


def test_lock_of_a_living_git_defers(tree: Tree, base: str) -> None:
    """A lock that a git process of the bot holds is waited for."""
    lock = tree.git_dir / "index.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    env = {"GIT_DIR": str(tree.git_dir), "PATH": "/bin"}
    alive = subprocess.Popen(["sleep", "30"], env=env)
    try:
        with pytest.raises(Deferred, match="lock"):
            tree.move_to(base)
    finally:
        alive.kill()
        alive.wait()


def test_commit_that_is_not_there_fails(tree: Tree, base: str) -> None:
    """A commit that the clone lacks is an error, and the tree comes back later."""
    with pytest.raises(GitFailed):
        tree.move_to("1" * 40)
    tree.move_to(base)
    assert listing(tree.path) == AT_BASE


def test_place_that_can_not_be_made_is_told(
    clone: Clone, base: str, data_dir: Path
) -> None:
    """A file where the folder of trees should be is a matter of the data folder."""
    (data_dir / "r/trees").write_text("")
    with pytest.raises(DataFolderUnusable):
        Tree.open(clone, data_dir / "r/trees/cycle", None).move_to(base)


def test_rest_of_an_interrupted_removal_is_deleted(tree: Tree, base: str) -> None:
    """What a killed removal left in the trash goes with the next move."""
    trash = tree.path.parent / ".cycle.trash"
    (trash / "old/x").mkdir(parents=True)
    (trash / "file").write_text("x")
    tree.move_to(base)
    assert not trash.exists()


def test_two_trees_do_not_mix(
    tree: Tree, clone: Clone, base: str, data_dir: Path
) -> None:
    """Each tree has its own index and HEAD."""
    other = Tree.open(clone, data_dir / "r/trees/recipe", None)
    other.move_to(base)
    (other.path / "x").write_text("x")
    assert [edit.path for edit in other.changes(base)] == ["x"]
    assert tree.changes(base) == ()


def test_changes_are_wanted_states(tree: Tree, person: Person, clone: Clone) -> None:
    """Additions, updates, deletions, modes and odd names come as they lie in the tree."""
    sha = person.commit(
        {
            "gone\n": "1",
            "run": "1\n",
            "crlf": "a\n",
            ".gitattributes": "crlf eol=crlf\n",
        }
    )
    clone.fetch_base()
    tree.move_to(sha)
    (tree.path / "gone\n").unlink()
    (tree.path / "run").chmod(0o755)
    (tree.path / "crlf").write_bytes(b"b\r\n")
    (tree.path / "-rf").write_bytes(b"\0\xff")
    (tree.path / "docs/ünï").write_bytes(b"u")
    assert tree.changes(sha) == (
        FileEdit("-rf", b"\0\xff", executable=False),
        FileEdit("crlf", b"b\r\n", executable=False),
        FileEdit("docs/ünï", b"u", executable=False),
        FileEdit("gone\n", None),
        FileEdit("run", b"1\n", executable=True),
    )


def test_renames_are_two_changes(tree: Tree, base: str) -> None:
    """A renamed file is a deletion and an addition."""
    (tree.path / "src/app.py").rename(tree.path / "src/main.py")
    found = {edit.path: edit.content for edit in tree.changes(base)}
    assert found == {"src/app.py": None, "src/main.py": b"print(1)\n"}


def test_links_and_submodules_are_told_by_kind(tree: Tree, base: str, person) -> None:
    """Symlinks and nested repositories show as such, so that policy can refuse them."""
    (tree.path / "link").symlink_to("../../etc/passwd")
    person.git("clone", "-q", ".", str(tree.path / "nested"))
    found = {edit.path: edit.kind for edit in tree.changes(base)}
    assert {"link": "symlink", "nested": "submodule", "nested/PRD.md": "file"} == {
        path: found[path] for path in ("link", "nested", "nested/PRD.md")
    }


def test_deleted_link_keeps_its_kind(tree: Tree, clone: Clone, person: Person) -> None:
    """The deletion of a symlink is told as that."""
    (person.path / "link").symlink_to("PRD.md")
    sha = person.commit({})
    clone.fetch_base()
    tree.move_to(sha)
    (tree.path / "link").unlink()
    assert tree.changes(sha) == (FileEdit("link", None, kind="symlink"),)


def test_ignored_files_are_no_change(tree: Tree, clone: Clone, person: Person) -> None:
    """What the repository ignores does not enter a proposal."""
    sha = person.commit({".gitignore": "*.pyc\n"})
    clone.fetch_base()
    tree.move_to(sha)
    (tree.path / "a.pyc").write_text("x")
    assert tree.changes(sha) == ()


def test_tampered_pointer_is_not_read_for_changes(tree: Tree, base: str) -> None:
    """A pointer to another repository does not lead git there."""
    (tree.path / "x").write_text("x")
    _pointer_elsewhere(tree.path)
    assert [edit.path for edit in tree.changes(base)] == ["x"]
    assert not (tree.path.parent / "owned").exists()


def test_what_is_untracked_is_listed(tree: Tree, clone: Clone, person: Person) -> None:
    """Ignored and odd files show, a folder of nothing else once."""
    tree.move_to(_with_ignores(clone, person))
    (tree.path / "venv/lib").mkdir(parents=True)
    (tree.path / "venv/lib/x").write_text("x")
    (tree.path / "src/a.pyc").write_text("x")
    (tree.path / "src/new\n").write_text("x")
    assert tree.untracked() == ("src/a.pyc", "src/new\n", "venv/")


def _with_ignores(clone: Clone, person: Person) -> str:
    person.commit({".gitignore": "*.pyc\n"})
    return clone.fetch_base().sha


def test_too_much_is_not_read(tree: Tree, base: str, monkeypatch) -> None:
    """A flood of changed bytes is refused before it is read into memory."""
    monkeypatch.setattr(changes, "MOST_BYTES", 100)
    (tree.path / "big").write_bytes(bytes(101))
    (tree.path / "src/app.py").unlink()
    with pytest.raises(ApplyFailed, match="over 0 MB"):
        tree.changes(base)


def test_random_messes_are_cleaned(tree: Tree, base: str) -> None:
    """Whatever a random sequence of file operations leaves, a move restores the commit."""
    before = state(tree.path)
    rng = random.Random(7)
    for _ in range(15):
        _random_mess(rng, tree.path)
        tree.move_to(base)
        assert before == state(tree.path)


def _random_mess(rng: random.Random, root: Path) -> None:
    for _ in range(12):
        path = root / rng.choice(sorted(listing(root)) or ["x"])
        target = path if rng.random() < 0.5 else path.parent / f"n{rng.randrange(9)}"
        if not target.parent.is_dir():
            continue
        if target.is_dir() and not target.is_symlink():
            # Also what a plain user may not enter; follows no symlink.
            delete_tree(target, root.with_name("gone"))
        target.unlink(missing_ok=True)
        rng.choice(MESSES)(target)


MESSES: tuple[Callable[[Path], object], ...] = (
    lambda path: None,
    lambda path: path.write_bytes(b"abc"),
    lambda path: path.symlink_to("/"),
    lambda path: path.symlink_to("x"),
    lambda path: (path / "in").mkdir(parents=True),
    lambda path: path.mkdir(mode=0o100),
    os.mkfifo,
)


def test_deleting_what_is_not_there_is_fine(tmp_path: Path) -> None:
    """Deleting nothing does nothing."""
    delete_tree(tmp_path / "none", tmp_path / "trash")
    assert list(tmp_path.iterdir()) == []


def test_deleting_never_follows_a_link(tmp_path: Path) -> None:
    """Deleting a link leaves what it points to."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/x").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    delete_tree(tmp_path / "link", tmp_path / "trash")
    assert (tmp_path / "kept/x").read_text() == "x"
    assert not (tmp_path / "link").is_symlink()
    assert stat.S_ISDIR((tmp_path / "kept").lstat().st_mode)


def test_index_is_written_again_a_while_after_many_files(
    tree: Tree, clone: Clone, person: Person
) -> None:
    """Until then git compares contents; what a job changed is found all the same."""
    many = person.commit({f"many/{n:03}.txt": f"{n:03}\n" for n in range(300)})
    clone.fetch_base()
    tree.move_to(many)
    hasty = tree.git_dir / "bot-hasty"
    os.utime(hasty, (1, 1))
    written = (tree.git_dir / "index").stat().st_mtime_ns
    changed = tree.path / "many" / "007.txt"
    before = changed.stat()
    changed.write_text("777\n")
    os.utime(changed, ns=(before.st_atime_ns, before.st_mtime_ns))

    tree.move_to(many)

    assert not hasty.exists()
    assert written < (tree.git_dir / "index").stat().st_mtime_ns
    assert "007\n" == changed.read_text()
