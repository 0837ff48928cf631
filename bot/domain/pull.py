"""A pull request as every forge shows it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class PullState(StrEnum):
    """Where a pull request stands; who closed it matters."""

    OPEN = "open"
    MERGED = "merged"
    CLOSED_BY_PERSON = "closed_by_person"
    CLOSED_BY_BOT = "closed_by_bot"


@dataclass(frozen=True, slots=True)
class PullDraft:
    """What is needed to open a pull request.

    Attributes:
        gap_id: The gap it closes.
        cycle_id: The cycle that made it; with the gap it is the hidden marker.
        branch: The pushed branch, without `refs/heads/`.
        head_sha: The commit that was pushed.
        base: The base branch, without `refs/heads/`.
        base_sha: The commit it was made on.
        title: One line.
        body: Markdown with the hidden marker.
        patch: `git format-patch` text of the commit.
        labels: Wanted labels; cosmetic.
        draft: Whether it opens as a draft.
    """

    gap_id: str
    cycle_id: str
    branch: str
    head_sha: str
    base: str
    base_sha: str
    title: str
    body: str
    patch: bytes
    labels: tuple[str, ...] = ()
    draft: bool = False


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request as it stands on the forge."""

    number: int
    gap_id: str
    cycle_id: str
    branch: str
    head_sha: str
    base: str
    base_sha: str
    title: str
    url: str
    state: PullState
    created_at: datetime
    ended_at: datetime | None = None
    labels: tuple[str, ...] = ()
    draft: bool = False
