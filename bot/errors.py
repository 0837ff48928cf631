"""The errors a caller handles differently; the tree is one level deep.

`BotError` is the root. Expected endings of a cycle are values (`bot.domain.outcome`),
never exceptions: these are for what a stage could not do.
"""

from collections.abc import Sequence
from datetime import datetime


class BotError(Exception):
    """Something could not be done; the message says what, on what, and what to do."""

    exit_code = 1


class ConfigError(BotError):
    """The command line or the config is wrong; nothing was done."""

    exit_code = 2


class UnknownGap(BotError):
    """A person asked for a gap that is not there; no attempt, no record."""

    exit_code = 2


class Misconfigured(BotError):
    """The repository or its remote can't be used as configured; a person must act."""

    exit_code = 2


class DataFolderUnusable(BotError):
    """The data folder is full, read-only or not there; no promise can be kept."""

    exit_code = 3


class Deferred(BotError):
    """The world was not ready (offline, locked, rate-limited); nobody's fault.

    Args:
        message: What was tried and what answered.
        not_before: Earliest sensible moment for another try, when it is known.
    """

    exit_code = 0

    def __init__(self, message: str, not_before: datetime | None = None) -> None:
        super().__init__(message)
        self.not_before = not_before


class OverBudget(BotError):
    """A reservation does not fit a cap; the message names the scope and the cap."""


class SandboxUnavailable(BotError):
    """Untrusted code can't be confined here, so it is not run."""

    exit_code = 2


class ApplyFailed(BotError):
    """Writing, staging or branching failed; the tree is back at its base."""


class Conflict(BotError):
    """The stored edits no longer fit the new base."""


class PushRejected(BotError):
    """The other side refused the branch; the message carries its words."""


class Interrupted(BotError):
    """A signal asked the running cycle to stop at the next safe point."""

    exit_code = 130


class GitFailed(BotError):
    """A git command failed.

    Args:
        argv: The arguments after `git`.
        code: Its exit status.
        stderr: What it said.
    """

    def __init__(self, argv: Sequence[str], code: int, stderr: str) -> None:
        said = stderr.strip() or "it said nothing"
        super().__init__(f"git {' '.join(argv)} ended with {code}: {said}")
        self.argv = tuple(argv)
        self.code = code
        self.stderr = stderr
