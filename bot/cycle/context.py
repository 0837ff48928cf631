"""Steps 4 to 6: is there money, how does the world stand, may a cycle run now?"""

from dataclasses import replace

from bot.cycle.base import fetched_base, has_open_pulls
from bot.cycle.draft import Draft
from bot.cycle.ending import Ending
from bot.cycle.limits import gather_limits
from bot.cycle.policy import CycleContext, should_run_cycle
from bot.cycle.rooms import Rooms
from bot.domain.outcome import Outcome


def budget_left(rooms: Rooms, draft: Draft) -> Ending | None:
    """End as `skipped_cost` when the proposer costs money and none is left today."""
    if not rooms.can_spend():
        return None
    with draft.step("budget"):
        rooms.ledger.settle_dead()
        left = rooms.ledger.left(rooms.caps(), rooms.repo.name)
        draft.note(left.used_up or "money left")
    return Ending(Outcome.SKIPPED_COST, left.used_up) if left.used_up else None


def gather(rooms: Rooms, draft: Draft) -> CycleContext:
    """Look at the person's checkout, the busy probe, the last gap and the pulls."""
    if has_open_pulls(rooms):
        fetched_base(rooms, draft)  # one that was merged no longer counts
    with draft.step("context"):
        needs_clean = _needs_clean_tree(rooms)
        seen = replace(
            gather_limits(rooms),
            clean_tree_required=needs_clean,
            dirty=rooms.dirty_paths() if needs_clean else (),
            busy=_is_busy(rooms.repo.policy.busy_url),
        )
        draft.note(
            f"uncommitted changes of the person: {len(seen.dirty)}, "
            f"open pull requests: {seen.open_pulls}"
        )
    return seen


def may_run(seen: CycleContext, draft: Draft) -> Ending | None:
    """End the tick when policy says that no cycle should run now."""
    with draft.step("policy"):
        decision = should_run_cycle(seen)
        draft.note(decision.reason)
    return None if decision.run else Ending(decision.outcome, decision.reason)


def _needs_clean_tree(rooms: Rooms) -> bool:
    wanted = rooms.repo.policy.require_clean_tree
    default = rooms.repo.forge == "local"
    return rooms.checkout is not None and (default if wanted is None else wanted)


def _is_busy(url: str | None) -> bool:
    if url is None:
        return False
    from bot.observe.http import is_busy  # noqa: PLC0415 - httpx only where asked for

    return is_busy(url)
