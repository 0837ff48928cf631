"""From a draft to a pull request: what every forge that keeps its own makes of it."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from bot.domain.pull import Pull, PullDraft, PullState
from bot.forge.protocol import Closer

CLOSED_BY: dict[Closer, PullState] = {
    "bot": PullState.CLOSED_BY_BOT,
    "person": PullState.CLOSED_BY_PERSON,
}


def opened(draft: PullDraft, number: int, url: str, now: datetime) -> Pull:
    """Return the new pull request of a draft."""
    return Pull(
        number=number,
        gap_id=draft.gap_id,
        cycle_id=draft.cycle_id,
        branch=draft.branch,
        head_sha=draft.head_sha,
        base=draft.base,
        base_sha=draft.base_sha,
        title=draft.title,
        url=url,
        state=PullState.OPEN,
        created_at=now,
        labels=draft.labels,
        draft=draft.draft,
    )


def updated(pull: Pull, draft: PullDraft) -> Pull:
    """Return the pull request with what a newer draft of the same branch says."""
    return replace(
        pull,
        cycle_id=draft.cycle_id,
        head_sha=draft.head_sha,
        base=draft.base,
        base_sha=draft.base_sha,
        title=draft.title,
        labels=draft.labels,
        draft=draft.draft,
    )


def newest(pulls: Iterable[Pull]) -> Pull | None:
    """Return the one with the highest number."""
    return max(pulls, key=number_of, default=None)


def number_of(pull: Pull) -> int:
    """Return what pull requests are ordered by."""
    return pull.number
