"""Interrupted cycles that paid for replies: what is needed to go on from them.

One small file a gap under `<data>/<repo>/resumable/`; the newest interruption of a gap
replaces the one before.
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from bot.store.files import remove, write_atomic
from bot.store.jsonfile import UnreadableError, dump, load
from bot.store.records import is_cycle_id


class Resumable(BaseModel):
    """An interrupted cycle whose replies are stored.

    Attributes:
        cycle_id: The cycle; its replies are under this id.
        origin: The cycle that first asked, from which the prompt's marks come.
        gap_id: Its gap.
        text_hash: Of the gap's text as it was; another text asks anew.
        base_sha: The base that the replies are about.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    cycle_id: str
    origin: str
    gap_id: str
    text_hash: str
    base_sha: str


_READERS = {1: Resumable.model_validate_json}


class ResumableStore:
    """What one repository can go on from.

    Args:
        folder: `<data>/<repo>/resumable`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, paid: Resumable) -> None:
        """Keep an interrupted cycle durably.

        Raises:
            DataFolderUnusable: The file system refused it.
        """
        write_atomic(self._path(paid.cycle_id), dump(paid))

    def newest(self) -> Resumable | None:
        """Return the interrupted cycle to go on from first."""
        found = self.all()
        return found[-1] if found else None

    def all(self) -> tuple[Resumable, ...]:
        """Return all that can be read, oldest first."""
        if not self._folder.is_dir():
            return ()
        paths = sorted(p for p in self._folder.glob("*.json") if is_cycle_id(p.stem))
        return tuple(paid for path in paths if (paid := _read(path)) is not None)

    def forget(self, gap_id: str) -> None:
        """Forget a gap's interrupted cycles: one went on from them, or they are void."""
        for paid in self.all():
            if paid.gap_id == gap_id:
                remove(self._path(paid.cycle_id))

    def _path(self, cycle_id: str) -> Path:
        if not is_cycle_id(cycle_id):
            raise ValueError(f"{cycle_id!r} is not a cycle id")
        return self._folder / f"{cycle_id}.json"


def _read(path: Path) -> Resumable | None:
    try:
        return load(path, _READERS)
    except UnreadableError:
        return None
