"""The look at a person's checkout sees dirt, and leaves no trace of having looked."""

import hashlib
import os
from pathlib import Path

import pytest
from gitground import IS_ROOT, Person

from bot.workspace.checkout import CheckoutState, base_is_checked_out, look
from bot.workspace.git import GitEnv


def fingerprint(root: Path) -> dict[str, tuple[int, int, str]]:
    """Return times, modes and contents of every path, `.git` included."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files, "."]:
            path = Path(folder) / name
            facts = path.lstat()
            data = (
                path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            )
            digest = hashlib.sha256(data).hexdigest()
            found[str(path)] = (facts.st_mtime_ns, facts.st_mode, digest)
    return found


def test_clean_checkout(person: Person, git_env: GitEnv) -> None:
    """A clean checkout has no dirt and says what is checked out."""
    assert look(person.path, git_env) == CheckoutState(
        is_checkout=True, head_branch="main"
    )


def test_look_changes_nothing(person: Person, git_env: GitEnv) -> None:
    """Not even the index is refreshed by a look, and no lock is taken."""
    (person.path / "src/app.py").write_text("changed\n")
    (person.path / "untracked").write_text("x")
    (person.path / "PRD.md").touch()
    (person.path / ".git/index.lock").touch()
    before = fingerprint(person.path)
    assert look(person.path, git_env).dirty == ("src/app.py", "untracked")
    base_is_checked_out(person.path, "main", git_env)
    assert before == fingerprint(person.path)


def test_every_kind_of_dirt_is_seen(person: Person, git_env: GitEnv) -> None:
    """Changed, staged, deleted, renamed, conflicting and untracked paths are dirt."""
    person.commit(
        {"old": "1\n2\n3\n", "staged": "1\n", "gone": "1\n", "odd \n'\"ü": "1\n"}
    )
    person.git("checkout", "-q", "-b", "side")
    person.commit({"PRD.md": "side\n"})
    person.git("checkout", "-q", "main")
    person.commit({"PRD.md": "main\n"})
    with pytest.raises(Exception, match="merge"):
        person.git("merge", "side")
    (person.path / "odd \n'\"ü").write_text("2\n")
    (person.path / "staged").write_text("2\n")
    person.git("add", "staged")
    person.git("mv", "old", "-k", "new name")
    (person.path / "gone").unlink()
    (person.path / "-rf").write_text("x")
    (person.path / "folder").mkdir()
    (person.path / "folder/x").write_text("x")
    assert set(look(person.path, git_env).dirty) == {
        "PRD.md", "odd \n'\"ü", "staged", "old", "new name", "gone", "-rf", "folder/",
    }  # fmt: skip


def test_ignored_files_and_empty_folders_are_no_dirt(person: Person, git_env) -> None:
    """What the person's own configuration ignores is not dirt."""
    (person.path / ".git/info/exclude").write_text("*.log\n")
    (person.path / "a.log").write_text("x")
    (person.path / "empty").mkdir()
    assert look(person.path, git_env).dirty == ()


