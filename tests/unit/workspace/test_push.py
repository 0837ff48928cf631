"""Pushing: only the bot's branches, only where they were seen, and read back."""

from collections.abc import Callable
from pathlib import Path

import pytest
from gitground import Person, Source

from bot.errors import Deferred, Misconfigured, PushRejected
from bot.workspace.clone import Clone
from bot.workspace.git import GitEnv
from bot.workspace.push import RefClash


@pytest.fixture
def work(clone: Clone, base: str) -> Callable[[str], str]:
    """Return a function that makes a commit of the bot's on the base."""

    def make(message: str, parent: str = base) -> str:
        who = {f"GIT_{role}_{part}": "bot@localhost"
               for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}  # fmt: skip
        return clone.git.text(
            "commit-tree", "-p", parent, "-m", message, f"{base}^{{tree}}", env=who
        )

    return make


def test_new_branch_is_pushed_and_read_back(clone: Clone, work, person: Person) -> None:
    """A new branch arrives, alone, and pushing it again changes nothing."""
    sha = work("one")
    clone.push("bot/one", sha, None)
    clone.push("bot/one", sha, None)
    assert clone.remote_tip("bot/one") == sha
    assert person.git("branch", "--list", "--format=%(refname)").split() == [
        "refs/heads/bot/one",
        "refs/heads/main",
    ]


def test_branch_is_replaced_where_it_was_seen(clone: Clone, work) -> None:
    """A branch of ours is replaced by a commit that does not descend from it."""
    one, two = work("one"), work("two")
    clone.push("bot/x", one, None)
    clone.push("bot/x", two, one)
    assert clone.remote_tip("bot/x") == two


@pytest.mark.parametrize("expected", [None, "stale"])
def test_branch_that_moved_is_left_alone(
    expected: str | None, clone: Clone, work, person: Person
) -> None:
    """A commit of a person's on the branch stays, and the message says whose it is."""
    ours = work("one")
    clone.push("bot/x", ours, None)
    person.git("branch", "-q", "-f", "bot/x", person.commit({"theirs": "1"}))
    theirs = person.tip("bot/x")
    seen = ours if expected else None
    with pytest.raises(PushRejected, match=r"by A Person <person@example\.org>"):
        clone.push("bot/x", work("two"), seen)
    assert person.tip("bot/x") == theirs


def test_branch_that_was_deleted_is_not_made_again(
    clone: Clone, work, person: Person
) -> None:
    """A branch that a person deleted meanwhile is told, not made anew."""
    ours = work("one")
    clone.push("bot/x", ours, None)
    person.git("branch", "-q", "-D", "bot/x")
    with pytest.raises(PushRejected, match="it was deleted there"):
        clone.push("bot/x", work("two"), ours)
    assert clone.remote_tip("bot/x") is None


@pytest.mark.parametrize(
    "branch", ["main", "other", "botx/y", "bot", "feature/bot/x", "bot-0000/x"]
)
def test_foreign_branches_are_refused(branch: str, clone: Clone, work) -> None:
    """Nothing outside the prefix is pushed or deleted, whatever is asked."""
    sha = work("one")
    with pytest.raises(PushRejected, match="only ever writes to branches under bot/"):
        clone.push(branch, sha, None)
    with pytest.raises(PushRejected, match="only ever writes"):
        clone.delete_remote(branch, sha)


def test_base_under_the_prefix_is_refused(
    person: Person, data_dir: Path, git_env: GitEnv
) -> None:
    """The base is never pushed to, even where it is called like a branch of the bot's."""
    person.git("branch", "bot/main")
    source = Source(str(person.path), base="bot/main")
    clone = Clone.open(source, data_dir / "r", git_env)
    with pytest.raises(PushRejected, match="never to the base"):
        clone.push("bot/main", person.tip(), person.tip())


def test_branch_name_that_is_an_option_is_refused(clone: Clone, work) -> None:
    """A name that could be read as an option or a refspec never reaches git."""
    for name in ("--mirror", "bot/a:refs/heads/main", "+bot/x"):
        with pytest.raises((Misconfigured, PushRejected)):
            clone.push(name, work("one"), None)


