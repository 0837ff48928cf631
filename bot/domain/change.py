"""A proposed change: whole new contents of files, never a patch to be matched later."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Action(StrEnum):
    """What happens to one file."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    NOOP = "noop"


Kind = Literal["file", "symlink", "submodule"]


@dataclass(frozen=True, slots=True)
class FileEdit:
    """The wanted state of one path.

    Attributes:
        path: Relative to the repository's root, with `/`; untrusted.
        content: The whole file as it lies in a working tree; None deletes it.
        executable: The wanted x bit; None keeps the old one (a new file gets none).
        kind: What the path is to become; a proposer that reads a tree reports
            symlinks and submodules here, so that policy can refuse them.
    """

    path: str
    content: bytes | None
    executable: bool | None = None
    kind: Kind = "file"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposer's answer to a gap."""

    summary: str
    rationale: str
    edits: tuple[FileEdit, ...]
    model_used: str
    tokens_used: int = 0
    skills_used: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declined:
    """The proposer says that the gap should not be closed as it stands."""

    kind: Literal["unclear", "too_big", "already_done"]
    reason: str
    questions: tuple[str, ...] = ()
    model_used: str = ""
    tokens_used: int = 0


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The proposer had no usable answer (refusal, cut off, recipe failed)."""

    reason: str
    output: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One path of a planned or measured change.

    Attributes:
        path: Relative to the repository's root.
        action: What happens to it.
        content: The exact bytes to be written; None for a deletion.
        executable: The x bit it will have.
        lines_added: Added lines of text (0 for binary files).
        lines_removed: Removed lines of text (0 for binary files).
        binary: Whether the old or the new content holds a NUL byte.
    """

    path: str
    action: Action
    content: bytes | None
    executable: bool = False
    lines_added: int = 0
    lines_removed: int = 0
    binary: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole change, checked and planned to exact bytes before anything is written."""

    base_sha: str
    changes: tuple[Change, ...]
    patch_bytes: int

    def paths(self, action: Action) -> tuple[str, ...]:
        """Return the paths with this action, in order."""
        return tuple(c.path for c in self.changes if c.action is action)

    @property
    def is_noop(self) -> bool:
        """Whether nothing would change."""
        return all(c.action is Action.NOOP for c in self.changes)

    @property
    def lines(self) -> int:
        """Added plus removed lines over all files."""
        return sum(c.lines_added + c.lines_removed for c in self.changes)


@dataclass(frozen=True, slots=True)
class Refused:
    """A proposal that breaks a rule; the reason names the path and the rule."""

    reason: str
