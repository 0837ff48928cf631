"""Gaps, status and inbox of a real repository, as values."""

import json
import os
from datetime import timedelta

import pytest
from command_world import COMMANDS, PRD, World

from bot.app import App, utc_now
from bot.cycle.rooms import Rooms
from bot.domain.gap import GapState
from bot.errors import Misconfigured
from bot.report.gaps import explain, list_gaps
from bot.report.inbox import Waiting, inbox_of
from bot.report.status import ran_for, status_of
from bot.store.journal import JournalEntry
from bot.store.locks import repository_lock

CYCLE = "bot-2026-11-30T08-20-00-123Z-1a2b3c4d"


@pytest.fixture
def rooms(world: World):
    """Return a function that opens the repository as its config says just then."""
    opened: list[App] = []

    def open_rooms() -> Rooms:
        opened.append(App(world.loaded(), world.env))
        return opened[-1].rooms(opened[-1].settings.repo[0])

    yield open_rooms
    for app in opened:
        app.index.close()


def kinds(items: tuple[Waiting, ...]) -> list[str]:
    """Return what waits, by kind."""
    return [item.kind for item in items]


# Gaps.


def test_gaps_are_fetched_the_first_time(rooms):
    """The first look fetches the base; gaps come in document order with their states."""
    listed = list_gaps(rooms())

    assert [("hello", GapState.ELIGIBLE)] == [
        (status.gap.id, status.state) for status in listed.statuses
    ]
    assert None is listed.fault


def test_a_merge_is_seen_by_a_fetch(world: World, rooms):
    """After a fetch a merged pull request is known, and its gap is gone."""
    world.run("cycle")
    world.git("merge", "-q", "--no-ff", "-m", "Merge", "bot/hello-say-hello")

    before = list_gaps(rooms())
    after = list_gaps(rooms(), fetch=True)

    assert [GapState.OPEN_PR] == [status.state for status in before.statuses]
    assert () == after.statuses


def test_gaps_that_can_not_be_told(world: World, rooms):
    """A repository that can't be used is a fault, not an error."""
    world.configure(keys='base = "nope"')

    listed = list_gaps(rooms())

    assert ((), True) == (listed.statuses, "'nope'" in (listed.fault or ""))


def test_a_fault_leaves_the_repository_s_name_to_whoever_shows_it(world: World, rooms):
    """It is named once in what a person reads."""
    world.configure(keys='base = "main"\nprd = ["nope.md"]')

    assert str(list_gaps(rooms()).fault).startswith("no file at its base matches")


def test_a_fault_of_a_base_as_last_fetched_says_so(world: World, rooms):
    """Who has just committed the document learns how to have it seen."""
    world.configure(keys='base = "main"\nprd = ["new.md"]')
    old = world.git("rev-parse", "--short=12", "HEAD")
    fetched = str(list_gaps(rooms(), fetch=True).fault)
    world.commit({"new.md": PRD})

    before, after = list_gaps(rooms()), list_gaps(rooms(), fetch=True)

    assert "last fetched" not in fetched
    assert f"(at {old}, as last fetched: `bot gaps --fetch`" in str(before.fault)
    assert (None, 1) == (after.fault, len(after.statuses))


def test_explanation(world: World, rooms):
    """A gap is explained with its cycles, newest first."""
    world.run("cycle", "--dry-run")
    world.run("cycle")

    found = explain(rooms(), "hello")

    assert found is not None
    assert ["ok", "dry_run"] == [row.outcome for row in found.cycles]
    assert GapState.OPEN_PR is found.status.state


def test_explanation_of_nothing(rooms):
    """An id that no gap has is explained by nothing."""
    assert None is explain(rooms(), "nope")


def test_explanation_that_can_not_be_given(world: World, rooms):
    """A repository that can't be used explains no gap."""
    world.configure(keys='base = "nope"')

    with pytest.raises(Misconfigured, match="repository 'wishes': "):
        explain(rooms(), "hello")


# Status.


def test_status_of_an_idle_repository(rooms):
    """Nothing runs, nothing waits, and the base is known."""
    found = status_of(rooms())

    assert (None, None, 0, 0, ()) == (
        found.running,
        found.pause,
        found.open_pulls,
        found.waiting,
        found.last,
    )
    assert {GapState.ELIGIBLE: 1} == found.states
    assert 40 == len(found.base_sha or "")


