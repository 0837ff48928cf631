"""Up to which base each open pull request was looked for; losing it only costs time."""

import json
from collections.abc import Collection
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from bot.store.files import write_atomic


class Looked:
    """A small file: pull request number to the base it was not found merged in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stored: dict[int, str] | None = None
        self._seen: dict[int, str] = {}

    def at(self, number: int) -> str | None:
        """Return the base last looked at for a pull request."""
        if self._stored is None:
            self._stored = _load(self._path)
            self._seen = dict(self._stored)
        return self._seen.get(number)

    def set(self, number: int, base_sha: str | None) -> None:
        """Note a base, or forget the pull request so that it is looked for anew."""
        if base_sha is None:
            self._seen.pop(number, None)
        else:
            self._seen[number] = base_sha

    def save(self, keep: Collection[int]) -> None:
        """Write what is known of the pull requests to keep, if it changed."""
        self._seen = {n: sha for n, sha in self._seen.items() if n in keep}
        if self._seen == (self._stored or {}):
            return
        write_atomic(self._path, json.dumps(self._seen).encode())
        self._stored = dict(self._seen)


def _load(path: Path) -> dict[int, str]:
    try:
        return TypeAdapter(dict[int, str]).validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return {}
