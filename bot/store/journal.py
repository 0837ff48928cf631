"""What a running cycle has claimed and done, so that the next start can tell.

An entry lies in `<data>/<repo>/journal/<cycle_id>.json` from the first step until
the cycle's record is written; whatever is still there at a start was interrupted.
"""

from contextlib import suppress
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from bot.domain.gap import Gap
from bot.domain.record import Moment, StepRecord, Trigger
from bot.store.files import remove, usable, write_atomic
from bot.store.jsonfile import UnreadableError, dump, load
from bot.store.records import is_cycle_id, moment_of

UNKNOWN_STAGE = "unknown"


class JournalEntry(BaseModel):
    """The state of one unfinished cycle."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    cycle_id: str
    repo: str
    trigger: Trigger
    slot: str | None = None
    started_at: Moment
    pid: int
    gap: Gap | None = None
    base_sha: str | None = None
    branch: str | None = None
    stage: str
    steps: tuple[StepRecord, ...] = ()
    manual_gap: str | None = None


_READERS = {1: JournalEntry.model_validate_json}


class Journal:
    """The unfinished cycles of one repository.

    Args:
        folder: `<data>/<repo>/journal`; the repository's name is read off it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self, entry: JournalEntry) -> None:
        """Claim the cycle durably, before its first step.

        Raises:
            DataFolderUnusable: The file system refused it.
        """
        self.update(entry)

    def update(self, entry: JournalEntry) -> None:
        """Replace the entry of this cycle.

        Raises:
            DataFolderUnusable: The file system refused it.
        """
        write_atomic(self._path(entry.cycle_id), dump(entry))

    def end(self, cycle_id: str) -> None:
        """Forget the cycle; its record must stand by now. Harmless when repeated."""
        remove(self._path(cycle_id))

    def entries(self) -> tuple[JournalEntry, ...]:
        """Return what can be read of the journal now, oldest first; changes nothing."""
        if not self._folder.is_dir():
            return ()
        found = []
        for path in sorted(self._folder.glob("*.json")):
            with suppress(UnreadableError):
                found.append(load(path, _READERS))
        return tuple(found)

    def unfinished(self) -> tuple[JournalEntry, ...]:
        """Return what earlier processes left unfinished, oldest first.

        An entry that can't be read is moved aside to `<name>.unreadable`, and one
        made from its file name stands for it, with stage `unknown`.
        """
        if not self._folder.is_dir():
            return ()
        paths = sorted(p for p in self._folder.glob("*.json") if is_cycle_id(p.stem))
        return tuple(self._entry(path) for path in paths)

    def _entry(self, path: Path) -> JournalEntry:
        named = self._from_name(path)
        with suppress(UnreadableError):
            entry = load(path, _READERS)
            if (entry.cycle_id, entry.repo) == (named.cycle_id, named.repo):
                return entry
        with usable(path):
            path.replace(path.with_name(path.name + ".unreadable"))
        return named

    def _from_name(self, path: Path) -> JournalEntry:
        return JournalEntry(
            cycle_id=path.stem,
            repo=self._folder.parent.name,
            trigger="tick",
            started_at=moment_of(path.stem),
            pid=0,
            stage=UNKNOWN_STAGE,
        )

    def _path(self, cycle_id: str) -> Path:
        if not is_cycle_id(cycle_id):
            raise ValueError(f"{cycle_id!r} is not a cycle id")
        return self._folder / f"{cycle_id}.json"
