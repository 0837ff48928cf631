"""What a person may name, and what is found there."""

import os
from pathlib import Path

import pytest

from bot.errors import ConfigError, Deferred, Misconfigured
from bot.start.base import Base
from bot.start.source import open_source
from bot.workspace.git import Git


def found(text, cwd=Path("/")):
    """Return path, base and files of what `text` names."""
    with open_source(str(text), cwd, os.environ) as source:
        return source.path, source.base, sorted(source.files.paths)


def test_a_checkout_is_found_from_a_folder_in_it(repository):
    """Its top is what the config names, wherever in it the person stands."""
    root = repository({"src/a.py": "a"})
    expected = (str(root), Base("main", "the branch that is checked out"), ["src/a.py"])

    assert expected == found(root)
    assert expected == found(root / "src")
    assert expected == found(".", root / "src")
    assert expected == found(root / ".git")


def test_a_bare_repository_is_found(repository, git_env, tmp_path):
    """A bare repository is named by its own folder."""
    root = repository({"a": "a"}, branch="trunk")
    bare = tmp_path / "bare.git"
    Git(None, git_env).run("clone", "-q", "--bare", str(root), str(bare))

    path, base, paths = found(bare)

    assert (str(bare), "trunk", ["a"]) == (path, base.name, paths)


def test_a_url_is_looked_into(repository):
    """Of a URL the default branch is taken and its files are read."""
    root = repository({"a": "a"}, branch="trunk")
    url = root.as_uri()

    expected = (url, Base("trunk", "the default branch of the URL"), ["a"])

    assert expected == found(url)


def test_a_linked_worktree_is_a_checkout(repository, git_env, tmp_path):
    """A worktree is found by its own folder."""
    root = repository({"a": "a"})
    linked = tmp_path / "linked"
    Git(None, git_env, root).run("worktree", "add", "-q", "-b", "side", str(linked))

    path, base, _ = found(linked)

    assert (str(linked), "side") == (path, base.name)


def test_only_text_of_moderate_size_is_read(repository):
    """A file that is missing, huge, binary or a link gives no hint."""
    root = repository({"a": "text", "big": "x" * (1 << 20) + "x", "latin": b"\xe9"})
    (root / "link").symlink_to("/etc/passwd")
    git_add(root)

    with open_source(str(root), root, os.environ) as source:
        texts = [source.files.text(n) for n in ("a", "big", "latin", "link", "none")]

    assert ["text", "", "", "", ""] == texts


def test_names_that_would_act_on_a_terminal_are_not_listed(repository):
    """A path with control characters is no source of guesses."""
    root = repository({"a": "a", "b\x1b[31m": "b"})

    assert ["a"] == found(root)[2]


def test_the_default_branch_of_origin_comes_first(repository, git_env, tmp_path):
    """What origin calls its default is the base, whatever is checked out."""
    root = repository({"a": "a"}, branch="trunk")
    clone = tmp_path / "clone"
    Git(None, git_env).run("clone", "-q", str(root), str(clone))
    Git(None, git_env, clone).run("checkout", "-q", "-b", "feature")

    assert Base("trunk", "the default branch of origin") == found(clone)[1]


def test_a_default_that_is_only_on_origin_is_no_base(repository, git_env, tmp_path):
    """The local forge needs the branch in this very repository."""
    root = repository({"a": "a"}, branch="trunk")
    clone = tmp_path / "clone"
    Git(None, git_env).run("clone", "-q", str(root), str(clone))
    git = Git(None, git_env, clone)
    git.run("checkout", "-q", "-b", "feature")
    git.run("branch", "-q", "-D", "trunk")

    assert "feature" == found(clone)[1].name


def test_a_detached_head_falls_back_on_a_usual_branch(repository, git_env):
    """Where nothing is checked out, a usual name is taken and questioned."""
    root = repository({"a": "a"}, branch="zebra")
    git = Git(None, git_env, root)
    git.run("branch", "-q", "master")
    git.run("branch", "-q", "aardvark")
    git.run("checkout", "-q", "--detach")

    assert Base("master", "one of 3 branches: is it the right one?") == found(root)[1]


def test_a_branch_of_the_bot_is_no_base(repository, git_env):
    """Standing on one of the bot's branches doesn't make it the base."""
    root = repository({"a": "a"}, branch="work")
    Git(None, git_env, root).run("checkout", "-q", "-b", "bot/abc-mend-it")

    assert "work" == found(root)[1].name


def test_a_repository_without_a_commit_is_refused(git_env, tmp_path):
    """There is nothing to work on, and the message says what to do."""
    Git(None, git_env).run("init", "-q", str(tmp_path / "new"))

    with pytest.raises(ConfigError, match="commit something first"):
        found(tmp_path / "new")


def test_a_folder_without_a_repository_is_refused(tmp_path):
    """The message says how to make one."""
    with pytest.raises(ConfigError, match=r"is no git repository .* run `git init`"):
        found(tmp_path)


def test_a_path_that_is_not_there_is_refused(tmp_path):
    """The message names the path."""
    with pytest.raises(ConfigError, match="nothing-here is no folder"):
        found(tmp_path / "nothing-here")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://someone:secret@example.org/x.git", "holds a password"),
        ("ext::sh -c touch% /tmp/x", "no address that git may use"),
        ("ssh://-oProxyCommand=x/y", "no address that git may use"),
    ],
)
def test_a_url_that_no_config_may_hold_is_refused(url, said):
    """Neither a password nor a transport that runs programs reaches git."""
    with pytest.raises(ConfigError, match=said) as refused:
        found(url)
    assert "secret" not in str(refused.value)


def test_a_url_that_leads_nowhere_is_refused(tmp_path):
    """Git's own words say why."""
    with pytest.raises((Misconfigured, Deferred)):
        found((tmp_path / "none").as_uri())


def test_a_folder_whose_name_has_a_line_end_is_refused(repository):
    """A config can't name it."""
    root = repository({"a": "a"}, name='x"\n[evil]')

    with pytest.raises(ConfigError, match="is no path"):
        found(root)


def test_a_folder_whose_name_is_no_text_is_refused(repository):
    """A config is UTF-8, so it can't name the folder."""
    root = repository({"a": "a"}, name="caf\udce9")

    with pytest.raises(ConfigError, match="is not UTF-8"):
        found(root)


def git_add(root):
    """Commit what is in a checkout now."""
    with open_source(str(root), root, os.environ) as source:
        git = source.files._git
        who = ("-c", "user.name=A Person", "-c", "user.email=person@example.org")
        git.run("add", "-A")
        git.run(*who, "commit", "-q", "-m", "More")
