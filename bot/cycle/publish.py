"""Steps 2 and 15: bring a finished commit to the other side, once, however often killed.

A commit is stored as finished before anything is shown. Every later step looks before it
acts: the branch may be there already, and so may the pull request.
"""

from bot.cycle import pause
from bot.cycle.attempts import keep_attempt
from bot.cycle.base import fetched_base
from bot.cycle.draft import Draft
from bot.cycle.ending import Ending
from bot.cycle.limits import gather_limits
from bot.cycle.policy import should_open_pr
from bot.cycle.pulltext import body_of, title_of
from bot.cycle.rooms import Rooms
from bot.cycle.work import EDITS_REF, Ground, Made, Task
from bot.domain.change import Action
from bot.domain.outcome import Outcome
from bot.domain.pull import Pull, PullDraft, PullState
from bot.errors import Conflict, PushRejected
from bot.store.unpublished import FinishedCommit
from bot.workspace.fetch import BaseState
from bot.workspace.rebuild import rebuild


def keep(
    rooms: Rooms, draft: Draft, task: Task, made: Made, ground: Ground
) -> FinishedCommit:
    """Store the commit with all that its pull request needs."""
    if draft.proposal is None:
        raise ValueError("only a proposal that was recorded can be kept")
    needs_person = bool(made.answer.plan.protected)
    labels = rooms.repo.policy.labels + (("needs-human",) if needs_person else ())
    finished = FinishedCommit(
        cycle_id=draft.cycle_id,
        repo=draft.repo,
        gap=task.gap,
        proposal=draft.proposal,
        files_added=draft.files[Action.ADD],
        files_updated=draft.files[Action.UPDATE],
        files_deleted=draft.files[Action.DELETE],
        files_noop=draft.files[Action.NOOP],
        tests=draft.tests,
        tests_output=draft.tests_output,
        branch=made.branch,
        base=task.base,
        base_sha=task.base_sha,
        commit_sha=made.sha,
        title=title_of(rooms, made),
        body=body_of(rooms, draft, task, made, ground.baseline),
        labels=labels,
        draft=rooms.repo.policy.draft or needs_person,
        finished_at=rooms.clock(),
        sandbox=draft.sandbox,
        dry_run=rooms.options.dry_run,
    )
    if not rooms.options.prd:
        rooms.unpublished.add(finished)
    return finished


def resume(rooms: Rooms, draft: Draft) -> Ending | None:
    """Publish the oldest finished commit that waits; None lets the cycle go on.

    One that was refused is only tried again when a person asks for its gap.
    """
    waiting = _waiting(rooms)
    if waiting is None:
        return None
    base = fetched_base(rooms, draft)
    if not should_open_pr(gather_limits(rooms)).run:
        return None
    with draft.step("resume", durable=True):
        draft.note(f"commit {waiting.commit_sha[:12]} of {waiting.cycle_id}")
        obstacle = _obstacle(rooms, waiting, base)
        if obstacle:
            if rooms.clone().has(waiting.commit_sha):
                keep_attempt(rooms, waiting.cycle_id, waiting.commit_sha)
            rooms.unpublished.remove(waiting.cycle_id)
            draft.note(f"given up, kept as a patch: {obstacle}")
    if obstacle:
        return None
    _refill(draft, waiting)
    return finish(rooms, draft, waiting)


def finish(rooms: Rooms, draft: Draft, finished: FinishedCommit) -> Ending:
    """Push the commit and find or open its pull request.

    Raises:
        PushRejected: The other side refused the branch; the commit waits.
        Deferred: The other side can't be reached; the commit waits.
    """
    if ending := pause.check(rooms, draft):
        return ending
    rooms.stop_if_cancelled(draft)
    with draft.step("push", durable=True):
        branch = rooms.clone().push_name(finished.branch)
        draft.branch = branch
        stranger = _push(rooms, branch, finished.commit_sha)
        if stranger:
            refused = finished.model_copy(update={"refused": stranger})
            rooms.unpublished.add(refused)
            raise PushRejected(stranger)
        draft.note(f"{finished.commit_sha[:12]} to {branch}")
    with draft.step("pull request", durable=True):
        pull = rooms.forge().open(_draft_of(rooms, finished, branch))
        draft.note(f"number {pull.number}")
    draft.pr_number, draft.pr_url = pull.number, pull.url
    draft.published = finished.cycle_id
    return Ending(Outcome.OK, f"pull request {pull.number} is open: {pull.url}")


def _waiting(rooms: Rooms) -> FinishedCommit | None:
    if rooms.options.dry_run:
        return None
    asked = rooms.options.gap
    may_go = [f for f in rooms.unpublished.all() if not f.refused or f.gap.id == asked]
    return min(may_go, key=lambda f: f.gap.id != asked, default=None)


def _push(rooms: Rooms, branch: str, sha: str) -> str | None:
    """Push unless it is there; return why not when the branch is somebody else's."""
    clone = rooms.clone()
    tip = clone.remote_tip(branch)
    if tip == sha:
        return None
    if tip is not None and not clone.is_ours(tip):
        return (
            f"branch {branch} holds {tip[:12]}, which is not a commit of this bot: it is "
            "left alone; delete or rename it, then run the gap again by its id"
        )
    clone.push(branch, sha, tip)
    return None


def _obstacle(rooms: Rooms, waiting: FinishedCommit, base: BaseState) -> str | None:
    """Return why a waiting commit can't be published any more."""
    pull = rooms.forge().find(waiting.gap.id)
    if pull and not _may_follow(pull, waiting):
        return f"pull request {pull.number} of this gap is {pull.state.value}"
    clone = rooms.clone()
    if not clone.has(waiting.commit_sha):
        return f"its commit was lost with {clone.path}"
    if base.sha == waiting.base_sha:
        return None
    try:
        edits = clone.resolve(EDITS_REF.format(waiting.cycle_id))
        tree = rebuild(clone.git, edits, base.sha)
    except Conflict as conflict:
        return f"the base moved to {base.sha[:12]} and {conflict}"
    if tree == clone.tree_of(base.sha):
        return f"the base at {base.sha[:12]} holds this change already"
    return None


def _may_follow(pull: Pull, waiting: FinishedCommit) -> bool:
    if pull.state is PullState.OPEN:
        return pull.cycle_id == waiting.cycle_id
    return pull.state is PullState.CLOSED_BY_BOT


def _refill(draft: Draft, finished: FinishedCommit) -> None:
    draft.gap = finished.gap
    draft.proposal = finished.proposal
    draft.files = {
        Action.ADD: finished.files_added,
        Action.UPDATE: finished.files_updated,
        Action.DELETE: finished.files_deleted,
        Action.NOOP: finished.files_noop,
    }
    draft.tests, draft.tests_green = finished.tests, True
    draft.tests_output = finished.tests_output
    draft.base_sha = finished.base_sha
    draft.commit_sha = finished.commit_sha
    draft.branch = finished.branch
    draft.sandbox = finished.sandbox


def _draft_of(rooms: Rooms, finished: FinishedCommit, branch: str) -> PullDraft:
    return PullDraft(
        gap_id=finished.gap.id,
        cycle_id=finished.cycle_id,
        branch=branch,
        head_sha=finished.commit_sha,
        base=finished.base,
        base_sha=finished.base_sha,
        title=finished.title,
        body=finished.body,
        patch=rooms.clone().format_patch(finished.commit_sha),
        labels=finished.labels,
        draft=finished.draft,
    )
