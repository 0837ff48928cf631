"""The policy gate: may a cycle run, which gap, is the change small enough, may it open.

Pure functions over frozen values; each answer carries its reason in words.
"""

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.cycle.wording import counted, shown
from bot.domain.change import Action, Plan, Refused
from bot.domain.gap import Gap, GapState, GapStatus
from bot.domain.outcome import Outcome

_PATHS_SHOWN = 3
_CAN_BE_FORCED = frozenset(
    {
        GapState.ELIGIBLE,
        GapState.COOLING,
        GapState.NEEDS_HUMAN,
        GapState.NEEDS_INFO,
        GapState.REJECTED,
    }
)
_COUNTED = {  # in the order in which a person can do something about them
    GapState.COOLING: ("cooling down", "cooling down"),
    GapState.NEEDS_HUMAN: ("waits for a person", "wait for a person"),
    GapState.NEEDS_INFO: ("waits for an answer", "wait for an answer"),
    GapState.OPEN_PR: ("has an open pull request", "have an open pull request"),
    GapState.BLOCKED: ("blocked by another gap", "blocked by other gaps"),
    GapState.REJECTED: ("rejected", "rejected"),
    GapState.FAULTY: ("faulty", "faulty"),
    GapState.DONE: ("done", "done"),
}


@dataclass(frozen=True, slots=True)
class CycleContext:
    """What the gate knows of the world when it decides.

    Attributes:
        now: The present moment.
        dirty: Changed paths in the person's checkout; untrusted.
        clean_tree_required: Whether those paths stop a cycle.
        busy: Whether the busy probe says that the machine is needed elsewhere.
        open_pulls: Open pull requests of the bot in this repository.
        pulls_today: Pull requests the bot opened today in this repository.
        open_pulls_all: The same over all repositories.
        pulls_today_all: The same over all repositories.
        max_open_prs: Limit on `open_pulls`.
        prs_per_day: Limit on `pulls_today`.
        max_open_prs_all: Limit on `open_pulls_all`.
        prs_per_day_all: Limit on `pulls_today_all`.
        last_gap_id: The gap of the last cycle that had one.
        forced_gap: The gap a person asked for; its cooldown doesn't count then, but
            everything decided here does.
    """

    now: datetime
    dirty: tuple[str, ...]
    clean_tree_required: bool
    busy: bool
    open_pulls: int
    pulls_today: int
    open_pulls_all: int
    pulls_today_all: int
    max_open_prs: int
    prs_per_day: int
    max_open_prs_all: int
    prs_per_day_all: int
    last_gap_id: str | None = None
    forced_gap: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Go on or end; `outcome` is how the cycle ends when it doesn't go on."""

    run: bool
    outcome: Outcome
    reason: str


@dataclass(frozen=True, slots=True)
class Pick:
    """The gap to work on, or why there is none.

    Attributes:
        gap: The gap; None when nothing can be worked on.
        reason: Why this one, or why none.
        unknown: Whether a person asked for an id that is not there.
    """

    gap: Gap | None
    reason: str
    unknown: bool = False


class SizeLimits(Protocol):
    """The part of the repository's policy that limits one change."""

    @property
    def max_files(self) -> int:
        """Most changed files."""

    @property
    def max_lines(self) -> int:
        """Most added plus removed lines."""

    @property
    def max_bytes(self) -> int:
        """Most bytes of the whole patch."""


def should_run_cycle(context: CycleContext) -> Decision:
    """Decide whether a cycle may start: clean tree, busy probe, limits, in this order."""
    if context.clean_tree_required and context.dirty:
        return Decision(
            run=False,
            outcome=Outcome.SKIPPED_DIRTY_TREE,
            reason=f"uncommitted changes in your checkout: {_named(context.dirty)}; "
            "commit, stash or ignore them",
        )
    if context.busy:
        return Decision(
            run=False,
            outcome=Outcome.SKIPPED_POLICY,
            reason="policy.busy_url says that the machine is busy",
        )
    if reached := _limit_reached(context):
        return Decision(run=False, outcome=Outcome.SKIPPED_POLICY, reason=reached)
    return Decision(run=True, outcome=Outcome.OK, reason="nothing speaks against it")


