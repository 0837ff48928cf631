"""Killed at any moment, again and again: everything is there once, and nothing twice."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from e2e_world import ROOMY, WRITE, World, gap_line, processes_with, snapshot, until

from bot.domain.outcome import Outcome

NAMES = ("a", "b", "c")
KILLS = 5


@pytest.mark.parametrize("seed", [11, 22, 33])
def test_kills_at_any_moment_lose_and_double_nothing(tmp_path: Path, seed: int) -> None:
    """Every started cycle has one record, every gap one pull request with its change."""
    world = World(tmp_path, [gap_line(name) for name in NAMES])
    world.configure(recipes=f": {world.token}; {WRITE}", policy=ROOMY)
    before = snapshot(world.person.path)
    chosen = random.Random(seed)
    span_s = 1.5
    started: set[str] = set()
    for _ in range(KILLS):
        running = world.start("cycle", "--json")
        time.sleep(chosen.uniform(0.15, span_s))
        running.kill()
        started |= {path.stem for path in (world.folder / "journal").glob("*.json")}
    outcomes: list[Outcome] = []
    while not outcomes or outcomes[-1] is not Outcome.SKIPPED_NO_GAP:
        outcomes.append(world.cycle().outcome)

    assert before == snapshot(world.person.path, known=before)
    assert {Outcome.OK, Outcome.SKIPPED_NO_GAP} >= set(outcomes)
    every_cycle_has_one_record(world, started)
    every_gap_has_one_pull_request(world)
    nothing_is_left_behind(world)


@pytest.mark.outcome("ok")
@pytest.mark.parametrize("hook", ["pre-receive", "post-receive"])
def test_a_kill_around_the_push_never_doubles_it(world: World, hook: str) -> None:
    """Killed before or after the other side took the branch: one branch, one request."""
    world.configure(recipes='date +%s%N > "$BOT_GAP_ID.txt"')
    script = world.person.hook(hook, f"kill -9 $(cut -d' ' -f1 {world.folder}/lock)")
    assert -signal.SIGKILL == world.start("cycle").end().code
    script.unlink()
    until(lambda: not processes_with(f"receive-pack '{world.person.path}"), "the push")
    record = world.cycle()

    assert "ok" == record.outcome
    assert "propose" not in [step.name for step in record.steps]
    assert ["bot/hello-say-hello"] == world.person.branches()
    assert record.commit_sha == world.person.tip("bot/hello-say-hello")
    assert [1] == [pull["number"] for pull in world.list("pulls", "list")]


@pytest.mark.outcome("skipped_no_gap")
def test_a_kill_in_mid_merge_merges_once(world: World) -> None:
    """The base has moved but nothing says so yet: the next look finds it merged."""
    world.tick()
    world.person.git("switch", "-q", "-c", "elsewhere")
    pid = f"cut -d' ' -f1 {world.folder}/lock"
    hook = world.person.hook("post-receive", f"kill -9 $({pid})")
    assert -signal.SIGKILL == world.start("pulls", "merge", "1").end().code
    hook.unlink()
    again = world.ask("pulls", "merge", "1")
    record = world.cycle()

    assert (1, True) == (again.code, "merged already" in again.err)
    assert "skipped_no_gap" == record.outcome
    assert ["merged"] == [p["state"] for p in world.list("pulls", "list", "--all")]
    subjects = world.person.git("log", "--format=%s", "main").splitlines()
    assert ["bot: Say hello", "by a person"] == subjects


def every_cycle_has_one_record(world: World, started: set[str]) -> None:
    """Compare records, index and what was seen to start."""
    ids = [record.cycle_id for record in world.records()]
    assert sorted(set(ids)) == ids
    assert started <= set(ids)
    indexed = [cycle["cycle_id"] for cycle in world.list("history", "--limit", "999")]
    assert ids == indexed[::-1]
    assert [] == list((world.folder / "journal").glob("*.json"))
    assert [] == list((world.folder / "unpublished").glob("*.json"))


def every_gap_has_one_pull_request(world: World) -> None:
    """Compare pull requests, branches and what their commits change."""
    pulls = world.list("pulls", "list", "--all")
    assert sorted(NAMES) == sorted(pull["gap_id"] for pull in pulls)
    assert sorted(p["branch"] for p in pulls) == world.person.branches()
    for pull in pulls:
        name, commit = pull["gap_id"], world.person.tip(pull["branch"])
        assert ("open", pull["head_sha"]) == (pull["state"], commit)
        assert ["M PRD.md", f"A {name}.txt"] == world.person.changed(commit)
        assert world.person.tip("main") == world.person.tip(f"{commit}^")
        assert name == world.person.git("show", f"{commit}:{name}.txt")


def nothing_is_left_behind(world: World) -> None:
    """Look for processes, locks, halves of folders and temporary files."""
    assert [] == processes_with(world.token)
    left = [
        path.relative_to(world.data)
        for pattern in ("demo/*/**/*.lock", "**/*.new", "**/*.trash", "**/tmp_*")
        for path in world.data.glob(pattern)
        if path.exists()
    ]
    assert [] == left
    # The next write into a folder sweeps it, of what is a minute old and nobody's.
    halves = [*(world.folder / "journal").glob(".*.tmp")]
    halves += (world.folder / "cycles").rglob(".*.tmp")
    for half in halves:
        os.utime(half, (1, 1))
    assert Outcome.SKIPPED_NO_GAP == world.cycle().outcome
    assert [] == [half for half in halves if half.exists()]
