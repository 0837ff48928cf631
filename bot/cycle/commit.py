"""Step 12: write the change into the cycle's tree and make the one commit of it.

The tree goes to git before any test runs, so nothing that a test leaves behind can
enter it. Two commits are kept: the edits alone, from which the pull request can be
rebuilt on another base, and the edits with the gap's line ticked, which is pushed.
"""

import stat
from dataclasses import replace

from bot.cycle.draft import Draft
from bot.cycle.gaps import tick
from bot.cycle.rooms import Rooms
from bot.cycle.work import COMMIT_REF, EDITS_REF, Answer, Made, Task
from bot.domain.change import Action, Change, Plan
from bot.domain.gap import Gap
from bot.forge.body import branch_name
from bot.workspace.apply import apply
from bot.workspace.commit import commit as commit_tree
from bot.workspace.commit import message_of, replace_file
from bot.workspace.trees import Tree


def make(rooms: Rooms, draft: Draft, task: Task, answer: Answer) -> Made:
    """Apply the planned change to the cycle's tree, which stands at the base; commit it.

    Raises:
        ApplyFailed: Writing or staging failed; the tree is back at its base.
    """
    with draft.step("apply", durable=True):
        tree = rooms.tree()
        ticked = _ticked_line(rooms, tree, task.gap)
        tree_sha = apply(_with(answer.plan, ticked), tree)
        draft.note(_counts(answer.plan))
    with draft.step("commit"):
        message = _message(rooms, draft, task, answer)
        git, identity = rooms.clone().git, rooms.repo.identity
        edits_tree = _without(rooms, tree_sha, task.base_sha, ticked)
        if ticked is None:
            tree_sha = _ticked_blob(rooms, tree_sha, task)
        edits = commit_tree(
            git, edits_tree, task.base_sha, message, identity, draft.started_at
        )
        whole = commit_tree(
            git, tree_sha, task.base_sha, message, identity, draft.started_at
        )
        rooms.clone().keep(EDITS_REF.format(draft.cycle_id), edits)
        rooms.clone().keep(COMMIT_REF.format(draft.cycle_id), whole)
        draft.branch = branch_name(rooms.repo.prefix, task.gap.id, task.gap.title)
        draft.commit_sha = whole
        draft.note(f"{whole[:12]} for {draft.branch}")
    return Made(answer, whole, edits, draft.branch, message)


def _ticked_line(rooms: Rooms, tree: Tree, gap: Gap) -> Change | None:
    """Return the change of the PRD that ticks the gap's own line, if it is to be.

    None also where attributes give the checked out file another text than its content.
    """
    if not _is_to_be_ticked(rooms):
        return None
    path = tree.path / gap.path
    text = _ticked(path.read_bytes(), gap)
    if text is None:
        return None
    executable = bool(path.stat().st_mode & stat.S_IXUSR)
    return Change(gap.path, Action.UPDATE, text, executable)


def _ticked_blob(rooms: Rooms, tree_sha: str, task: Task) -> str:
    """Return the tree with the gap's line ticked in what git holds of the PRD."""
    if not _is_to_be_ticked(rooms):
        return tree_sha
    old = rooms.clone().read(task.base_sha, task.gap.path)
    text = None if old is None else _ticked(old, task.gap)
    if text is None:
        return tree_sha
    return replace_file(rooms.clone().git, tree_sha, task.gap.path, text)


def _is_to_be_ticked(rooms: Rooms) -> bool:
    return rooms.repo.mark_done != "never" and not rooms.options.prd


def _ticked(content: bytes, gap: Gap) -> bytes | None:
    try:
        text = tick(content.decode("utf-8"), gap)
    except UnicodeDecodeError:
        return None
    return None if text is None else text.encode("utf-8")


def _with(plan: Plan, ticked: Change | None) -> Plan:
    return replace(plan, changes=(*plan.changes, ticked)) if ticked else plan


def _without(rooms: Rooms, tree_sha: str, base_sha: str, ticked: Change | None) -> str:
    if ticked is None:
        return tree_sha
    old = rooms.clone().read(base_sha, ticked.path)
    return replace_file(rooms.clone().git, tree_sha, ticked.path, old or b"")


def _message(rooms: Rooms, draft: Draft, task: Task, answer: Answer) -> str:
    proposal = answer.proposal
    subject = rooms.repo.commit_subject.format(summary=proposal.summary)
    return message_of(
        subject,
        f"{proposal.rationale}\n\nPRD gap: {task.gap.prd_line.strip()}",
        (
            ("Bot-Gap", task.gap.id),
            ("Bot-Cycle", draft.cycle_id),
            ("Bot-Model", proposal.model_used),
        ),
    )


def _counts(plan: Plan) -> str:
    actions = (Action.ADD, Action.UPDATE, Action.DELETE, Action.NOOP)
    counted = ((len(plan.paths(action)), action.value) for action in actions)
    return ", ".join(f"{count} {name}" for count, name in counted if count)
