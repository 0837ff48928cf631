"""Steps 4 to 6: is there money, how does the world stand, may a cycle run now?"""

from dataclasses import replace
from datetime import datetime, time, tzinfo

from bot.cycle.draft import Draft
from bot.cycle.ending import Ending
from bot.cycle.policy import CycleContext, should_run_cycle
from bot.cycle.rooms import Rooms
from bot.domain.outcome import Outcome
from bot.domain.pull import PullState


def budget_left(rooms: Rooms, draft: Draft) -> Ending | None:
    """End as `skipped_cost` when the proposer costs money and none is left today."""
    if not rooms.can_spend:
        return None
    with draft.step("budget"):
        rooms.ledger.settle_dead()
        left = rooms.ledger.left(rooms.caps(), rooms.repo.name)
        draft.note(left.used_up or "money left")
    return Ending(Outcome.SKIPPED_COST, left.used_up) if left.used_up else None


def gather(rooms: Rooms, draft: Draft) -> CycleContext:
    """Look at the person's checkout, the busy probe, the last gap and the pulls."""
    with draft.step("context"):
        needs_clean = _needs_clean_tree(rooms)
        seen = replace(
            gather_limits(rooms),
            clean_tree_required=needs_clean,
            dirty=rooms.dirty_paths() if needs_clean else (),
            busy=_is_busy(rooms.repo.policy.busy_url),
        )
        draft.note(
            f"{len(seen.dirty)} uncommitted changes of the person, "
            f"{seen.open_pulls} open pull requests"
        )
    return seen


def gather_limits(rooms: Rooms) -> CycleContext:
    """Count the pull requests against their limits; the rest is taken for granted."""
    now, name, index = rooms.clock(), rooms.repo.name, rooms.index
    limits, everywhere = rooms.settings.limits_of(rooms.repo), rooms.settings.limits
    today = day_start(now, rooms.settings.zone)
    return CycleContext(
        now=now,
        dirty=(),
        clean_tree_required=False,
        busy=False,
        open_pulls=len(index.pulls(name, PullState.OPEN)),
        pulls_today=len(index.pulls(name, since=today)),
        open_pulls_all=len(index.pulls(None, PullState.OPEN)),
        pulls_today_all=len(index.pulls(None, since=today)),
        max_open_prs=limits.max_open_prs,
        prs_per_day=limits.prs_per_day,
        max_open_prs_all=everywhere.max_open_prs,
        prs_per_day_all=everywhere.prs_per_day,
        last_gap_id=index.last_gap(name),
        forced_gap=rooms.options.gap,
    )


def may_run(seen: CycleContext, draft: Draft) -> Ending | None:
    """End the tick when policy says that no cycle should run now."""
    with draft.step("policy"):
        decision = should_run_cycle(seen)
        draft.note(decision.reason)
    return None if decision.run else Ending(decision.outcome, decision.reason)


def day_start(now: datetime, zone: tzinfo) -> datetime:
    """Return the moment at which the present day of the zone began."""
    return datetime.combine(now.astimezone(zone).date(), time(), tzinfo=zone)


def _needs_clean_tree(rooms: Rooms) -> bool:
    wanted = rooms.repo.policy.require_clean_tree
    default = rooms.repo.forge == "local"
    return rooms.checkout is not None and (default if wanted is None else wanted)


def _is_busy(url: str | None) -> bool:
    if url is None:
        return False
    from bot.observe.http import is_busy  # noqa: PLC0415 - httpx only where asked for

    return is_busy(url)