def test_global_ignores_of_the_person_count(
    person: Person, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look sees the checkout as its owner does."""
    (tmp_path / ".gitconfig").write_text(
        f"[core]\n\texcludesFile = {tmp_path}/ignore\n"
    )
    (tmp_path / "ignore").write_text("*.swp\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    (person.path / "a.swp").write_text("x")
    assert look(person.path, GitEnv.make(data_dir, os.environ)).dirty == ()


def test_files_of_the_bot_are_no_dirt(person: Person, git_env: GitEnv) -> None:
    """The pause file, the config and the data folder are not dirt; their kind is."""
    for name in ("bot.paused", "config/bot.toml", "data/r/x", "data/bot.sqlite3"):
        file = person.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    ignore = [person.path / "config/bot.toml", person.path / "data"]
    assert look(person.path, git_env, ignore).dirty == ()
    (person.path / "config/other.toml").write_text("x")
    (person.path / "src/bot.paused").write_text("x")
    assert look(person.path, git_env, ignore).dirty == (
        "config/other.toml",
        "src/bot.paused",
    )


def test_tracked_config_in_use_is_no_dirt(person: Person, git_env: GitEnv) -> None:
    """A config that is committed and edited is not dirt, when it is the one in use."""
    person.commit({"config/bot.toml": "1\n", "config/b.toml": "1\n"})
    for name in ("config/bot.toml", "config/b.toml"):
        (person.path / name).write_text("2\n")
    state = look(person.path, git_env, [person.path / "config/bot.toml"])
    assert state.dirty == ("config/b.toml",)


def test_data_folder_below_an_untracked_one(person: Person, git_env: GitEnv) -> None:
    """Only strangers count in an untracked folder that holds the data folder."""
    data = person.path / "var/bot[1]/data"
    data.mkdir(parents=True)
    (data / "x").write_text("x")
    assert look(person.path, git_env, [data]).dirty == ()
    (person.path / "var/notes").write_text("x")
    assert look(person.path, git_env, [data]).dirty == ("var/notes",)


def test_look_through_a_link(person: Person, git_env: GitEnv, tmp_path: Path) -> None:
    """A checkout named through a symlink is the same checkout."""
    (tmp_path / "link").symlink_to(person.path)
    (person.path / "data").mkdir()
    (person.path / "data/x").write_text("x")
    assert look(tmp_path / "link", git_env, [person.path / "data"]).dirty == ()


def test_what_is_no_checkout(person: Person, git_env: GitEnv, tmp_path: Path) -> None:
    """A bare repository, a folder in a checkout, a file or nothing is no checkout."""
    person.git("clone", "-q", "--bare", ".", "../bare.git")
    (tmp_path / "plain").mkdir()
    (tmp_path / "file").write_text("x")
    for path in ("bare.git", "person/src", "person/.git", "plain", "file", "none"):
        assert not look(tmp_path / path, git_env).is_checkout, path


def test_detached_and_unborn_heads(person: Person, git_env: GitEnv, new_person) -> None:
    """A detached HEAD is no branch; an empty repository has one all the same."""
    person.git("checkout", "-q", "--detach")
    assert look(person.path, git_env).head_branch is None
    assert look(new_person("empty").path, git_env).head_branch == "main"


def test_origin_is_told(person: Person, git_env: GitEnv, tmp_path: Path) -> None:
    """The address and the default branch of `origin` are read."""
    person.git("clone", "-q", ".", "../mine")
    state = look(tmp_path / "mine", git_env)
    assert (state.origin_url, state.origin_default) == (f"{person.path}/.", "main")


def test_linked_worktree_is_a_checkout(
    person: Person, git_env: GitEnv, tmp_path
) -> None:
    """A linked worktree is looked at like any checkout."""
    person.git("worktree", "add", "-q", "-b", "side", "../linked")
    (tmp_path / "linked/new").write_text("x")
    state = look(tmp_path / "linked", git_env)
    assert (state.head_branch, state.dirty) == ("side", ("new",))


def test_file_monitor_and_hooks_do_not_run(
    person: Person, git_env: GitEnv, tmp_path: Path
) -> None:
    """A look starts no program that the checkout's configuration names for it."""
    mark = tmp_path / "ran"
    person.git("config", "core.fsmonitor", f"touch {mark}")
    person.hook("post-index-change", f"touch {mark}")
    look(person.path, git_env)
    assert not mark.exists()


@pytest.mark.skipif(not IS_ROOT, reason="only root can give files to another user")
def test_checkout_of_another_user(person: Person, git_env: GitEnv) -> None:
    """Somebody else's checkout can be looked at."""
    for folder, _, files in os.walk(person.path):
        for name in (".", *files):
            os.lchown(Path(folder) / name, 64321, 64321)
    (person.path / "new").write_text("x")
    assert look(person.path, git_env).dirty == ("new",)


def test_changes_in_a_submodule_are_the_submodules(
    person: Person, git_env, new_person
) -> None:
    """Nothing is run inside a submodule; only another commit of it is dirt."""
    other = new_person("other")
    other.commit({"x": "1"})
    allow = ("-c", "protocol.file.allow=always")
    person.git(*allow, "submodule", "--quiet", "add", str(other.path), "sub")
    person.git("commit", "-q", "-m", "sub")
    (person.path / "sub/x").write_text("2")
    assert look(person.path, git_env).dirty == ()
    Person(person.path / "sub").commit({"x": "3"})
    assert look(person.path, git_env).dirty == ("sub",)


def test_base_is_checked_out_in_any_worktree(
    person: Person, git_env: GitEnv, tmp_path: Path
) -> None:
    """Every working tree counts, and only for the very branch."""
    person.git("worktree", "add", "-q", "-b", "side", "../linked")
    for path in (person.path, tmp_path / "linked"):
        assert base_is_checked_out(path, "main", git_env)
        assert base_is_checked_out(path, "side", git_env)
        assert not base_is_checked_out(path, "mai", git_env)
    person.git("checkout", "-q", "--detach")
    assert not base_is_checked_out(person.path, "main", git_env)


def test_bare_repository_has_nothing_checked_out(
    person: Person, git_env, tmp_path
) -> None:
    """A bare repository's HEAD is no checkout, nor is a path without repository."""
    person.git("clone", "-q", "--bare", ".", "../bare.git")
    assert not base_is_checked_out(tmp_path / "bare.git", "main", git_env)
    assert not base_is_checked_out(tmp_path / "none", "main", git_env)