def test_words_of_a_refusing_hook_are_told(clone: Clone, work, person: Person) -> None:
    """The person's own receive hook runs, and what it says is the reason."""
    person.hook("pre-receive", "echo no bots on a Sunday; exit 1")
    with pytest.raises(PushRejected, match=r"hook declined.*no bots on a Sunday"):
        clone.push("bot/x", work("one"), None)
    assert clone.remote_tip("bot/x") is None


def test_hooks_of_the_remote_run(
    clone: Clone, work, person: Person, tmp_path: Path
) -> None:
    """A push runs the hooks of the receiving side, as any push does."""
    person.hook("post-receive", f"cat > {tmp_path}/received")
    sha = work("one")
    clone.push("bot/x", sha, None)
    assert sha in (tmp_path / "received").read_text()


def test_hook_sees_no_secret(
    clone: Clone, work, person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only the bot is to know is not in the environment of the person's hook."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    person.hook("post-receive", f"env > {tmp_path}/env")
    clone.push("bot/x", work("one"), None)
    assert "sk-secret" not in (tmp_path / "env").read_text()


def test_push_that_is_undone_at_once_is_noticed(
    clone: Clone, work, person: Person
) -> None:
    """A branch that is not at our commit after the push is no success."""
    person.hook("post-receive", "git update-ref refs/heads/bot/x refs/heads/main")
    with pytest.raises(PushRejected, match="was taken, but the branch is at"):
        clone.push("bot/x", work("one"), None)


def test_branch_that_a_person_has_checked_out_is_refused(
    clone: Clone, work, person: Person
) -> None:
    """Git's own refusal to move a checked out branch comes through."""
    one = work("one")
    clone.push("bot/x", one, None)
    person.git("checkout", "-q", "bot/x")
    with pytest.raises(PushRejected, match="checked out"):
        clone.push("bot/x", work("two"), one)


def test_busy_remote_is_deferred(clone: Clone, work, person: Person) -> None:
    """A lock that somebody holds on the branch is waited for, not removed."""
    clone.push("bot/x", work("one"), None)
    lock = person.path / ".git/refs/heads/bot/x.lock"
    lock.touch()
    with pytest.raises(Deferred, match="busy"):
        clone.push("bot/x", work("two"), clone.remote_tip("bot/x"))
    assert lock.exists()


def test_remote_that_is_gone_is_misconfigured(
    clone: Clone, work, person: Person
) -> None:
    """A repository that isn't there any more needs a person."""
    sha = work("one")
    person.path.rename(person.path.with_name("moved"))
    with pytest.raises(Misconfigured):
        clone.push("bot/x", sha, None)


def test_prefix_taken_by_a_branch_gets_digits(
    clone: Clone, work, person: Person
) -> None:
    """Where a branch is called as the prefix, the prefix gets four digits, for good."""
    person.git("branch", "bot")
    with pytest.raises(RefClash, match="cannot create"):
        clone.push("bot/x", work("one"), None)
    name = clone.push_name("bot/x")
    assert name.startswith("bot-")
    assert len(name) == len("bot-1a2b/x")
    clone.push(name, work("one"), None)
    assert clone.push_name("bot/x") == name


def test_name_taken_by_a_folder_gets_digits(clone: Clone, work, person: Person) -> None:
    """Where branches stand below the name, the name itself gets four digits."""
    person.git("branch", "bot/x/deeper")
    with pytest.raises(RefClash):
        clone.push("bot/x", work("one"), None)
    name = clone.push_name("bot/x")
    assert name.startswith("bot/x-")
    clone.push(name, work("one"), None)


def test_free_name_stays(clone: Clone, person: Person, work) -> None:
    """Neighbours, tags and the branch itself are in nobody's way."""
    person.git("branch", "bot-x")
    person.git("branch", "bot/xy")
    person.git("tag", "bot")
    clone.push("bot/x", work("one"), None)
    assert clone.push_name("bot/x") == "bot/x"


def test_long_prefix_clash_is_solved(
    person: Person, data_dir: Path, git_env: GitEnv
) -> None:
    """A prefix of several parts may be taken at any of them."""
    person.git("branch", "team/bots")
    source = Source(str(person.path), prefix="team/bots")
    clone = Clone.open(source, data_dir / "r", git_env)
    name = clone.push_name("team/bots/x")
    clone.push(name, clone.fetch_base().sha, None)
    assert name.startswith("team/bots-")


def test_branch_is_deleted_where_it_was_seen(
    clone: Clone, work, person: Person
) -> None:
    """A branch is deleted, once; one that moved is left."""
    one = work("one")
    clone.push("bot/x", one, None)
    with pytest.raises(PushRejected, match="not where it was seen"):
        clone.delete_remote("bot/x", person.tip())
    clone.delete_remote("bot/x", one)
    clone.delete_remote("bot/x", one)
    assert clone.remote_tip("bot/x") is None


def test_push_reaches_a_bare_repository_over_a_url(
    person: Person, data_dir: Path, git_env: GitEnv
) -> None:
    """A bare repository behind file:// takes the branch as well."""
    person.git("clone", "-q", "--bare", ".", "../bare.git")
    url = f"file://{person.path.parent}/bare.git"
    clone = Clone.open(Source(url), data_dir / "r", git_env)
    sha = clone.fetch_base().sha
    clone.push("bot/ünï", sha, None)
    assert clone.remote_tip("bot/ünï") == sha


def test_push_from_a_shallow_source(
    person: Person, data_dir: Path, git_env: GitEnv
) -> None:
    """A commit made on a shallow base goes back to the shallow repository."""
    person.commit({"n": "1"})
    person.git("clone", "-q", "--depth=1", f"file://{person.path}", "../shallow")
    shallow = Person(person.path.parent / "shallow")
    clone = Clone.open(Source(str(shallow.path)), data_dir / "r", git_env)
    base = clone.fetch_base().sha
    who = {f"GIT_{role}_{part}": "b@l"
           for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}  # fmt: skip
    tree = clone.tree_of(base)
    sha = clone.git.text("commit-tree", "-p", base, "-m", "m", tree, env=who)
    clone.push("bot/x", sha, None)
    assert shallow.tip("bot/x") == sha


def test_whose_branch_can_stay_unknown(clone: Clone, work, person: Person) -> None:
    """Where the other commit can't be read, the branch is left alone all the same."""
    clone.push("bot/x", work("one"), None)
    theirs = person.commit({"theirs": "1"})
    person.git("branch", "-q", "-f", "bot/x", theirs)
    tree = person.tip(f"{theirs}^{{tree}}")
    (person.path / ".git/objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(PushRejected, match="who moved it can't be told"):
        clone.push("bot/x", work("two"), None)


def test_base_is_advanced_for_a_merge(
    clone: Clone, work, person: Person, base: str
) -> None:
    """A person's merge moves the base on, where nobody has it checked out."""
    person.git("checkout", "-q", "--detach")
    sha = work("merged")
    clone.advance_base(sha, base)
    assert person.tip("main") == sha


def test_base_is_only_moved_forward(
    clone: Clone, work, person: Person, base: str
) -> None:
    """The base never loses a commit, neither by a wrong merge nor by a late one."""
    person.git("checkout", "-q", "--detach")
    with pytest.raises(PushRejected, match="not on top of"):
        clone.advance_base(base, work("one"))
    person.git("update-ref", "refs/heads/main", person.commit({"new": "1"}))
    with pytest.raises(PushRejected, match="not where it was seen"):
        clone.advance_base(work("two"), base)


def test_line_separators_in_names_of_branches_split_nothing(
    clone: Clone, work, person: Person
) -> None:
    """A branch `bot` with a line separator of Unicode behind it is not a branch `bot`."""
    for end in ("\u2028x", "\u0085x"):
        person.git("branch", f"bot{end}")
        person.git("branch", f"bot/one{end}")
    assert clone.push_name("bot/one") == "bot/one"
    clone.push("bot/one", work("one"), None)