def score_proposal(planned: Plan | Refused, policy: SizeLimits) -> Decision:
    """Decide whether a planned change is within bounds; the reason gives its size."""
    if isinstance(planned, Refused):
        return _rejected(planned.reason)
    files = sum(change.action is not Action.NOOP for change in planned.changes)
    sizes = (
        ("files", files, policy.max_files),
        ("lines", planned.lines, policy.max_lines),
        ("bytes", planned.patch_bytes, policy.max_bytes),
    )
    for unit, size, limit in sizes:
        if size > limit:
            return _rejected(
                f"the change has {size} {unit}, policy.max_{unit} is {limit}: "
                "split the gap or raise the limit"
            )
    reason = f"accepted: {counted(files, 'file')}, {counted(planned.lines, 'line')}"
    return Decision(run=True, outcome=Outcome.OK, reason=reason)


def should_open_pr(context: CycleContext) -> Decision:
    """Look at the limits again, now that the change is ready to be shown."""
    if reached := _limit_reached(context):
        return Decision(run=False, outcome=Outcome.PR_SKIPPED_BY_POLICY, reason=reached)
    return Decision(run=True, outcome=Outcome.OK, reason="within the limits")


def pick_gap(
    statuses: Sequence[GapStatus], last_gap_id: str | None, forced: str | None
) -> Pick:
    """Pick the gap to work on.

    Eligible ones by priority, then in document order, but not the last one again while
    another is eligible. A forced id also goes through cooldown, `needs_human`,
    `needs_info` and a rejection; no other state.
    """
    if forced is not None:
        return _forced(statuses, forced)
    eligible = [s.gap for s in statuses if s.state is GapState.ELIGIBLE]
    if not eligible:
        return Pick(gap=None, reason=_why_none(statuses))
    others = [gap for gap in eligible if gap.id != last_gap_id]
    gap = min(others or eligible, key=_priority)
    return Pick(gap=gap, reason=f"{gap.priority}, first of {len(eligible)} eligible")


def _priority(gap: Gap) -> str:
    return gap.priority


def _forced(statuses: Sequence[GapStatus], wanted: str) -> Pick:
    found = next((s for s in statuses if s.gap.id == wanted), None)
    if found is None:
        return Pick(gap=None, reason=_why_unknown(statuses, wanted), unknown=True)
    if found.state not in _CAN_BE_FORCED:
        return Pick(
            gap=None,
            reason=f"gap {wanted} can't be worked on: {found.state}: {found.why}",
        )
    return Pick(gap=found.gap, reason=f"asked for by id; it was {found.state}")


def _why_unknown(statuses: Sequence[GapStatus], wanted: str) -> str:
    near = difflib.get_close_matches(wanted, [s.gap.id for s in statuses], n=1)
    hint = f"did you mean {near[0]}?" if near else "`bot gaps` lists those there are"
    return f"no gap has the id {shown(wanted)}; {hint}"


def _why_none(statuses: Sequence[GapStatus]) -> str:
    if not statuses:
        return "no gap can be worked on: no line is marked [bot-eligible]"
    found = Counter(status.state for status in statuses)
    parts = [
        f"{found[state]} {many if found[state] > 1 else one}"
        for state, (one, many) in _COUNTED.items()
        if found[state]
    ]
    return f"no gap can be worked on: {', '.join(parts)}"


def _limit_reached(context: CycleContext) -> str | None:
    return next(_limits_reached(context), None)


def _limits_reached(context: CycleContext) -> Iterator[str]:
    here, everywhere = "in this repository", "over all repositories"
    for count, limit, where, key in (
        (context.open_pulls, context.max_open_prs, here, "policy"),
        (context.open_pulls_all, context.max_open_prs_all, everywhere, "limits"),
    ):
        if count >= limit:
            yield (
                f"{counted(count, 'pull request')} open {where}, "
                f"{key}.max_open_prs is {limit}: merge or close one"
            )
    for count, limit, where, key in (
        (context.pulls_today, context.prs_per_day, here, "policy"),
        (context.pulls_today_all, context.prs_per_day_all, everywhere, "limits"),
    ):
        if count >= limit:
            yield (
                f"{counted(count, 'pull request')} opened today {where}, "
                f"{key}.prs_per_day is {limit}"
            )


def _rejected(reason: str) -> Decision:
    return Decision(run=False, outcome=Outcome.PROPOSAL_REJECTED, reason=reason)


def _named(paths: Sequence[str]) -> str:
    named = ", ".join(shown(path) for path in paths[:_PATHS_SHOWN])
    rest = len(paths) - _PATHS_SHOWN
    return f"{named} and {rest} more" if rest > 0 else named
