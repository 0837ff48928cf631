"""The private clone: every kind of source, and a base that is followed."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from gitground import IS_ROOT, Person, Source

from bot.errors import DataFolderUnusable, Deferred, GitFailed, Misconfigured
from bot.workspace.clone import BaseState, BlobFile, Clone
from bot.workspace.git import GitEnv
from bot.workspace.paths import matches


@pytest.fixture
def open_clone(data_dir: Path, git_env: GitEnv) -> Callable[..., Clone]:
    """Return a function that opens the clone of a path."""

    def make(path: object, **settings: object) -> Clone:
        return Clone.open(Source(str(path), **settings), data_dir / "r", git_env)

    return make


def _bare(person: Person) -> str:
    person.git("clone", "-q", "--bare", ".", "../bare.git")
    return str(person.path.parent / "bare.git")


def _shallow(person: Person) -> str:
    person.commit({"more": "1\n"})
    person.git("clone", "-q", "--depth=1", f"file://{person.path}", "../shallow")
    return str(person.path.parent / "shallow")


def _worktree(person: Person) -> str:
    person.git("worktree", "add", "-q", "--detach", "../linked")
    return str(person.path.parent / "linked")


def _borrowing(person: Person) -> str:
    person.git("clone", "-q", "--shared", ".", "../borrowing")
    return str(person.path.parent / "borrowing")


def _detached(person: Person) -> str:
    person.git("checkout", "-q", "--detach")
    return str(person.path)


def _url(person: Person) -> str:
    return f"file://{person.path}"


def _packed_and_linked(person: Person) -> str:
    moved = person.path.parent / "objects"
    (person.path / ".git/objects").rename(moved)
    (person.path / ".git/objects").symlink_to(moved)
    return str(person.path)


@pytest.mark.parametrize(
    "source",
    [
        _bare,
        _shallow,
        _worktree,
        _borrowing,
        _detached,
        _url,
        _packed_and_linked,
        lambda person: person.path,
    ],
    ids=[
        "bare",
        "shallow",
        "worktree",
        "alternates",
        "detached",
        "url",
        "links",
        "plain",
    ],
)
def test_every_kind_of_source_is_cloned_and_followed(
    source: Callable[[Person], str], person: Person, open_clone
) -> None:
    """A clone is made of each kind of repository, and a later commit arrives."""
    path = source(person)
    clone = open_clone(path)
    first = person.tip("main")
    assert clone.fetch_base() == BaseState(first, moved=False, branch="main")
    there = Person(
        Path(path.removeprefix("file://")) if isinstance(path, str) else path
    )
    new = person.git("commit-tree", "-p", first, "-m", "new", f"{first}^{{tree}}")
    if there.path != person.path:
        there.git("fetch", "-q", "--update-shallow", str(person.path), new) if _allow(
            person
        ) else None
    there.git("update-ref", "refs/heads/main", new)
    assert clone.fetch_base() == BaseState(new, moved=True, branch="main")
    assert clone.read(new, "PRD.md") == b"- [ ] one [bot-eligible]\n"


def _allow(person: Person) -> bool:
    person.git("config", "uploadpack.allowAnySHA1InWant", "true")
    return True


def test_only_the_bots_refs_are_in_the_clone(clone: Clone, person: Person) -> None:
    """Neither branches nor tags nor the URL of the person are kept."""
    refs = clone.git.text("for-each-ref", "--format=%(refname)").split()
    assert refs == ["refs/bot/base"]
    assert str(person.path) not in (clone.path / "config").read_text()
    assert not (clone.path / "hooks").exists()


def test_borrowed_objects_are_copied(person: Person, open_clone) -> None:
    """The clone does not depend on a repository that its source borrows from."""
    clone = open_clone(_borrowing(person))
    shutil.rmtree(person.path)
    assert clone.git.code("fsck", "--connectivity-only") == 0


def test_repository_without_commit_is_misconfigured(new_person, open_clone) -> None:
    """An empty repository is told as that."""
    with pytest.raises(Misconfigured, match="no commit on any branch"):
        open_clone(new_person().path)


def test_missing_base_names_the_branches(person: Person, open_clone) -> None:
    """A base that isn't there is told with the branches that are."""
    for number in range(12):
        person.git("branch", f"b{number:02}")
    with pytest.raises(Misconfigured, match=r"no branch 'trunk'.*b00, b01.*, …"):
        open_clone(person.path, base="trunk")


