"""What a set-up left behind, kept in a folder and shown to later jobs read-only.

The contents are untrusted: they were made by commands of the repository.
"""

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.sandbox.job import HOME, REPO, Bind
from bot.store.files import write_atomic

MANIFEST = "manifest.json"
MOST_ENTRIES = 400
"""Each is a mount of every job; more of them means that a step writes between sources."""

_REMADE = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
# Folders of a home that many programs share: what is in them is shown, not they.
_SHARED = frozenset({".cache", ".config", ".local", ".local/share", ".local/state"})


class Manifest(BaseModel):
    """Says that a set-up is whole, and what it consists of.

    Attributes:
        base_sha: The commit it was made on.
        tree: Paths under `tree/` that lie at the same place in the repository.
        home: Paths under `home/` that lie at the same place in the home.
        left_out: Paths that are neither files nor folders and were dropped.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    base_sha: str
    tree: tuple[str, ...] = ()
    home: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def load(folder: Path) -> Manifest | None:
    """Return the manifest of a whole set-up, or None."""
    try:
        return Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except (OSError, ValidationError):
        return None


def save(folder: Path, manifest: Manifest) -> None:
    """Write the manifest; from then on the set-up counts as whole."""
    write_atomic(folder / MANIFEST, manifest.model_dump_json(indent=1).encode())


def binds_of(folder: Path, manifest: Manifest) -> tuple[Bind, ...]:
    """Return how a set-up is shown to jobs: each part at its place, read-only."""
    parts = [(folder / "tree" / path, f"{REPO}/{path}") for path in manifest.tree]
    parts += [(folder / "home" / path, f"{HOME}/{path}") for path in manifest.home]
    return tuple(Bind(source, target) for source, target in parts if _is_plain(source))


def worth_keeping(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths without what every run makes anew, and names that are no text."""
    stripped = (path.rstrip("/") for path in paths)
    return tuple(p for p in stripped if _is_text(p) and Path(p).name not in _REMADE)


def _is_text(path: str) -> bool:
    return bool(path) and path.encode(errors="ignore").decode() == path


def collect(
    tree: Path, paths: Iterable[str], into: Path
) -> tuple[list[str], list[str]]:
    """Move paths out of a tree, to the same place under another folder.

    Returns:
        What was moved, and what was left because it is a link or no file.
    """
    moved: list[str] = []
    left: list[str] = []
    for path in paths:
        if not _is_plain(tree / path):
            left.append(path)
            continue
        target = into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if (tree / path).is_dir():
            (tree / path).chmod(0o755)  # else it can't be moved by a plain user
        shutil.move(tree / path, target)
        moved.append(path)
    return moved, left


def home_parts(home: Path) -> tuple[str, ...]:
    """Return the paths of a home that are shown to jobs, each by itself."""
    return tuple(sorted(_parts(home, "")))


def _parts(home: Path, under: str) -> Iterator[str]:
    (home / under).chmod(0o755)  # commands close folders even to their own user
    for entry in os.scandir(home / under):
        path = f"{under}/{entry.name}".lstrip("/")
        if path in _SHARED and entry.is_dir(follow_symlinks=False):
            yield from _parts(home, path)
        elif _is_text(path) and _is_plain(Path(entry.path)):
            yield path


def _is_plain(path: Path) -> bool:
    """Tell whether a path is a file or folder; a link could show any file of the bot."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)
