"""`bot pulls merge`: a pull request of the local forge is brought into the base.

Its stored edits and the tick of its line are replayed on the base as it is now, as a new
commit. Merging the text of the requirements document would conflict as soon as two
neighbouring lines are ticked.
"""

import shlex
from dataclasses import dataclass
from pathlib import Path

from bot.cycle.document import prd_files
from bot.cycle.gaps import tick_by_id
from bot.cycle.rooms import Rooms
from bot.cycle.work import COMMIT_REF, EDITS_REF
from bot.domain.pull import Pull, PullState
from bot.errors import BotError, ConfigError
from bot.store.locks import holder, repository_lock
from bot.workspace.checkout import base_is_checked_out
from bot.workspace.commit import commit as commit_tree
from bot.workspace.commit import replace_file
from bot.workspace.rebuild import rebuild


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of a merge.

    Attributes:
        sha: The commit in the base; None when it is left to the person.
        reason: What was done, in words.
        command: What the person should run instead.
    """

    sha: str | None
    reason: str
    command: str | None = None


def merge_pull(rooms: Rooms, number: int) -> Merged:
    """Replay a pull request on the base and push that, unless the person stands on it.

    Raises:
        BotError: Another cycle is at work, the pull request is not open, or its branch
            holds somebody's commit.
        Conflict: Its edits don't fit the base any more.
    """
    with repository_lock(rooms.folder, f"merge of {number}") as is_ours:
        if not is_ours:
            raise _busy(rooms)
        return _merge(rooms, number)


def rebuild_commit(rooms: Rooms, pull: Pull, base_sha: str) -> str:
    """Return a commit on this base with the pull request's edits and its tick.

    Raises:
        Conflict: The edits don't fit this base.
    """
    clone = rooms.clone()
    edits = clone.resolve(EDITS_REF.format(pull.cycle_id))
    old = clone.resolve(COMMIT_REF.format(pull.cycle_id))
    tree = rebuild(clone.git, edits, base_sha)
    if clone.tree_of(edits) != clone.tree_of(old):
        tree = _ticked(rooms, tree, base_sha, pull.gap_id)
    message = clone.git.text("log", "-1", "--format=%B", old) + "\n"
    made = commit_tree(
        clone.git, tree, base_sha, message, rooms.repo.identity, rooms.clock()
    )
    # A kill may come before the new one is pushed, so the old one stays known as ours.
    clone.keep(COMMIT_REF.format(f"{pull.cycle_id}.{old}"), old)
    clone.keep(COMMIT_REF.format(pull.cycle_id), made)
    return made


def close_pull(rooms: Rooms, number: int, comment: str) -> Pull:
    """Close a pull request for a person; its branch stays.

    Raises:
        BotError: A cycle is at work, or there is no such pull request.
    """
    with repository_lock(rooms.folder, f"close of {number}") as is_ours:
        if not is_ours:
            raise _busy(rooms)
        return rooms.forge().close(number, "person", comment)


def _busy(rooms: Rooms) -> BotError:
    other = holder(rooms.folder) or "another process"
    return BotError(f"a cycle is at work ({other}); try again when it has ended")


def _merge(rooms: Rooms, number: int) -> Merged:
    clone, forge = rooms.clone(), rooms.forge()
    pull = next((p for p in forge.listing() if p.number == number), None)
    if pull is None:
        raise ConfigError(
            f"repository {rooms.repo.name!r} has no pull request {number}; "
            "`bot pulls list` shows those there are"
        )
    base = clone.fetch_base()
    forge.refresh(base.sha)
    pull = next(p for p in forge.listing() if p.number == number)
    if pull.state is not PullState.OPEN:
        raise BotError(
            f"pull request {number} is {pull.state.replace('_', ' ')} already"
        )
    tip = clone.remote_tip(pull.branch)
    if tip != pull.head_sha and not (tip and clone.is_ours(tip)):
        raise BotError(
            f"branch {pull.branch} of pull request {number} is at {tip}, which the bot "
            "did not push: merge it by hand"
        )
    made = rebuild_commit(rooms, pull, base.sha)
    if _stands_on(rooms, base.branch):
        clone.push(pull.branch, made, tip)
        return Merged(None, _left_to_you(pull, base.branch), _command(rooms, pull))
    clone.advance_base(made, base.sha)
    forge.set_merged(number, made)
    clone.delete_remote(pull.branch, tip)
    clone.fetch_base()
    return Merged(made, f"pull request {number} is in {base.branch} as {made[:12]}")


def _stands_on(rooms: Rooms, branch: str) -> bool:
    """Whether a working tree of the person's repository has the base checked out."""
    if rooms.repo.is_url:
        return False
    return base_is_checked_out(Path(rooms.repo.path), branch, rooms.git_env())


def _ticked(rooms: Rooms, tree: str, base_sha: str, gap_id: str) -> str:
    ticked = tick_by_id(prd_files(rooms, base_sha), gap_id)
    if ticked is None:
        return tree
    path, text = ticked
    return replace_file(rooms.clone().git, tree, path, text.encode("utf-8"))


def _left_to_you(pull: Pull, branch: str) -> str:
    return (
        f"{branch} is checked out, so the bot leaves it alone; branch {pull.branch} "
        f"is rebuilt on it now. To merge pull request {pull.number}, run:"
    )


def _command(rooms: Rooms, pull: Pull) -> str:
    words = ("git", "-C", rooms.repo.path, "merge", "--ff-only", pull.branch)
    return shlex.join(words)
