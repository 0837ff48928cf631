"""Steps 10 and 11: ask the proposer, plan its edits to exact bytes, score them."""

from bot.cycle import pause
from bot.cycle.draft import Draft
from bot.cycle.ending import Ending
from bot.cycle.policy import score_proposal
from bot.cycle.rooms import Rooms
from bot.cycle.work import Answer, Task
from bot.domain.change import Declined, NoAnswer, Plan, Proposal, Refused
from bot.domain.outcome import Outcome
from bot.errors import OverBudget
from bot.propose.proposer import Feedback
from bot.propose.proposer import Task as Question
from bot.store.files import probe
from bot.workspace.plan import plan_edits
from bot.workspace.snapshot import Snapshot

_TAIL = 4000  # characters of a failed recipe's output that the record keeps


def ask(
    rooms: Rooms, draft: Draft, task: Task, feedback: Feedback | None
) -> Answer | Ending:
    """Return a proposal that fits its base and the rules, or how the cycle ends."""
    if ending := pause.check(rooms, draft):
        return ending
    with draft.step("propose", durable=True):
        try:
            reply = rooms.proposer().propose(_question(draft, task), feedback)
        except OverBudget as refused:
            if feedback is None:
                raise
            return Ending(Outcome.TESTS_FAILED, f"red, and no repair: {refused}")
        rooms.stop_if_cancelled(draft)
        draft.note(_describe(reply))
    if isinstance(reply, Proposal):
        return _scored(rooms, draft, task, reply, feedback)
    return _without_proposal(rooms, draft, reply)


def _without_proposal(
    rooms: Rooms, draft: Draft, reply: Declined | NoAnswer | Refused
) -> Ending:
    if isinstance(reply, Declined):
        return _declined(reply)
    if isinstance(reply, Refused):
        return Ending(Outcome.PROPOSAL_REJECTED, reply.reason)
    # A disk that is full by now may have ended it, which is no attempt of the gap's.
    probe(rooms.settings.data_dir)
    draft.tests_output = rooms.redactor.text(reply.output[-_TAIL:])
    return Ending(Outcome.MODEL_FAILED, reply.reason)


def _scored(
    rooms: Rooms,
    draft: Draft,
    task: Task,
    proposal: Proposal,
    feedback: Feedback | None,
) -> Answer | Ending:
    if feedback and proposal.edits == feedback.previous.edits:
        return Ending(Outcome.TESTS_FAILED, "red, and the repair changed nothing")
    draft.take_proposal(proposal)
    with draft.step("score"):
        tree = rooms.tree()
        tree.move_to(task.base_sha)
        base = Snapshot(tree.git, task.base_sha)
        planned = plan_edits(proposal.edits, base, rooms.rules())
        if isinstance(planned, Refused):
            draft.note(planned.reason)
            return Ending(Outcome.PROPOSAL_REJECTED, planned.reason)
        draft.take_plan(proposal, planned)
        decision = score_proposal(planned, rooms.repo.policy)
        draft.note(decision.reason)
    if not decision.run:
        return Ending(decision.outcome, decision.reason)
    if planned.is_noop:
        return Ending(Outcome.CYCLE_NOOP, _noop(planned))
    return Answer(proposal, planned)


def _question(draft: Draft, task: Task) -> Question:
    return Question(
        gap=task.gap,
        base_sha=task.base_sha,
        cycle_id=draft.cycle_id,
        memory=task.memory,
        resumes=task.resumes,
        origin=task.origin or draft.cycle_id,
        tried=task.tried,
    )


def _describe(reply: Proposal | Declined | NoAnswer | Refused) -> str:
    if isinstance(reply, Proposal):
        return f"{reply.summary} (files: {len(reply.edits)})"
    return reply.reason


def _declined(reply: Declined) -> Ending:
    asked = "".join(f"\n- {question}" for question in reply.questions[:3])
    return Ending(
        Outcome.PROPOSAL_REJECTED, f"declined {reply.kind}: {reply.reason}{asked}"
    )


def _noop(plan: Plan) -> str:
    if not plan.changes:
        return "the proposer changed nothing: the gap may be closed already"
    return f"all {len(plan.changes)} proposed files are as they are at the base already"
