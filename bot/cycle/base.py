"""The base of this tick: looked at once, and with it what became of open pull requests."""

from bot.cycle.draft import Draft
from bot.cycle.rooms import Rooms
from bot.domain.pull import PullState
from bot.workspace.fetch import BaseState


def fetched_base(rooms: Rooms, draft: Draft) -> BaseState:
    """Return the base as the remote has it, fetched at the first call of a tick.

    Raises:
        Misconfigured: The base or the repository is gone, or access is refused.
        Deferred: The remote is out of reach.
    """
    if draft.base is None:
        with draft.step("fetch"):
            base = rooms.clone().fetch_base()
            draft.note(f"{base.branch} is at {base.sha[:12]}")
            if has_open_pulls(rooms):
                ended = rooms.forge().refresh(base.sha)
                for pull in ended:
                    draft.note(f"pull request {pull.number} is {pull.state.value}")
        draft.base = base
    draft.base_sha = draft.base.sha
    return draft.base


def has_open_pulls(rooms: Rooms) -> bool:
    """Whether the bot has open pull requests in this repository, as last seen."""
    return bool(rooms.index.pulls(rooms.repo.name, PullState.OPEN))
