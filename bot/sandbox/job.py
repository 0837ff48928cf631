"""What is asked of a sandbox and what came of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

REPO = "/repo"
"""Where the tree of a job lies inside the sandbox, whatever it is outside."""

HOME = "/home/bot"
"""The private home inside the sandbox."""

SHELL = 'cd -- "$0" || exit 1; exec sh -c "$1"'
"""Script for `sh -c` that runs its second argument in the folder named by the first."""


def never() -> bool:
    """Answer that nobody asked the job to stop."""
    return False


@dataclass(frozen=True, slots=True)
class Bind:
    """A file or folder of the host that a job sees.

    Attributes:
        source: Absolute path on the host; must exist.
        target: Absolute path inside.
        writable: Whether the job may change it.
    """

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One command line to be run on a tree.

    Attributes:
        command: Run by `sh -c`.
        tree: The working tree, seen and writable at `/repo`.
        cwd: Working directory, relative to the tree.
        env: Variables beside the sandbox's own few; secrets only by being put here.
        binds: What else is seen; the parents of targets are made when missing.
        git_dir: The private bare clone that the tree is a worktree of; readable only.
        network: Whether the host's network can be reached.
        timeout_s: Wall time before it is killed.
        silence_s: Time without output before it is killed; None for no such limit.
    """

    command: str
    tree: Path
    timeout_s: float
    silence_s: float | None = None
    cwd: str = "."
    env: Mapping[str, str] = field(default_factory=dict)
    binds: tuple[Bind, ...] = ()
    git_dir: Path | None = None
    network: bool = False


class Ended(StrEnum):
    """Why a job is over."""

    EXIT = "exit"
    TIMEOUT = "timeout"
    SILENCE = "silence"
    MEMORY = "memory"
    DISK = "disk"
    CANCELLED = "cancelled"
    KILLED = "killed"


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a job.

    Attributes:
        exit_code: Of the command as `sh` reports it; None unless it ended by itself.
        ended: Why it is over.
        duration_ms: Wall time.
        output: Both streams as they came, as plain text: the first 16 KB and the last
            64 KB, with a line between that says how much is left out.
        sandbox: What confined it, for the record.
    """

    exit_code: int | None
    ended: Ended
    duration_ms: int
    output: str
    sandbox: str

    @property
    def is_green(self) -> bool:
        """Whether the command ended by itself with 0."""
        return self.ended is Ended.EXIT and self.exit_code == 0


class Sandbox(Protocol):
    """Runs jobs; nothing of a job is alive once `run` is back."""

    def run(
        self,
        job: Job,
        on_output: Callable[[str], None] | None = None,
        cancel: Callable[[], bool] = never,
    ) -> Finished:
        """Run one job to its end.

        Args:
            job: What to run.
            on_output: Called with plain text as it comes.
            cancel: Asked several times a second; True kills the job.

        Raises:
            SandboxUnavailable: The job can't be confined, so it was not run.
        """
        ...

    def shell(self, job: Job) -> int:
        """Run a job on the person's terminal, without bounds on time and output.

        Raises:
            SandboxUnavailable: The job can't be confined, so it was not run.
        """
        ...

    def describe(self) -> str:
        """Return what confines a job, in a few words for the record."""
        ...