@pytest.mark.parametrize("path", ["/nowhere/at/all", "file:///nowhere", "-x", "--bare"])
def test_missing_repository_is_misconfigured(path: str, open_clone) -> None:
    """A path with no repository, even one that looks like an option, is told."""
    with pytest.raises(Misconfigured):
        open_clone(path)


def test_base_must_be_given_for_a_path(person: Person, open_clone) -> None:
    """What a person happens to work on is not taken for the base."""
    with pytest.raises(Misconfigured, match="no `base`"):
        open_clone(person.path, base=None)


def test_base_of_a_url_is_its_default_branch(person: Person, open_clone) -> None:
    """A URL's HEAD names the base where none is configured."""
    clone = open_clone(_url(person), base=None, is_url=True)
    assert clone.base_name() == "main"


def test_url_without_a_default_branch_is_told(person: Person, open_clone) -> None:
    """A URL whose HEAD is detached gives no base."""
    person.git("checkout", "-q", "--detach")
    with pytest.raises(Misconfigured, match="no `base`"):
        open_clone(_url(person), base=None, is_url=True)


def test_base_that_is_no_branch_name_is_refused(person: Person, open_clone) -> None:
    """A base that reads as an option never reaches git."""
    with pytest.raises(Misconfigured, match="name of a branch"):
        open_clone(person.path, base="--upload-pack=x")


def test_branch_named_like_a_file_and_a_tag(person: Person, open_clone) -> None:
    """A base that is also called as a file and as a tag is still the branch."""
    first = person.tip()
    person.git("branch", "PRD.md")
    person.commit({"x": "1"})
    person.git("tag", "PRD.md")
    clone = open_clone(person.path, base="PRD.md")
    assert clone.fetch_base().sha == first


def test_interrupted_clone_is_made_again(person: Person, open_clone, data_dir) -> None:
    """The rest of a clone that was killed half-way is no clone."""
    draft = data_dir / "r/clone.git.new"
    draft.mkdir(parents=True)
    (draft / "HEAD").write_text("ref: refs/heads/main\n")
    (data_dir / "r/clone.git/objects").mkdir(parents=True)
    assert open_clone(person.path).base() == person.tip()
    assert not draft.exists()


def test_clone_is_whole_or_not_there(data_dir: Path, person: Person) -> None:
    """A process killed at any moment of cloning leaves nothing that passes for a clone."""
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[4])\n"
        "from pathlib import Path; from gitground import Source\n"
        "from bot.workspace.clone import Clone; from bot.workspace.git import GitEnv\n"
        "env = GitEnv.make(Path(sys.argv[2]), os.environ); print('go', flush=True)\n"
        "Clone.open(Source(sys.argv[1]), Path(sys.argv[3]), env)\n"
    )
    here = str(Path(__file__).parent)
    for delay in (0.002, 0.006, 0.012, 0.018):
        folder = data_dir / f"r{delay}"
        child = subprocess.Popen(
            [sys.executable, "-c", code, person.path, data_dir, folder, here],
            stdout=subprocess.PIPE,
        )
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(delay)
        child.kill()
        child.communicate()
        clone = Clone.open(
            Source(str(person.path)), folder, GitEnv.make(data_dir, os.environ)
        )
        assert clone.fetch_base().sha == person.tip()


def test_url_that_changed_is_followed(
    clone: Clone, person: Person, open_clone, tmp_path: Path
) -> None:
    """A repository that moved is followed without a new clone."""
    made = clone.path.stat().st_ino
    moved = person.path.rename(tmp_path / "moved")
    new = Person(moved).commit({"n": "1"})
    again = open_clone(moved)
    assert (again.fetch_base().sha, again.path.stat().st_ino) == (new, made)


