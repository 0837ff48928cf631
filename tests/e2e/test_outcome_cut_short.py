"""Cycles that a signal, a kill or a fault of our own ends."""

import os
import shutil
import signal

import pytest
from e2e_world import GATED, World, processes_with, until


@pytest.mark.outcome("interrupted", "ok")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_mid_recipe_ends_the_cycle_at_once(
    world: World, number: int
) -> None:
    """The recipe dies with it, 130 is the exit status, and no attempt is counted."""
    world.configure(recipes=f"touch started; : {world.token}; sleep 300")
    running = world.start_until_recipe()
    with world.untouched():
        ran = running.signal(number)
    record = world.recorded(ran)

    assert ("interrupted", 130) == (record.outcome, ran.code)
    assert "signal" in record.reason
    assert [] == processes_with(world.token)
    assert {"hello": "eligible"} == world.states()
    world.configure()
    assert "ok" == world.tick().outcome


@pytest.mark.outcome("interrupted", "ok")
def test_a_signal_in_mid_test_keeps_the_work_as_a_patch(world: World) -> None:
    """Once there is a commit it stays as a patch, whatever the tests would have said."""
    world.configure(
        checks=["test ! -e hello.txt || { touch /repo/started; sleep 300; }"]
    )
    running = world.start("cycle", "--json")
    tree = world.folder / "trees" / "cycle"
    until((tree / "started").exists, "the check to start")
    record = world.recorded(running.signal(signal.SIGTERM))

    patch = world.folder / "attempts" / f"{record.cycle_id}.patch"
    assert "interrupted" == record.outcome
    assert b"hello.txt" in patch.read_bytes()
    assert {"hello": "eligible"} == world.states()
    world.configure()
    assert "ok" == world.tick().outcome


@pytest.mark.outcome("interrupted", "ok")
def test_a_killed_cycle_is_found_at_the_next_start(world: World) -> None:
    """After kill -9 the next cycle writes the record that the dead one could not."""
    world.configure(recipes=f"touch started; : {world.token}; sleep 300")
    running = world.start_until_recipe()
    with world.untouched():
        running.kill()
    until(lambda: not processes_with(world.token), "the sandbox to die")
    (entry,) = (world.folder / "journal").glob("*.json")
    world.configure()
    record = world.cycle()
    found = world.record(entry.stem)

    assert ["interrupted", "ok"] == [found.outcome, record.outcome]
    assert f"process {running.process.pid} was killed during the step 'propose'" in (
        found.reason
    )
    assert ("hello", record.base_sha) == (found.gap and found.gap.id, found.base_sha)
    assert [found, record] == world.records()
    assert [] == list((world.folder / "journal").iterdir())


@pytest.mark.outcome("interrupted", "ok")
def test_a_second_signal_leaves_at_once_and_loses_nothing(world: World) -> None:
    """Two signals end the process without a record; the next start writes it."""
    world.configure(recipes=f"trap '' INT TERM; {GATED}")
    running = world.start_until_recipe()
    running.process.send_signal(signal.SIGSTOP)
    running.process.send_signal(signal.SIGINT)
    running.process.send_signal(signal.SIGTERM)
    ran = running.signal(signal.SIGCONT)
    world.configure()
    record = world.tick()

    assert ran.code in {130, 143}
    assert "ok" == record.outcome
    assert ["interrupted", "ok"] == [record.outcome for record in world.records()]


@pytest.mark.outcome("ok", "interrupted")
def test_a_kill_right_after_the_push_opens_one_pull_request(world: World) -> None:
    """The branch stands but the pull request doesn't: the next cycle only opens it."""
    pid = f"cut -d' ' -f1 {world.folder}/lock"
    hook = world.person.hook("post-receive", f"kill -9 $({pid}); sleep 0.1")
    running = world.start("cycle", "--json")
    ran = running.end()
    hook.unlink()
    pushed = world.person.tip("bot/hello-say-hello")
    record = world.cycle()

    assert -signal.SIGKILL == ran.code
    assert ("ok", pushed) == (record.outcome, record.commit_sha)
    assert ["interrupted", "ok"] == [found.outcome for found in world.records()]
    assert ["hello"] == [pull["gap_id"] for pull in world.list("pulls", "list")]


@pytest.mark.outcome("crashed", "ok")
def test_a_fault_that_nobody_foresaw_is_a_crash_with_its_traceback(
    world: World,
) -> None:
    """A git that fails where none ever does: the record has the step and the trace."""
    git = shutil.which("git")
    broken = world.root / "broken" / "git"
    broken.parent.mkdir()
    broken.write_text(
        '#!/bin/sh\ncase " $* " in *" commit-tree "*) echo rust >&2; exit 70;; esac\n'
        f'exec {git} "$@"\n'
    )
    broken.chmod(0o755)
    world.env["PATH"] = f"{broken.parent}:{os.environ['PATH']}"
    record = world.cycle()
    world.env.clear()

    assert "crashed" == record.outcome
    assert "in the step 'commit'" in record.reason
    assert "ended with 70: rust" in record.reason
    assert "Traceback" in record.tests_output
    assert {"hello": "cooling"} == world.states()
    assert "ok" == world.cycle("--gap", "hello").outcome
