"""Events that the observer has not taken yet, bounded so that a dead one can't hurt."""

import os
from dataclasses import dataclass
from pathlib import Path

from bot.store.files import remove, usable, write_atomic
from bot.store.records import is_cycle_id

MAX_FILES = 10_000
MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Waiting:
    path: Path
    size: int


class Outbox:
    """Bodies to be posted, one durable file a cycle.

    Args:
        folder: `<data>/outbox`.
        max_files: The oldest beyond this many are dropped.
        max_bytes: The oldest beyond this sum of sizes are dropped.
    """

    def __init__(
        self,
        folder: Path,
        *,
        max_files: int = MAX_FILES,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._folder = folder
        self._max_files = max_files
        self._max_bytes = max_bytes

    def put(self, cycle_id: str, body: bytes) -> int:
        """Keep the body durably and return how many old ones were dropped for it.

        The new one is kept even when it alone is over the cap.

        Raises:
            DataFolderUnusable: The file system refused it.
        """
        if not is_cycle_id(cycle_id):
            raise ValueError(f"{cycle_id!r} is not a cycle id")
        path = self._folder / f"{cycle_id}.json"
        write_atomic(path, body)
        dropped = self._surplus(path)
        with usable(self._folder):
            for old in dropped:
                old.unlink(missing_ok=True)
        return len(dropped)

    def pending(self) -> tuple[Path, ...]:
        """Return the bodies that wait, oldest first."""
        return tuple(waiting.path for waiting in self._waiting())

    def done(self, path: Path) -> None:
        """Forget a body that was taken; harmless when repeated."""
        if path.parent != self._folder:
            raise ValueError(f"{path} is not in {self._folder}")
        remove(path)

    def _surplus(self, newest: Path) -> list[Path]:
        waiting = self._waiting()
        files, size = len(waiting), sum(item.size for item in waiting)
        surplus: list[Path] = []
        for item in waiting:
            if files <= self._max_files and size <= self._max_bytes:
                break
            if item.path != newest:
                surplus.append(item.path)
                files, size = files - 1, size - item.size
        return surplus

    def _waiting(self) -> list[_Waiting]:
        if not self._folder.is_dir():
            return []
        with usable(self._folder), os.scandir(self._folder) as entries:
            found = [
                _Waiting(self._folder / entry.name, entry.stat().st_size)
                for entry in entries
                if entry.name.endswith(".json")
                and is_cycle_id(entry.name.removesuffix(".json"))
            ]
        return sorted(found, key=lambda item: item.path.name)