def test_unchanged_base_costs_one_process(clone: Clone, tmp_path: Path) -> None:
    """A cold look at a base that has not moved is one git process."""
    trace = tmp_path / "trace"
    clone.git._variables["GIT_TRACE2_EVENT"] = str(trace)
    clone.fetch_base()
    started = [
        line for line in trace.read_text().splitlines() if '"event":"start"' in line
    ]
    ours = [line for line in started if "upload-pack" not in line]
    assert len(ours) == 1


def test_force_pushed_base_is_followed(clone: Clone, person: Person) -> None:
    """A base whose history was rewritten is taken as it is."""
    person.git("commit", "-q", "--amend", "-m", "other")
    assert clone.fetch_base() == BaseState(person.tip(), moved=True, branch="main")


def test_base_that_is_gone_is_misconfigured(clone: Clone, person: Person) -> None:
    """A base that was deleted is told; the last one stays known."""
    old = person.tip()
    person.git("branch", "-m", "main", "trunk")
    with pytest.raises(Misconfigured, match="set `base` to one of: trunk"):
        clone.fetch_base()
    assert clone.base() == old


def test_packed_base_is_read(clone: Clone, person: Person) -> None:
    """The last base is known after maintenance packed the refs."""
    clone.maintain()
    assert not (clone.path / "refs/bot/base").exists()
    assert clone.base() == person.tip()
    clone.drop("refs/bot/base")
    assert clone.base() is None


class _Unkind(BaseHTTPRequestHandler):
    status = 500

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def unkind() -> Iterator[HTTPServer]:
    """Return an HTTP server that refuses with `_Unkind.status`."""
    server = HTTPServer(("127.0.0.1", 0), _Unkind)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("status", "kind"),
    [(500, Deferred), (503, Deferred), (429, Deferred), (404, Misconfigured),
     (403, Misconfigured), (401, Misconfigured)],
)  # fmt: skip
def test_answers_of_a_server_are_told_apart(
    status: int, kind: type[Exception], unkind: HTTPServer, open_clone, monkeypatch
) -> None:
    """A broken server is waited for, one that refuses needs a person."""
    monkeypatch.setattr(_Unkind, "status", status)
    port = unkind.server_address[1]
    with pytest.raises(kind) as caught:
        open_clone(f"http://me:hunter22@127.0.0.1:{port}/r", is_url=True)
    assert "hunter22" not in str(caught.value)


def test_closed_port_is_deferred(unkind: HTTPServer, open_clone) -> None:
    """A refused connection is nobody's fault."""
    with pytest.raises(Deferred, match="could not be reached"):
        open_clone("http://127.0.0.1:1/r", is_url=True)


def test_helper_transports_are_refused(open_clone, tmp_path: Path) -> None:
    """A URL that would run a command does not."""
    with pytest.raises(Misconfigured):
        open_clone(f"ext::sh -c touch% {tmp_path}/ran", is_url=True)
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(not IS_ROOT, reason="only root can give files to another user")
@pytest.mark.parametrize("url", [False, True])
def test_repository_of_another_user_is_cloned(
    url: bool, person: Person, open_clone
) -> None:
    """Somebody else's checkout is no dubious ownership, through the transport too."""
    sha = person.tip()
    for folder, _, files in os.walk(person.path):
        for name in (".", *files):
            os.lchown(Path(folder) / name, 64321, 64321)
    clone = open_clone(f"file://{person.path}" if url else person.path)
    assert clone.fetch_base().sha == sha


def test_stale_lock_of_ours_is_removed(clone: Clone, person: Person) -> None:
    """A lock that a killed git left in the clone stops nothing, and is told."""
    (clone.path / "refs/bot/base.lock").touch()
    os.utime(clone.path / "refs/bot/base.lock", (1, 1))
    new = person.commit({"n": "1"})
    assert clone.fetch_base().sha == new
    assert clone.removed_locks == ("refs/bot/base.lock",)


