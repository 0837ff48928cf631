"""How a tick can end; one meaning a member, the table in the docs is tested against it."""

from enum import StrEnum


class Outcome(StrEnum):
    """The single ending of a tick."""

    OK = "ok"
    SKIPPED_OVERLAP = "skipped_overlap"
    SKIPPED_PAUSE = "skipped_pause"
    SKIPPED_COST = "skipped_cost"
    SKIPPED_DIRTY_TREE = "skipped_dirty_tree"
    SKIPPED_POLICY = "skipped_policy"
    SKIPPED_NO_GAP = "skipped_no_gap"
    MISSED = "missed"
    INTERRUPTED = "interrupted"
    DEFERRED = "deferred"
    MISCONFIGURED = "misconfigured"
    MAINTAINED = "maintained"
    BASELINE_FAILED = "baseline_failed"
    MODEL_FAILED = "model_failed"
    PROPOSAL_REJECTED = "proposal_rejected"
    APPLY_FAILED = "apply_failed"
    CYCLE_NOOP = "cycle_noop"
    TESTS_FAILED = "tests_failed"
    PR_SKIPPED_BY_POLICY = "pr_skipped_by_policy"
    DRY_RUN = "dry_run"
    PR_FAILED = "pr_failed"
    CRASHED = "crashed"


_FAILED = frozenset(
    {
        Outcome.MODEL_FAILED,
        Outcome.PROPOSAL_REJECTED,
        Outcome.APPLY_FAILED,
        Outcome.BASELINE_FAILED,
        Outcome.TESTS_FAILED,
        Outcome.PR_FAILED,
        Outcome.CRASHED,
    }
)

ATTEMPTS = frozenset(
    {
        Outcome.MODEL_FAILED,
        Outcome.PROPOSAL_REJECTED,
        Outcome.APPLY_FAILED,
        Outcome.CYCLE_NOOP,
        Outcome.TESTS_FAILED,
        Outcome.CRASHED,
    }
)
"""Endings that count as an attempt at the gap and start its cooldown."""


def exit_code(outcome: Outcome) -> int:
    """Return the exit status of `bot cycle` for a cycle that ended so."""
    if outcome is Outcome.MISCONFIGURED:
        return 2
    if outcome is Outcome.INTERRUPTED:
        return 130
    return 1 if outcome in _FAILED else 0
