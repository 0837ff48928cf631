"""Parsed documents, kept by what they were parsed from; losing one costs a parse."""

import json
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.cycle.gaps.document import Document
from bot.domain.gap import Gap, GapEntry
from bot.store.files import write_atomic

GRAMMAR = 1
"""Raised whenever the same text may read differently."""
_KEPT = 4


class Blob(Protocol):
    """A file of a commit: its path, and the id of its content."""

    @property
    def path(self) -> str:
        """Relative to the repository's root."""
        ...

    @property
    def blob(self) -> str:
        """Git's object id."""
        ...


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    gap: Gap
    fault: str | None


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    entries: tuple[_Entry, ...]
    done_ids: tuple[str, ...]


class GapCache:
    """One JSON file for each parsed set of documents, the newest few kept.

    Args:
        folder: Where they lie; made when the first is put.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def key(
        self, blobs: Iterable[Blob], *, recipes: frozenset[str], recipe_needed: bool
    ) -> str:
        """Return the key of all that a parsed document depends on."""
        files = sorted((blob.path, blob.blob) for blob in blobs)
        parts = [GRAMMAR, files, sorted(recipes), recipe_needed]
        return sha256(json.dumps(parts).encode()).hexdigest()

    def get(self, key: str) -> Document | None:
        """Return the parsed document; what can't be read counts as absent."""
        try:
            stored = _Stored.model_validate_json(self._path(key).read_bytes())
        except (OSError, ValidationError):
            return None
        if stored.key != key:
            return None
        entries = tuple(GapEntry(entry.gap, entry.fault) for entry in stored.entries)
        return Document(entries, frozenset(stored.done_ids))

    def put(self, key: str, document: Document) -> None:
        """Keep a parsed document and drop the oldest beyond a few.

        Raises:
            DataFolderUnusable: The file system refused it.
        """
        stored = _Stored(
            key=key,
            entries=tuple(_Entry(gap=e.gap, fault=e.fault) for e in document.entries),
            done_ids=tuple(sorted(document.done_ids)),
        )
        write_atomic(self._path(key), stored.model_dump_json().encode())
        self._drop_old()

    def _path(self, key: str) -> Path:
        return self._folder / f"gaps-{key}.json"

    def _drop_old(self) -> None:
        found = sorted(self._folder.glob("gaps-*.json"), key=_age, reverse=True)
        for path in found[_KEPT:]:
            path.unlink(missing_ok=True)


def _age(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_mtime_ns
    return 0