def test_lock_of_a_living_git_is_respected(clone: Clone, person: Person) -> None:
    """While a git process is at work in the clone its locks stay."""
    lock = clone.path / "refs/bot/base.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    person.commit({"n": "1"})
    alive = subprocess.Popen(
        ["sleep", "30"], env={"GIT_DIR": str(clone.path), "PATH": "/bin"}
    )
    try:
        with pytest.raises(Deferred, match="lock"):
            clone.fetch_base()
    finally:
        alive.kill()
        alive.wait()
    assert lock.exists()


def test_lock_from_the_future_is_left(clone: Clone) -> None:
    """A lock that is not older than now is not called stale."""
    lock = clone.path / "packed-refs.lock"
    lock.touch()
    os.utime(lock, (time.time() + 60,) * 2)
    assert clone.clear_stale_locks() == ()


def test_lock_that_vanishes_is_no_trouble(clone: Clone) -> None:
    """A lock that is gone before it is looked at is not removed."""
    (clone.path / "gone.lock").symlink_to("nowhere")
    assert clone.clear_stale_locks() == ()


def test_base_that_is_a_symbolic_ref_is_followed(clone: Clone, base: str) -> None:
    """A ref file that holds no commit is left to git."""
    clone.keep("refs/bot/other", base)
    clone.git.run("symbolic-ref", "refs/bot/base", "refs/bot/other")
    assert clone.base() == base


def test_lock_in_the_persons_repository_stays(clone: Clone, person: Person) -> None:
    """A lock of the person's is somebody's, whatever its age."""
    lock = person.path / ".git/index.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    person.git(
        "update-ref",
        "refs/heads/main",
        person.git("commit-tree", "-p", "HEAD", "-m", "n", "HEAD^{tree}"),
    )
    clone.fetch_base()
    clone.clear_stale_locks()
    assert lock.exists()


def test_folder_that_can_not_be_made_is_told(
    person: Person, data_dir, open_clone
) -> None:
    """A data folder in the way is told as that."""
    (data_dir / "r").write_text("")
    with pytest.raises(DataFolderUnusable):
        open_clone(person.path)


ODD = ["ünï/cödé.md", 'q"uo\'te.md', "new\nline.md", "-rf", " lead.md", "a*b?.md", ":(top)x.md",
       "tab\t.md", "back\\slash.md"]  # fmt: skip


def test_odd_names_are_listed_and_read(person: Person, clone: Clone) -> None:
    """Names with new lines, quotes, dashes and magic are taken literally."""
    sha = person.commit({name: f"in {name}" for name in ODD})
    clone.fetch_base()
    found = {file.path for file in clone.files(sha, ["*.md", "-rf"])}
    assert set(ODD) <= found
    for name in ODD:
        assert clone.read(sha, name) == f"in {name}".encode()


def test_files_by_path_and_by_glob(clone: Clone, base: str, person: Person) -> None:
    """Globs find files in path order, a folder covers what is beneath it."""
    blob = person.git("rev-parse", "HEAD:docs/prd/two.md")
    assert clone.files(base, ["docs/prd/two.md"]) == (
        BlobFile("docs/prd/two.md", blob),
    )
    assert clone.files(base, ["docs/prd"]) == (BlobFile("docs/prd/two.md", blob),)
    assert [f.path for f in clone.files(base, ["**/*.md"])] == [
        "PRD.md",
        "docs/prd/two.md",
    ]
    assert clone.files(base, ["none/at.all"]) == ()


GLOBS = ["*.MD", "prd.md", "docs/PRD/", "docs/**", "*", "[Pp]*", "p?d.md", "ünï*", "*ünï.md",
         "/PRD.md", "/src/*.py", "app.py.", "deep", "**/prd/*", "*.m[d]", "a\\*b"]  # fmt: skip


@pytest.mark.parametrize("glob", GLOBS)
def test_files_are_those_that_the_glob_matches(
    glob: str, person: Person, clone: Clone
) -> None:
    """The quick ways to a file lead to the same files as asking for each path."""
    person.commit({"docs/ÜNÏ.md": "1", "src/prd.md ": "1", "x.md/y": "1", "a*b": "1"})
    sha = clone.fetch_base().sha
    paths = clone.git.text("ls-tree", "-r", "--name-only", sha).splitlines()
    expected = sorted(path for path in paths if matches([glob], path))
    assert expected == [file.path for file in clone.files(sha, [glob])]