def test_status_of_a_running_cycle(world: World, rooms):
    """Who holds the lock is at work on what the journal says."""
    ours = rooms()
    entry = JournalEntry(
        cycle_id=CYCLE,
        repo="wishes",
        trigger="tick",
        started_at=utc_now(),
        pid=os.getpid(),
        stage="tests",
    )
    with repository_lock(ours.folder, CYCLE):
        no_entry = status_of(ours).running
        ours.journal.begin(entry)
        running = status_of(rooms()).running
        told, read = world.run("status"), world.run("status", "--json")
    ours.journal.end(CYCLE)

    assert (None, entry.cycle_id) == (no_entry, running and running.cycle_id)
    assert f"  running  tests of {CYCLE}, 0 s" in told.out
    assert "  state    at work" in told.out
    assert "tests" == read.json["repos"][0]["running"]["step"]


def test_status_of_a_killed_cycle(world: World, rooms):
    """A lock file without a holder is nobody at work."""
    world.run("cycle")
    (world.data / "wishes" / "lock").write_text(f"999999 {CYCLE}\n")

    assert None is status_of(rooms()).running


@pytest.mark.parametrize(
    ("seconds", "words"), [(-5, "0 s"), (59, "59 s"), (61, "1 min 1 s")]
)
def test_ran_for(seconds: int, words: str):
    """Time at work is told in minutes and seconds, and never negative."""
    now = utc_now()
    entry = JournalEntry(
        cycle_id=CYCLE, repo="r", trigger="tick", started_at=now, pid=1, stage="x"
    )

    assert words == ran_for(entry, now + timedelta(seconds=seconds))


# Inbox.


def test_nothing_waits(rooms):
    """A repository at peace asks for nothing."""
    assert () == inbox_of(rooms())


def test_everything_that_waits(world: World, rooms):
    """Pauses, faulty gaps and open pull requests wait, each with its answer."""
    world.commit({"PRD.md": PRD + "- [ ] Bad [bot-eligible] [id:BAD]\n"})
    world.run("cycle")
    world.run("pause", "--reason", "holidays")

    items = inbox_of(rooms())

    assert ["paused", "faulty", "pull_request"] == kinds(items)
    assert [
        "bot resume --repo wishes",
        "correct PRD.md:4",
        "bot pulls merge 1 --repo wishes, or close it",
    ] == [item.answer for item in items]


def test_base_that_is_red(world: World, rooms):
    """A base on which no check is green waits for `bot check`."""
    world.configure(commands=COMMANDS.replace('run = "true"', 'run = "false"'))
    world.run("cycle")

    (item,) = inbox_of(rooms())

    assert ("baseline_failed", "bot check --repo wishes") == (item.kind, item.answer)


def test_repository_that_is_misconfigured(world: World, rooms):
    """What is misconfigured waits twice: as the last cycle, and as it is now."""
    world.configure(keys='base = "nope"')
    world.run("cycle")

    items = inbox_of(rooms())

    assert ["misconfigured", "misconfigured"] == kinds(items)
    assert {"bot doctor --repo wishes"} == {item.answer for item in items}


def test_commit_that_waits_for_the_next_cycle(world: World, rooms):
    """A finished commit that can be published needs nobody."""
    world.run("cycle", "--dry-run")

    assert () == inbox_of(rooms())


def test_commit_that_was_refused(world: World, rooms):
    """A finished commit that can't be published waits to be asked for by its gap."""
    cycle = world.run("cycle", "--dry-run", "--json").json["cycle_id"]
    path = world.data / "wishes" / "unpublished" / f"{cycle}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "refused": "no"}))

    (item,) = inbox_of(rooms())

    again = "bot cycle --repo wishes --gap hello"
    assert ("refused", "no", again) == (item.kind, item.why, item.answer)


def test_gap_that_needs_a_person(world: World, rooms):
    """A gap whose attempts are used up can be asked for by id."""
    world.configure(
        commands=COMMANDS.replace('run = "echo hello > hello.txt"', 'run = "false"'),
        more="[repo.policy]\nattempts_per_gap = 1\n",
    )
    world.run("cycle")

    items = inbox_of(rooms())

    assert ["needs_human"] == kinds(items)
    assert items[0].answer.startswith("bot cycle --repo wishes --gap hello, or reword")
