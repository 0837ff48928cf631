"""The policy gate: may a cycle run, which gap, does the change fit, may it be opened."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.cycle.policy import (
    CycleContext,
    Decision,
    Pick,
    pick_gap,
    score_proposal,
    should_open_pr,
    should_run_cycle,
)
from bot.domain.change import Action, Change, Plan, Refused
from bot.domain.gap import Gap, GapState, GapStatus
from bot.domain.outcome import Outcome
from bot.settings.policy import Policy

CALM = CycleContext(
    now=datetime(2026, 11, 30, 8, 20, tzinfo=UTC),
    dirty=(),
    clean_tree_required=True,
    busy=False,
    open_pulls=1,
    pulls_today=1,
    open_pulls_all=4,
    pulls_today_all=3,
    max_open_prs=2,
    prs_per_day=2,
    max_open_prs_all=5,
    prs_per_day_all=4,
)


def status(gap_id: str, state: str = "eligible", priority: str = "p2") -> GapStatus:
    """Return a gap's standing."""
    gap = Gap(
        id=gap_id,
        title=gap_id,
        text=gap_id,
        prd_line=gap_id,
        line_number=1,
        path="PRD.md",
        priority=priority,
    )
    return GapStatus(gap, GapState(state), f"why {gap_id}")


def picked(*statuses: GapStatus, last: str | None = None, forced: str | None = None):
    """Return the id of the gap that is picked, and the reason."""
    pick = pick_gap(statuses, last, forced)
    return pick.gap and pick.gap.id, pick.reason


# May a cycle run?


def test_a_calm_world_lets_a_cycle_run():
    """Below every limit, with a clean tree and no load, a cycle runs."""
    assert should_run_cycle(CALM) == Decision(
        run=True, outcome=Outcome.OK, reason="nothing speaks against it"
    )


@pytest.mark.parametrize(
    ("dirty", "named"),
    [
        (("a.py",), "a.py"),
        (("a.py", "b.py", "c.py"), "a.py, b.py, c.py"),
        (("a", "b", "c", "d", "e"), "a, b, c and 2 more"),
        (("two\nlines\x1b[2J", "\udcff"), "two lines\ufffd[2J, \ufffd"),
    ],
)
def test_changes_of_a_person_end_the_tick(dirty, named):
    """Up to three paths are named, without what a terminal would act on."""
    decision = should_run_cycle(replace(CALM, dirty=dirty))

    assert decision == Decision(
        run=False,
        outcome=Outcome.SKIPPED_DIRTY_TREE,
        reason=f"uncommitted changes in your checkout: {named}; "
        "commit, stash or ignore them",
    )


def test_changes_that_do_not_matter_are_ignored():
    """Where no clean tree is required, a dirty one stops nothing."""
    seen = replace(CALM, dirty=("a.py",), clean_tree_required=False)

    assert should_run_cycle(seen).run


def test_a_busy_machine_ends_the_tick():
    """The busy probe stops a cycle before the limits are looked at."""
    decision = should_run_cycle(replace(CALM, busy=True, open_pulls=9))

    assert (decision.run, decision.outcome) == (False, Outcome.SKIPPED_POLICY)
    assert decision.reason == "policy.busy_url says that the machine is busy"


LIMITS = [
    (
        {"open_pulls": 2},
        (
            "2 pull requests open in this repository, policy.max_open_prs is 2: "
            "merge or close one"
        ),
    ),
    (
        {"open_pulls_all": 6},
        (
            "6 pull requests open over all repositories, limits.max_open_prs is 5: "
            "merge or close one"
        ),
    ),
    (
        {"pulls_today": 1, "prs_per_day": 1},
        "1 pull request opened today in this repository, policy.prs_per_day is 1",
    ),
    (
        {"pulls_today_all": 4},
        "4 pull requests opened today over all repositories, limits.prs_per_day is 4",
    ),
    (
        {"open_pulls": 0, "max_open_prs": 0},
        (
            "0 pull requests open in this repository, policy.max_open_prs is 0: "
            "merge or close one"
        ),
    ),
]


@pytest.mark.parametrize(("change", "reason"), LIMITS)
@pytest.mark.parametrize("forced", [None, "a"])
def test_a_reached_limit_ends_the_tick(change, reason, forced):
    """Each limit stops a cycle, also one that a person asked for."""
    seen = replace(CALM, forced_gap=forced, **change)

    assert should_run_cycle(seen) == Decision(
        run=False, outcome=Outcome.SKIPPED_POLICY, reason=reason
    )


@pytest.mark.parametrize(("change", "reason"), LIMITS)
def test_limits_are_looked_at_again_before_a_pull_request(change, reason):
    """A limit reached meanwhile keeps the change from being shown."""
    assert should_open_pr(replace(CALM, **change)) == Decision(
        run=False, outcome=Outcome.PR_SKIPPED_BY_POLICY, reason=reason
    )


def test_only_limits_count_before_a_pull_request():
    """A dirty tree and a busy machine no longer matter then."""
    assert should_open_pr(replace(CALM, dirty=("a",), busy=True)).run


# Does the change fit?