def test_symlinks_folders_and_submodules_are_no_files(
    person: Person, clone: Clone
) -> None:
    """What is no regular file is neither listed nor read."""
    (person.path / "link.md").symlink_to("PRD.md")
    cache = f"160000,{person.tip()},sub.md"
    person.git("add", "-A")
    person.git("update-index", "--add", "--cacheinfo", cache)
    person.git("commit", "-q", "-m", "links")
    sha = clone.fetch_base().sha
    assert [f.path for f in clone.files(sha, ["*.md"])] == ["PRD.md", "docs/prd/two.md"]
    assert [clone.read(sha, p) for p in ("link.md", "sub.md", "docs", "none")] == [
        None
    ] * 4


def test_history_is_read(clone: Clone, base: str, person: Person) -> None:
    """Commits come newest first, with both people and the whole message."""
    person.commit({"a": "1"}, "one\n\nBot-Cycle: x")
    new = person.commit({"a": "2"}, "two")
    clone.fetch_base()
    commits = list(clone.commits_between(base, new))
    assert [c.body for c in commits] == ["two\n", "one\n\nBot-Cycle: x\n"]
    assert {(c.author_email, c.committer_email) for c in commits} == {
        ("person@example.org", "person@example.org")
    }
    assert list(clone.commits_between(new, base)) == []
    assert clone.log(f"{base}..{new}", "%s") == "two\none"
    assert clone.is_ancestor(base, new)
    assert not clone.is_ancestor(new, base)
    with pytest.raises(GitFailed):
        clone.is_ancestor("0" * 39 + "1", new)


def test_patch_id_is_of_the_change_alone(
    clone: Clone, base: str, person: Person
) -> None:
    """The same change on another base has the same id, no change has none."""
    person.git("checkout", "-q", "-b", "side")
    one = person.commit({"src/app.py": "print(2)\n"})
    person.git("checkout", "-q", "main")
    person.commit({"other": "1"})
    person.git("cherry-pick", one)
    two = clone.fetch_base().sha
    clone.git.run("fetch", "--", str(person.path), "side")
    assert clone.patch_id(one) == clone.patch_id(two) != ""
    empty = person.commit({})
    clone.fetch_base()
    assert clone.patch_id(empty) == ""


def test_patch_applies_elsewhere(clone: Clone, person: Person, new_person) -> None:
    """The patch of a commit carries binary files and is one that `git am` takes."""
    clone.fetch_base()
    sha = person.commit({"b.bin": b"\0\1\2", "PRD.md": None}, "binary")
    clone.fetch_base()
    patch = clone.format_patch(sha)
    assert patch == clone.format_patch(sha)
    person.git("reset", "-q", "--hard", "HEAD~1")
    person.git("am", "-q", data=patch)
    assert (person.path / "b.bin").read_bytes() == b"\0\1\2"
    assert person.tip("HEAD^{tree}") == clone.tree_of(sha)


def test_kept_commits_are_known_as_ours(clone: Clone, base: str) -> None:
    """A commit kept under the bot's commits is ours until it is dropped."""
    ref = "refs/bot/commits/c1"
    assert not clone.is_ours(base)
    clone.keep(ref, base)
    assert clone.is_ours(base)
    assert clone.resolve(ref) == base
    clone.drop(ref)
    clone.drop(ref)
    assert not clone.is_ours(base)
    with pytest.raises(GitFailed):
        clone.resolve(ref)


def test_only_the_bots_refs_are_written(clone: Clone, base: str) -> None:
    """Refs outside the bot's own are neither made nor deleted."""
    with pytest.raises(ValueError, match="refs/bot/"):
        clone.keep("refs/heads/main", base)
    with pytest.raises(ValueError, match="refs/bot/"):
        clone.drop("refs/heads/main")
