"""The whole cycle on one screen. Every early return is a row of the outcome table.

The steps are numbered as in `docs/explanation/cycle.md`; steps 0 (lock, recovery) and 16
(record, event) are around this function, in `bot.cycle.tick`.
"""

from bot.cycle import pause
from bot.cycle.draft import Draft
from bot.cycle.ending import Ending
from bot.cycle.rooms import Rooms


def run_cycle(rooms: Rooms, draft: Draft) -> Ending:  # noqa: C901 - a return a row
    """Work through one cycle of one repository and return how it ended."""
    if ending := pause.check(rooms, draft):  # 1
        return ending
    from bot.cycle import (  # noqa: PLC0415 - 0.2 s that a paused tick does not pay
        answer,
        commit,
        context,
        gate,
        ground,
        publish,
        survey,
    )

    if ending := publish.resume(rooms, draft):  # 2
        return ending
    if ending := context.budget_left(rooms, draft):  # 4
        return ending
    seen = context.gather(rooms, draft)  # 5
    if ending := context.may_run(seen, draft):  # 6
        return ending
    task = survey.pick(rooms, draft, seen)  # 7, 8
    if isinstance(task, Ending):
        return task
    known = ground.prepare(rooms, draft, task)  # 9
    if isinstance(known, Ending):
        return known
    feedback = None
    for repairs_left in reversed(range(1 + rooms.proposer().repair_rounds(task.gap))):
        reply = answer.ask(rooms, draft, task, feedback)  # 10, 11
        if isinstance(reply, Ending):
            return reply
        made = commit.make(rooms, draft, task, reply)  # 12
        tested = gate.test(rooms, draft, made, known)  # 13
        if tested.is_green:
            break
        if not repairs_left or tested.is_as_before(feedback):
            return tested.ending
        feedback = tested.feedback(reply)
    finished = publish.keep(rooms, draft, task, made, known)
    if ending := gate.may_open(rooms, draft):  # 14
        return ending
    return publish.finish(rooms, draft, finished)  # 15
