"""Repositories of every kind, and a person's half-finished work in them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from e2e_world import HELLO, ROOMY, Person, World, gap_line


def staged_and_not(world: World) -> None:
    """Stage a file, change another, add a third, delete a fourth."""
    world.person.write({"staged.txt": "staged\n", "loose.txt": "untracked\n"})
    world.person.git("add", "staged.txt")
    world.person.write({"staged.txt": "and changed again\n", "gone.txt": None})


def stashed(world: World) -> None:
    """Leave a stash."""
    world.person.write({"gone.txt": "changed\n"})
    world.person.git("stash", "-q")


def in_mid_merge(world: World) -> None:
    """Leave a merge with a conflict unfinished."""
    world.person.git("switch", "-q", "-c", "other")
    world.person.commit({"gone.txt": "theirs\n"})
    world.person.git("switch", "-q", "-c", "mine", "main")
    world.person.commit({"gone.txt": "ours\n"})
    with pytest.raises(AssertionError, match="git merge"):
        world.person.git("merge", "other")


def detached_and_locked(world: World) -> None:
    """Stand on no branch, while another git holds the index."""
    world.person.git("switch", "-q", "--detach")
    (world.person.path / ".git" / "index.lock").touch()


def with_hooks(world: World) -> None:
    """Install hooks that leave a trace in the checkout when they run."""
    hooks = ("post-checkout", "pre-commit", "post-commit", "pre-push", "post-merge")
    for name in hooks:
        world.person.hook(name, f"touch {world.person.path}/{name}-ran")


@pytest.mark.outcome("ok", "tests_failed", "model_failed", "cycle_noop", "dry_run")
@pytest.mark.parametrize(
    "leave", [staged_and_not, stashed, in_mid_merge, detached_and_locked, with_hooks]
)
def test_half_finished_work_is_as_it_was_after_cycles_of_every_kind(
    tmp_path: Path, leave: Callable[[World], None]
) -> None:
    """The base is worked on, and not a byte or a time in the checkout is changed."""
    runs = {"good": "echo > $BOT_GAP_ID", "red": "touch red", "bad": "exit 1"}
    names = [*runs, "noop", "dry"]
    recipes = {**runs, "noop": "true", "dry": "echo > dry"}
    gaps = [gap_line(name, f" [recipe:{name}]") for name in names]
    world = World(tmp_path, gaps, {"gone.txt": "here\n"})
    world.configure(
        recipes=recipes,
        checks=["test ! -e red"],
        policy=f"{ROOMY}\nrequire_clean_tree = false",
    )
    leave(world)
    outcomes = [world.tick(gap=name).outcome for name in names[:-1]]
    outcomes.append(world.tick(gap="dry", dry_run=True).outcome)

    assert ["ok", "tests_failed", "model_failed", "cycle_noop", "dry_run"] == outcomes
    assert [] == list(world.person.path.glob("*-ran"))


@pytest.mark.outcome("ok", "skipped_no_gap")
@pytest.mark.parametrize("kind", ["bare", "file URL", "linked worktree", "sha256"])
def test_every_kind_of_repository_gets_its_pull_request_merged(
    tmp_path: Path, kind: str
) -> None:
    """From the gap to the merged commit, wherever the base lies."""
    world = World(tmp_path)
    person, where = world.person, "../other"
    if kind == "sha256":
        other = Person(world.root / "other")
        person.git("init", "-q", "--object-format=sha256", str(other.path))
        other.git("symbolic-ref", "HEAD", "refs/heads/main")
        other.commit({"PRD.md": f"{HELLO}\n"})
        other.git("switch", "-q", "-c", "elsewhere")
    elif kind == "linked worktree":
        person.git(
            "worktree", "add", "-q", "-b", "elsewhere", str(world.root / "other")
        )
        person.git("switch", "-q", "--detach")
    else:
        person.git("clone", "-q", "--bare", ".", str(world.root / "other"))
        if kind == "file URL":
            where = (world.root / "other").as_uri()
    world.configure(path=where)
    record = world.tick()
    ran = world.ask("pulls", "merge", "1", "--json")
    last = world.tick()

    assert ["ok", "skipped_no_gap"] == [record.outcome, last.outcome]
    assert ran.json["merged"], ran.json
    assert ["merged"] == [p["state"] for p in world.list("pulls", "list", "--all")]
    assert last.base_sha == ran.json["sha"]
