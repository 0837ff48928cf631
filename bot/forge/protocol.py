"""What every forge can do for the bot."""

from datetime import datetime
from typing import Literal, Protocol

from bot.domain.pull import Pull, PullDraft, PullState

Closer = Literal["bot", "person"]


class Forge(Protocol):
    """Finds, opens and ends the bot's pull requests."""

    def find(self, gap_id: str, cycle_id: str | None = None) -> Pull | None:
        """Return the newest pull request with this marker, in any state."""
        ...

    def open(self, draft: PullDraft) -> Pull:
        """Find or create: a gap never gets a second open pull request.

        The one of the same cycle is returned in whatever state it is, so that a lost
        answer is read back; an open one of the gap and branch is brought up to date.

        Raises:
            PushRejected: The branch holds a commit by someone else.
        """
        ...

    def listing(self, state: PullState | None = None) -> tuple[Pull, ...]:
        """Return the bot's pull requests by number."""
        ...

    def opened_since(self, moment: datetime) -> int:
        """Count the pull requests opened at or after the moment, whatever came of them."""
        ...

    def close(self, number: int, by: Closer, comment: str) -> Pull:
        """Close an open pull request; one that has ended stays as it is.

        Raises:
            BotError: There is no such pull request.
        """
        ...

    def refresh(self, base_sha: str) -> tuple[Pull, ...]:
        """Look which open pull requests have ended, and return those.

        Args:
            base_sha: The base as just fetched; nothing is concluded from it where the
                remote has moved on.
        """
        ...

    def set_merged(self, number: int, sha: str) -> Pull:
        """Note that an open pull request was merged as this commit.

        Raises:
            BotError: There is no such pull request.
        """
        ...
