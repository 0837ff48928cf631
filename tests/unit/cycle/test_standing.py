"""What may be done with a gap, from all that is known of its past."""

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.cycle.standing import History, standing_of
from bot.domain.gap import Gap, GapEntry, GapState
from bot.domain.outcome import Outcome
from bot.domain.pull import Pull, PullState
from bot.settings.policy import Policy
from bot.store.index import text_hash

NOW = datetime(2026, 11, 30, 8, 20, tzinfo=UTC)
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Row:
    """An earlier cycle."""

    ended_at: datetime
    text_hash: str | None
    outcome: Outcome = Outcome.TESTS_FAILED
    reason: str = "1 new failure"
    declined: str | None = None


def gap(gap_id: str = "a", text: str = "Do it", depends: tuple[str, ...] = ()) -> Gap:
    """Return a gap."""
    return Gap(
        id=gap_id,
        title=text,
        text=text,
        prd_line=text,
        line_number=1,
        path="PRD.md",
        depends=depends,
    )


def pull(number: int, state: PullState, gap_id: str = "a") -> Pull:
    """Return a pull request."""
    return Pull(
        number=number,
        gap_id=gap_id,
        cycle_id=f"c{number}",
        branch="bot/a",
        head_sha="0" * 40,
        base="main",
        base_sha="1" * 40,
        title="t",
        url=f"file:///pulls/{number}.md",
        state=state,
        created_at=NOW,
    )


def rows(*ages: timedelta, text: str = "Do it") -> tuple[Row, ...]:
    """Return attempts that ended so long ago."""
    return tuple(Row(NOW - age, text_hash(gap(text=text))) for age in ages)


def standing(history: History, of: Gap | None = None, policy: Policy | None = None):
    """Return state and why of one gap."""
    entries = (GapEntry(of or gap()),)
    (status,) = standing_of(entries, history, NOW, policy or Policy())
    return status.state, status.why


def tried(*ages: timedelta) -> History:
    """Return a history with attempts at the gap as it stands."""
    return History(attempts={"a": rows(*ages)})


def test_a_finished_commit_that_was_refused_needs_a_person():
    """Nothing but a person gets it further, so it is no open pull request."""
    history = History(unpublished={"a"}, refused={"a": "branch bot/a is not ours"})

    assert standing(history) == (
        GapState.NEEDS_HUMAN,
        "finished, but branch bot/a is not ours",
    )


def test_a_new_gap_is_eligible():
    """Without a past a gap can be worked on."""
    assert standing(History()) == (GapState.ELIGIBLE, "can be worked on")


def test_a_fault_stands_above_all():
    """A faulty gap is faulty whatever else is known."""
    history = History(pulls=(pull(1, PullState.OPEN),))

    (status,) = standing_of((GapEntry(gap(), "bad id"),), history, NOW, Policy())

    assert (status.state, status.why) == (GapState.FAULTY, "bad id")


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (
            PullState.OPEN,
            (GapState.OPEN_PR, "pull request 3 is open: file:///pulls/3.md"),
        ),
        (
            PullState.MERGED,
            (
                GapState.DONE,
                "pull request 3 was merged, but the line still has its marker",
            ),
        ),
        (
            PullState.CLOSED_BY_PERSON,
            (
                GapState.REJECTED,
                (
                    "a person closed pull request 3; "
                    "to have it tried again ask for it by id, or give the line another "
                    "title (another [id:] where it has one)"
                ),
            ),
        ),
        (PullState.CLOSED_BY_BOT, (GapState.ELIGIBLE, "can be worked on")),
    ],
)
def test_a_pull_request_decides(state, expected):
    """Open, merged and closed by a person decide; closed by the bot doesn't."""
    assert standing(History(pulls=(pull(3, state),))) == expected


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ((PullState.CLOSED_BY_PERSON, PullState.MERGED), GapState.DONE),
        ((PullState.MERGED, PullState.CLOSED_BY_PERSON), GapState.REJECTED),
        ((PullState.CLOSED_BY_PERSON, PullState.CLOSED_BY_BOT), GapState.REJECTED),
        ((PullState.OPEN, PullState.CLOSED_BY_PERSON), GapState.OPEN_PR),
    ],
)
def test_of_several_pull_requests_the_newest_telling_one_decides(states, expected):
    """The newest counts, an open one always, in whatever order they are given."""
    pulls = tuple(pull(n, state) for n, state in enumerate(states, 1))

    assert standing(History(pulls=pulls))[0] is expected
    assert standing(History(pulls=pulls[::-1]))[0] is expected


def test_a_finished_commit_counts_as_open():
    """What waits to be published is not done twice."""
    assert standing(History(unpublished={"a"})) == (
        GapState.OPEN_PR,
        "finished, waiting to be published",
    )


def test_a_gap_is_blocked_until_its_dependencies_are_done():
    """Merged or ticked is done; open, closed and unknown are not."""
    needs = gap(depends=("b", "c", "d", "e"))
    history = History(
        pulls=(
            pull(1, PullState.MERGED, "b"),
            pull(2, PullState.OPEN, "d"),
        ),
        done_ids={"c"},
    )

    assert standing(history, needs) == (GapState.BLOCKED, "waits until done: d, e")
    done = replace(history, done_ids={"c", "d", "e"})
    assert standing(done, needs)[0] is GapState.ELIGIBLE


