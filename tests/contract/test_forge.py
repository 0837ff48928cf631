"""What every forge promises, asked of the real one on real git and of the fake."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from forge_world import MORNING, FakeWorld, LocalWorld, World

from bot.domain.pull import PullState
from bot.errors import BotError


def fake(_folder: Path) -> FakeWorld:
    """Make the fake's world."""
    return FakeWorld()


@pytest.fixture(params=[fake, LocalWorld], ids=["fake", "local"])
def world(request: pytest.FixtureRequest, data_dir: Path) -> Iterator[World]:
    """Return a forge with its other side."""
    make: Callable[[Path], World] = request.param
    made = make(data_dir)
    yield made
    if isinstance(made, LocalWorld):
        made.index.close()


def test_nothing_is_found_at_first(world: World):
    """A forge without pull requests finds, lists and counts none."""
    assert world.forge.find("a") is None
    assert world.forge.listing() == ()
    assert world.forge.opened_since(MORNING) == 0


def test_an_opened_one_is_found_by_its_marker(world: World):
    """What was opened is found by gap, and by gap and cycle, as it was opened."""
    pull = world.forge.open(world.pushed("a"))

    assert (
        pull.number,
        pull.gap_id,
        pull.cycle_id,
        pull.branch,
        pull.base,
        pull.state,
        pull.labels,
    ) == (1, "a", "cycle-1", "bot/a", "main", PullState.OPEN, ("bot",))
    assert pull.created_at == MORNING
    assert pull == world.forge.find("a")
    assert pull == world.forge.find("a", "cycle-1")
    assert world.forge.find("a", "cycle-2") is None
    assert world.forge.find("b") is None


def test_opening_again_gives_the_same(world: World):
    """The same draft twice is one pull request."""
    made = world.pushed("a")

    assert world.forge.open(made) == world.forge.open(made)
    assert len(world.forge.listing()) == 1


def test_a_new_commit_updates_the_open_one(world: World):
    """Another cycle's commit of the same gap goes into the open pull request."""
    first = world.forge.open(world.pushed("a"))
    world.now += timedelta(hours=1)
    made = replace(world.pushed("a", "cycle-2"), title="bot: better", draft=True)

    second = world.forge.open(made)

    assert (first.number, first.created_at, first.url) == (
        second.number,
        second.created_at,
        second.url,
    )
    assert (made.head_sha, "cycle-2", "bot: better", True) == (
        second.head_sha,
        second.cycle_id,
        second.title,
        second.draft,
    )
    assert (second,) == world.forge.listing()


def test_another_branch_never_makes_a_second(world: World):
    """While one of the gap is open, a draft of another branch changes nothing."""
    first = world.forge.open(world.pushed("a"))

    assert first == world.forge.open(
        replace(world.pushed("a", "cycle-2"), branch="bot/a-other")
    )


def test_a_lost_answer_is_read_back_whatever_happened_since(world: World):
    """The draft of a pull request that was closed meanwhile opens no second one."""
    made = world.pushed("a")
    pull = world.forge.open(made)
    closed = world.forge.close(pull.number, "person", "no")

    assert closed == world.forge.open(made)


def test_after_the_end_another_cycle_opens_a_new_one(world: World):
    """Once it has ended, a new cycle's draft gets the next number and is the newest."""
    first = world.forge.open(world.pushed("a"))
    world.forge.close(first.number, "bot", "superseded")

    second = world.forge.open(world.pushed("a", "cycle-2"))

    assert second.number == 2
    assert second == world.forge.find("a")
    assert world.forge.find("a", "cycle-1").number == 1


def test_listing_is_by_number_and_state(world: World):
    """The list is ordered by number and can be narrowed to a state."""
    pulls = [world.forge.open(world.pushed(gap)) for gap in ("b", "a", "c")]
    closed = world.forge.close(2, "bot", "stale")

    assert (pulls[0], closed, pulls[2]) == world.forge.listing()
    assert (closed,) == world.forge.listing(PullState.CLOSED_BY_BOT)
    assert (pulls[0], pulls[2]) == world.forge.listing(PullState.OPEN)


def test_opened_since_counts_from_the_moment_on(world: World):
    """The moment itself counts, and so does what ended meanwhile."""
    world.forge.open(world.pushed("a"))
    world.now = MORNING + timedelta(hours=1)
    world.forge.open(world.pushed("b"))
    world.forge.close(2, "person", "no")

    assert world.forge.opened_since(MORNING) == 2
    assert world.forge.opened_since(MORNING + timedelta(hours=1)) == 1
    assert world.forge.opened_since(MORNING + timedelta(hours=2)) == 0


@pytest.mark.parametrize(
    ("by", "state"),
    [("bot", PullState.CLOSED_BY_BOT), ("person", PullState.CLOSED_BY_PERSON)],
)
def test_closing_says_who(world: World, by, state):
    """Who closed it is kept, with the moment; closing again changes nothing."""
    world.forge.open(world.pushed("a"))
    world.now += timedelta(minutes=5)

    closed = world.forge.close(1, by, "because")

    assert (state, world.now) == (closed.state, closed.ended_at)
    world.now += timedelta(minutes=5)
    assert closed == world.forge.close(1, "bot", "again")
    assert closed == world.forge.find("a")


def test_set_merged_ends_it(world: World):
    """A merge that a command made is noted once."""
    world.forge.open(world.pushed("a"))

    merged = world.forge.set_merged(1, "f" * 40)

    assert (merged.state, merged.ended_at) == (PullState.MERGED, MORNING)
    world.now += timedelta(minutes=5)
    assert merged == world.forge.set_merged(1, "f" * 40)
    assert merged == world.forge.find("a")


def test_unknown_numbers_are_errors(world: World):
    """Ending what is not there is refused in words."""
    with pytest.raises(BotError, match="no pull request 7"):
        world.forge.close(7, "bot", "")
    with pytest.raises(BotError, match="no pull request 7"):
        world.forge.set_merged(7, "f" * 40)


def test_refresh_sees_a_merge(world: World):
    """A merge on the other side is seen once, and only of that pull request."""
    first = world.forge.open(world.pushed("a"))
    second = world.forge.open(world.pushed("b", "cycle-2"))
    assert world.forge.refresh(world.base()) == ()
    world.person_merges(first)
    world.now += timedelta(hours=1)

    seen = world.forge.refresh(world.base())

    assert [(1, PullState.MERGED, world.now)] == [
        (pull.number, pull.state, pull.ended_at) for pull in seen
    ]
    assert world.forge.refresh(world.base()) == ()
    assert (second,) == world.forge.listing(PullState.OPEN)


def test_refresh_sees_a_deleted_branch(world: World):
    """A branch that was deleted without a merge was closed by a person."""
    pull = world.forge.open(world.pushed("a"))
    world.person_deletes_branch(pull)

    seen = world.forge.refresh(world.base())

    assert [pull.state for pull in seen] == [PullState.CLOSED_BY_PERSON]
    assert seen == world.forge.listing()


def test_refresh_leaves_alone_what_was_closed_before(world: World):
    """A closed pull request stays closed, whatever happens to its branch."""
    pull = world.forge.open(world.pushed("a"))
    closed = world.forge.close(pull.number, "bot", "stale")
    world.person_deletes_branch(pull)

    assert world.forge.refresh(world.base()) == ()
    assert (closed,) == world.forge.listing()