def plan(lines: int = 30, files: int = 2, patch_bytes: int = 900) -> Plan:
    """Return a plan of the given size, with one file that stays as it is."""
    changes = [
        Change(f"{n}.py", Action.UPDATE, b"x", lines_added=lines // files)
        for n in range(files)
    ]
    same = Change("same.py", Action.NOOP, b"x")
    return Plan("0" * 40, (*changes, same), patch_bytes)


def test_a_refused_plan_is_rejected_with_its_reason():
    """What the planner refused stays refused in its words."""
    assert score_proposal(Refused("a.py: protected"), Policy()) == Decision(
        run=False, outcome=Outcome.PROPOSAL_REJECTED, reason="a.py: protected"
    )


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        ({}, "accepted: 2 files, 30 lines"),
        ({"files": 1, "lines": 1}, "accepted: 1 file, 1 line"),
        ({"files": 20, "lines": 600, "patch_bytes": 512 * 1024}, None),
    ],
)
def test_a_change_within_bounds_is_accepted(size, reason):
    """The reason gives the size; files that stay as they are don't count."""
    decision = score_proposal(plan(**size), Policy())

    assert decision.run
    assert reason in {None, decision.reason}


@pytest.mark.parametrize(
    ("size", "named"),
    [
        ({"files": 21}, "21 files, policy.max_files is 20"),
        ({"files": 1, "lines": 601}, "601 lines, policy.max_lines is 600"),
        ({"patch_bytes": 524289}, "524289 bytes, policy.max_bytes is 524288"),
    ],
)
def test_a_change_out_of_bounds_is_rejected(size, named):
    """The bound that is broken is named with its value."""
    assert score_proposal(plan(**size), Policy()) == Decision(
        run=False,
        outcome=Outcome.PROPOSAL_REJECTED,
        reason=f"the change has {named}: split the gap or raise the limit",
    )


# Which gap?


def test_the_most_urgent_gap_is_picked_then_the_first():
    """Priority counts first, the order in the document second."""
    urgent = status("c", priority="p0")

    assert picked(status("a"), status("b"), urgent, status("d", priority="p0")) == (
        "c",
        "p0, first of 4 eligible",
    )
    assert picked(status("a"), status("b"))[0] == "a"


def test_the_last_gap_waits_while_another_is_eligible():
    """No gap is worked on twice in a row, unless it is the only one."""
    both = (status("a", priority="p0"), status("b"))

    assert picked(*both, last="a")[0] == "b"
    assert picked(*both, last="b")[0] == "a"
    assert picked(status("a"), status("b", "cooling"), last="a")[0] == "a"


@pytest.mark.parametrize("state", [s for s in GapState if s is not GapState.ELIGIBLE])
def test_only_eligible_gaps_are_picked(state):
    """Any other state keeps a gap from being picked."""
    assert picked(status("a", state), status("b", priority="p3"))[0] == "b"


def test_why_no_gap_is_picked_counts_the_states():
    """The reason says how many gaps wait for what."""
    assert picked(
        status("a", "cooling"),
        status("b", "needs_human"),
        status("c", "cooling"),
        status("d", "needs_info"),
        status("e", "open_pr"),
        status("f", "blocked"),
        status("g", "rejected"),
        status("h", "faulty"),
        status("i", "done"),
    ) == (
        None,
        (
            "no gap can be worked on: 2 cooling down, 1 waits for a person, "
            "1 waits for an answer, 1 has an open pull request, 1 blocked by another gap, "
            "1 rejected, 1 faulty, 1 done"
        ),
    )
    assert picked(status("a", "needs_human"), status("b", "needs_human"))[1] == (
        "no gap can be worked on: 2 wait for a person"
    )


def test_a_document_without_gaps_is_told():
    """Without any marked line the reason says what a gap looks like."""
    assert picked() == (
        None,
        "no gap can be worked on: no line is marked [bot-eligible]",
    )


@pytest.mark.parametrize(
    "state", ["eligible", "cooling", "needs_human", "needs_info", "rejected"]
)
def test_a_person_may_ask_for_a_gap_that_waits(state):
    """An id goes through what only waits, whatever the priority and the last gap."""
    waits = status("b", state, "p3")

    assert picked(status("a", priority="p0"), waits, last="b", forced="b") == (
        "b",
        f"asked for by id; it was {state}",
    )


@pytest.mark.parametrize("state", ["faulty", "open_pr", "done", "blocked"])
def test_a_person_can_not_ask_for_what_can_not_be_done(state):
    """No id goes through a state that a cycle could not end well from; it says why."""
    pick = pick_gap((status("a"), status("b", state)), None, "b")

    assert pick == Pick(None, f"gap b can't be worked on: {state}: why b")


def test_an_id_that_is_not_there_is_unknown():
    """The nearest id is offered where there is one."""
    statuses = (status("sort-imports"),)

    assert pick_gap(statuses, None, "sort-import") == Pick(
        None, "no gap has the id sort-import; did you mean sort-imports?", unknown=True
    )
    assert pick_gap(statuses, None, "zzz\n") == Pick(
        None, "no gap has the id zzz; `bot gaps` lists those there are", unknown=True
    )
