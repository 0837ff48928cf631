"""Finished commits that no pull request carries yet: paid work, never lost.

A file that can't be read stays where it is, for a later version or a person.
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from bot.domain.gap import Gap
from bot.domain.record import CheckRecord, Moment, ProposalRecord
from bot.store.files import remove, write_atomic
from bot.store.jsonfile import UnreadableError, dump, load
from bot.store.records import is_cycle_id


class FinishedCommit(BaseModel):
    """All that is needed to publish a commit later without asking anyone again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    cycle_id: str
    repo: str
    gap: Gap
    proposal: ProposalRecord
    files_added: tuple[str, ...] = ()
    files_updated: tuple[str, ...] = ()
    files_deleted: tuple[str, ...] = ()
    files_noop: tuple[str, ...] = ()
    tests: tuple[CheckRecord, ...] = ()
    tests_output: str = ""
    branch: str
    base: str
    base_sha: str
    commit_sha: str
    title: str
    body: str
    labels: tuple[str, ...] = ()
    draft: bool = False
    finished_at: Moment
    sandbox: str | None = None
    dry_run: bool = False
    refused: str | None = None


_READERS = {1: FinishedCommit.model_validate_json}


class Unpublished:
    """The finished commits of one repository that wait for their pull request.

    Args:
        folder: `<data>/<repo>/unpublished`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, commit: FinishedCommit) -> None:
        """Keep the commit durably; an older state of the same cycle is replaced.

        Raises:
            DataFolderUnusable: The file system refused it.
        """
        write_atomic(self._path(commit.cycle_id), dump(commit))

    def oldest(self) -> FinishedCommit | None:
        """Return the commit that waits longest."""
        for path in self._paths():
            commit = _read(path)
            if commit is not None:
                return commit
        return None

    def all(self) -> tuple[FinishedCommit, ...]:
        """Return all that wait, oldest first."""
        commits = (_read(path) for path in self._paths())
        return tuple(commit for commit in commits if commit is not None)

    def unreadable(self) -> tuple[Path, ...]:
        """Return the files that a person or a newer version must look at."""
        return tuple(path for path in self._paths() if _read(path) is None)

    def remove(self, cycle_id: str) -> None:
        """Forget the commit: a pull request carries it now, or it is given up."""
        remove(self._path(cycle_id))

    def _paths(self) -> list[Path]:
        if not self._folder.is_dir():
            return []
        return sorted(p for p in self._folder.glob("*.json") if is_cycle_id(p.stem))

    def _path(self, cycle_id: str) -> Path:
        if not is_cycle_id(cycle_id):
            raise ValueError(f"{cycle_id!r} is not a cycle id")
        return self._folder / f"{cycle_id}.json"


def _read(path: Path) -> FinishedCommit | None:
    try:
        return load(path, _READERS)
    except UnreadableError:
        return None