@pytest.mark.parametrize(
    ("ages", "why"),
    [
        (
            (timedelta(hours=1),),
            (
                "cooling down until 2026-12-01T07:20Z: "
                "1 attempt, the last ended tests_failed: 1 new failure"
            ),
        ),
        (
            (9 * DAY, timedelta(0)),
            (
                "cooling down until 2026-12-03T08:20Z: "
                "2 attempts, the last ended tests_failed: 1 new failure"
            ),
        ),
        (
            (timedelta(seconds=30),),
            (
                "cooling down until 2026-12-01T08:20Z: "
                "1 attempt, the last ended tests_failed: 1 new failure"
            ),
        ),
    ],
)
def test_a_tried_gap_cools_down(ages, why):
    """The wait starts at the end of the last attempt and is told to the next minute."""
    assert standing(tried(*ages)) == (GapState.COOLING, why)


def test_a_cooldown_ends_to_the_second():
    """At its end the gap is eligible, a moment before it is not."""
    assert standing(tried(DAY))[0] is GapState.ELIGIBLE
    assert standing(tried(DAY - timedelta.resolution))[0] is GapState.COOLING


def test_the_last_cooldown_repeats():
    """With more attempts than waits, the last wait counts."""
    policy = Policy(attempts_per_gap=9, cooldown=("1d", "2d"))
    ages = [n * DAY for n in range(2, 7)]

    assert standing(tried(*ages), policy=policy)[0] is GapState.ELIGIBLE
    ages[0] = 2 * DAY - timedelta(seconds=1)
    assert standing(tried(*ages), policy=policy)[0] is GapState.COOLING


def test_enough_attempts_need_a_person():
    """After as many attempts as policy allows, a person must say more."""
    history = tried(30 * DAY, 40 * DAY, 50 * DAY)

    assert standing(history) == (
        GapState.NEEDS_HUMAN,
        (
            "3 attempts, the last ended tests_failed: 1 new failure; "
            "reword it or its notes, or ask for it by id"
        ),
    )


def test_only_attempts_at_the_present_text_count():
    """A gap whose title or notes changed starts anew."""
    old = rows(DAY, 2 * DAY, 3 * DAY, text="Do that")
    history = History(attempts={"a": (*rows(timedelta(0)), *old)})

    assert standing(history)[1].startswith("cooling down until 2026-12-01T08:20Z: 1 ")
    assert standing(History(attempts={"a": old}))[0] is GapState.ELIGIBLE


def test_a_declined_gap_needs_an_answer():
    """A decline counts until the text changes, also when other attempts followed."""
    declined = Row(
        NOW - 9 * DAY,
        text_hash(gap()),
        Outcome.PROPOSAL_REJECTED,
        "declined unclear: which one?\n- This?",
        declined="unclear",
    )

    history = History(attempts={"a": (*rows(timedelta(0)), declined)})

    assert standing(history) == (
        GapState.NEEDS_INFO,
        (
            "declined unclear: which one? - This?; "
            "it is looked at again when its title or notes change"
        ),
    )
    assert standing(history, gap(text="Do this one"))[0] is GapState.ELIGIBLE


def test_reasons_are_safe_to_show():
    """What a program wrote into a reason is one short line."""
    row = Row(NOW, text_hash(gap()), reason="bad\x1b[2J\n" + "x" * 500)

    why = standing(History(attempts={"a": (row,)}))[1]

    assert "\x1b" not in why
    assert "\n" not in why
    assert len(why) < 350


def test_the_order_is_kept_and_many_gaps_are_quick():
    """Twenty thousand gaps with a past take well under two seconds."""
    gaps = [gap(f"g{n}", f"Do {n}", (f"g{n - 1}",) if n else ()) for n in range(20_000)]
    history = History(
        pulls=tuple(pull(n, PullState.MERGED, f"g{n}") for n in range(0, 20_000, 3)),
        attempts={g.id: rows(DAY / 2, DAY, text=g.text) for g in gaps[::2]},
    )
    entries = [GapEntry(g) for g in gaps]
    started = time.process_time()

    statuses = standing_of(entries, history, NOW, Policy())

    assert time.process_time() - started < 2
    assert [s.gap.id for s in statuses] == [g.id for g in gaps]


def test_attempts_of_a_clock_that_was_ahead_cool_nothing() -> None:
    """An attempt that ended in the future counts, but is not waited for."""
    ahead = Row(NOW + 400 * DAY, text_hash(gap()))
    (alone,) = standing_of(
        [GapEntry(gap(), None)], History(attempts={"a": [ahead]}), NOW, Policy()
    )
    recent = Row(NOW - DAY / 2, text_hash(gap()))
    both = History(attempts={"a": [ahead, recent]})
    (cooled,) = standing_of([GapEntry(gap(), None)], both, NOW, Policy())
    assert (GapState.ELIGIBLE, GapState.COOLING) == (alone.state, cooled.state)
