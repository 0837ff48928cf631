"""Pull requests that end: merged by the bot or by hand, closed, or their branch deleted."""

import itertools
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from e2e_world import ROOMY, World, gap_line

NAMES = ("a", "b", "c")


@pytest.fixture(scope="module")
def three_open(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Return a world with three open pull requests that tick adjacent lines."""
    world = World(tmp_path_factory.mktemp("three"), [gap_line(name) for name in NAMES])
    world.configure(policy=ROOMY)
    assert ["ok"] * 3 == [world.tick().outcome for _ in NAMES]
    return world


def copied(world: World, root: Path) -> World:
    """Return a world of its own that starts where another one stands."""
    for part in ("person", "config", "data"):
        shutil.copytree(world.root / part, root / part, symlinks=True)
    return World(root, world.gaps)


def off_the_base(world: World) -> World:
    """Let the person stand on another branch than the base."""
    world.person.git("switch", "-q", "-c", "elsewhere")
    return world


@pytest.mark.parametrize("order", [*itertools.permutations((1, 2, 3))])
def test_adjacent_lines_merge_in_any_order(
    three_open: World, tmp_path: Path, order: tuple[int, ...]
) -> None:
    """Whatever comes first, all three changes and all three ticks end in the base."""
    world = off_the_base(copied(three_open, tmp_path))
    for number in order:
        ran = world.ask("pulls", "merge", str(number), "--json")
        assert (0, True) == (ran.code, ran.json["merged"]), ran.err

    assert {"merged"} == {
        pull["state"] for pull in world.list("pulls", "list", "--all")
    }
    text = world.person.git("show", "main:PRD.md")
    assert 3 == text.count("- [x]")
    files = world.person.git("ls-tree", "--name-only", "main").split()
    assert ["PRD.md", "a.txt", "b.txt", "c.txt"] == files
    assert [] == world.list("gaps", "--fetch")
    assert [] == world.person.branches()
    assert "elsewhere" == world.person.git("branch", "--show-current")


@pytest.mark.outcome("skipped_no_gap")
def test_with_the_base_checked_out_the_printed_command_merges(
    three_open: World, tmp_path: Path
) -> None:
    """The bot leaves the checkout alone, and the command that it prints works."""
    world = copied(three_open, tmp_path)
    for number in (2, 3, 1):
        with world.untouched():
            ran = world.ask("pulls", "merge", str(number), "--json")
        assert (1, False) == (ran.code, ran.json["merged"]), ran.err
        subprocess.run(
            shlex.split(ran.json["command"]), check=True, capture_output=True
        )

    assert "skipped_no_gap" == world.cycle().outcome
    assert {"merged"} == {
        pull["state"] for pull in world.list("pulls", "list", "--all")
    }
    assert {} == world.states()
    assert "" == world.person.git("status", "--porcelain")


@pytest.mark.outcome("skipped_no_gap")
@pytest.mark.parametrize("how", ["merge", "squash", "rebase", "cherry-pick"])
def test_a_merge_by_hand_is_seen_however_it_was_done(
    three_open: World, tmp_path: Path, how: str
) -> None:
    """Merge commit, squash, rebase and cherry-pick all count; the others stay open."""
    world = copied(three_open, tmp_path)
    branch = "bot/b-close-b"
    world.person.commit({"other.txt": "the base moved\n"})
    git = world.person.git
    if how == "merge":
        git("merge", "-q", "--no-ff", "--no-edit", branch)
    elif how == "squash":
        git("merge", "-q", "--squash", branch)
        git("commit", "-q", "-m", "in my own words")
    elif how == "rebase":
        git("switch", "-q", "-c", "mine", branch)
        git("rebase", "-q", "main")
        git("switch", "-q", "main")
        git("merge", "-q", "--ff-only", "mine")
    else:
        git("cherry-pick", branch)
    record = world.cycle()
    pulls = {p["gap_id"]: p["state"] for p in world.list("pulls", "list", "--all")}

    assert "skipped_no_gap" == record.outcome
    assert {"a": "open", "b": "merged", "c": "open"} == pulls
    assert {"a": "open_pr", "c": "open_pr"} == world.states()


@pytest.mark.outcome("skipped_no_gap", "ok")
def test_a_squash_without_the_tick_counts_and_is_not_done_twice(world: World) -> None:
    """The same change without the document's line is seen; the marker is pointed at."""
    world.tick()
    world.person.git("merge", "-q", "--squash", "bot/hello-say-hello")
    world.person.git("restore", "-q", "--staged", "--worktree", "PRD.md")
    world.person.git("commit", "-q", "-m", "only the file")
    record = world.cycle()

    assert "skipped_no_gap" == record.outcome
    assert "1 done" in record.reason
    assert {"hello": "done"} == world.states()
    (item,) = world.list("inbox")
    assert "remove the marker in PRD.md:3" == item["answer"]


@pytest.mark.outcome("ok", "skipped_no_gap")
@pytest.mark.parametrize("how", ["close", "delete"])
def test_a_rejected_gap_is_not_tried_again(world: World, how: str) -> None:
    """Closed by command or by deleting its branch: rejected until the title changes."""
    world.configure(policy=ROOMY)
    world.tick()
    if how == "close":
        assert 0 == world.ask("pulls", "close", "1", "--comment", "no").code
    else:
        world.person.git("branch", "-q", "-D", "bot/hello-say-hello")
    record = world.cycle()

    assert "skipped_no_gap" == record.outcome
    assert "1 rejected" in record.reason
    assert {"hello": "rejected"} == world.states()
    (pull,) = world.list("pulls", "list", "--all")
    assert "closed_by_person" == pull["state"]
    world.person.commit({"PRD.md": "- [ ] Say hello louder [bot-eligible]\n"})
    assert "ok" == world.cycle().outcome


def test_what_no_longer_fits_is_not_merged(three_open: World, tmp_path: Path) -> None:
    """A conflict is told with its file, and neither base nor branch is changed."""
    world = off_the_base(copied(three_open, tmp_path))
    world.person.git("switch", "-q", "main")
    base = world.person.commit({"a.txt": "the person's own\n"})
    world.person.git("switch", "-q", "elsewhere")
    ran = world.ask("pulls", "merge", "1")

    assert 1 == ran.code
    assert "a.txt" in ran.err
    assert base == world.person.tip("main")
    assert "open" == world.list("pulls", "list")[0]["state"]


def test_a_branch_that_a_person_worked_on_is_theirs_to_merge(
    three_open: World, tmp_path: Path
) -> None:
    """A pull request with somebody's commit on it is left to them."""
    world = off_the_base(copied(three_open, tmp_path))
    world.person.git("switch", "-q", "bot/a-close-a")
    theirs = world.person.commit({"a.txt": "better\n"})
    ran = world.ask("pulls", "merge", "1")

    assert 1 == ran.code
    assert theirs in ran.err
    assert theirs == world.person.tip("bot/a-close-a")
