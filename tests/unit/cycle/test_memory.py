"""What a proposer is told of earlier cycles on its gap."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from bot.cycle.memory import SUMMARY_LIMIT, remember
from bot.domain.outcome import Outcome

NEWEST = datetime(2026, 11, 30, 8, 20, tzinfo=UTC)


@dataclass(frozen=True)
class Row:
    """An earlier cycle."""

    age_days: int
    outcome: Outcome = Outcome.TESTS_FAILED
    reason: str = "1 new failure"
    summary: str | None = "Sort imports"
    cost_usd: Decimal = Decimal("0.01")

    @property
    def ended_at(self) -> datetime:
        """Return when it ended."""
        return NEWEST - timedelta(days=self.age_days)


def test_nothing_is_said_explicitly():
    """Without an earlier cycle the text says so, lest it be looked for."""
    memory = remember(())

    assert memory.rows == ()
    assert memory.summary == "No earlier cycle worked on this gap."
    assert (memory.stats.cycles, memory.stats.endings, memory.stats.same_in_a_row) == (
        0,
        (),
        0,
    )


def test_the_text_tells_what_was_tried_and_how_it_ended():
    """Newest first, one line a cycle, with the counts above."""
    rows = (
        Row(0),
        Row(1, Outcome.MODEL_FAILED, "exit code 1\nboom", None),
        Row(2, reason="2 new failures"),
    )

    memory = remember(rows)

    assert memory.rows == rows
    assert memory.summary == (
        "Earlier cycles on this gap, newest first (2 tests_failed, 1 model_failed):\n"
        "- 2026-11-30 tried: Sort imports; tests_failed: 1 new failure\n"
        "- 2026-11-29 tried: nothing; model_failed: exit code 1 boom\n"
        "- 2026-11-28 tried: Sort imports; tests_failed: 2 new failures"
    )


def test_only_the_last_five_are_remembered():
    """Older cycles are left out of rows, numbers and text."""
    memory = remember(Row(age) for age in range(9))

    assert [row.age_days for row in memory.rows] == [0, 1, 2, 3, 4]
    assert memory.stats.cycles == 5
    assert memory.stats.cost_usd == Decimal("0.05")
    assert memory.stats.endings == (("tests_failed", 5),)


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome.INTERRUPTED,
        Outcome.DRY_RUN,
        Outcome.DEFERRED,
        Outcome.SKIPPED_COST,
        Outcome.BASELINE_FAILED,
    ],
)
def test_what_says_nothing_never_enters(outcome):
    """Interrupted, dry and not begun cycles are passed over, not counted."""
    memory = remember((Row(0, outcome), Row(1)))

    assert [row.age_days for row in memory.rows] == [1]


@pytest.mark.parametrize(
    ("rows", "same"),
    [
        ((Row(0),), 1),
        ((Row(0), Row(1)), 2),
        ((Row(0), Row(1, reason="other"), Row(2)), 1),
        ((Row(0), Row(1), Row(2, Outcome.CRASHED)), 2),
    ],
)
def test_equal_endings_in_a_row_are_counted(rows, same):
    """Outcome and reason must be the same, from the newest on."""
    memory = remember(rows)

    assert memory.stats.same_in_a_row == same
    hint = f"The last {same} ended alike: try another way."
    assert memory.summary.endswith(hint) == (same > 1)


def test_success_is_no_reason_to_try_another_way():
    """Only attempts that failed alike bring the hint."""
    assert "alike" not in remember((Row(0, Outcome.OK), Row(1, Outcome.OK))).summary


def test_the_text_is_short_whatever_was_written():
    """Five cycles with endless words of each outcome stay within the limit."""
    rows = [
        Row(age, outcome, "y " * 900, "x\x1b" * 900)
        for age, outcome in enumerate(
            (
                Outcome.PR_SKIPPED_BY_POLICY,
                Outcome.PROPOSAL_REJECTED,
                Outcome.TESTS_FAILED,
                Outcome.MODEL_FAILED,
                Outcome.APPLY_FAILED,
            )
        )
    ]
    alike = [Row(n, Outcome.PROPOSAL_REJECTED, "y " * 900, "x" * 900) for n in range(5)]

    assert 1000 < len(remember(rows).summary) <= SUMMARY_LIMIT
    assert len(remember(alike).summary) <= SUMMARY_LIMIT
    assert "\x1b" not in remember(rows).summary
