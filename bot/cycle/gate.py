"""Steps 13 and 14: the repository's own checks on the commit, then the limits again."""

from bot.cycle.attempts import keep_attempt
from bot.cycle.draft import Draft
from bot.cycle.ending import Ending
from bot.cycle.limits import gather_limits
from bot.cycle.policy import should_open_pr
from bot.cycle.room import keep_room
from bot.cycle.rooms import Rooms
from bot.cycle.runs import run_on_tree
from bot.cycle.work import Ground, Made, Tested
from bot.domain.outcome import Outcome

_TAIL = 8000  # characters of output that the record keeps


def test(rooms: Rooms, draft: Draft, made: Made, ground: Ground) -> Tested:
    """Run the usable checks on the tree of the commit, in the sandbox.

    Raises:
        Interrupted: A signal came in; the attempt is kept as a patch.
    """
    with draft.step("tests", durable=True):
        results = run_on_tree(rooms, ground.baseline.usable, ground.set_up)
        red = [result for result in results if not result.green]
        draft.tests = tuple(result.record for result in results)
        draft.tests_green = not red
        output = "\n".join(f"$ {r.check.run}\n{r.finished.output}" for r in results)
        draft.tests_output = rooms.redactor.text(output[-_TAIL:])
        draft.note("green" if not red else red[0].detail)
        keep_room(rooms, made.sha)
        if red or rooms.is_cancelled():
            keep_attempt(rooms, draft.cycle_id, made.sha)
        rooms.stop_if_cancelled(draft)
    reason = "; ".join(f"`{r.check.run}`: {r.detail}" for r in red)
    return Tested(not red, reason, draft.tests_output)


def may_open(rooms: Rooms, draft: Draft) -> Ending | None:
    """Look at the limits once more: others may have opened pull requests meanwhile."""
    if rooms.options.dry_run:
        return Ending(Outcome.DRY_RUN, _kept(rooms))
    with draft.step("limits"):
        decision = should_open_pr(gather_limits(rooms))
        draft.note(decision.reason)
    return None if decision.run else Ending(decision.outcome, decision.reason)


def _kept(rooms: Rooms) -> str:
    if rooms.options.prd:
        return "green; nothing is kept, as the gap came from a file on disk"
    return "green and kept: the next cycle publishes it"
