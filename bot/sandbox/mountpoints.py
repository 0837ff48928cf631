"""The places in a tree that things are shown at, and that must not stay behind.

The tree is untrusted: a symlink on the way to a place would lead out of it.
"""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath

from bot.sandbox.job import REPO, Bind


def open_up(tree: Path) -> None:
    """Let the tree's owner in again, where an earlier job closed it to everybody."""
    mode = stat.S_IMODE(tree.stat().st_mode)
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        with suppress(OSError):  # not ours to change: then nor is it ours to enter
            tree.chmod(mode | stat.S_IRWXU)


def place_of(tree: Path, bind: Bind) -> Path | None:
    """Return where a bind lies in the tree; None for one that lies elsewhere."""
    target = PurePosixPath(bind.target)
    if not target.is_relative_to(REPO):
        return None
    return tree / target.relative_to(REPO)


def fits(tree: Path, bind: Bind) -> bool:
    """Tell whether a bind can lie on the tree as it now is.

    Not where a symlink or a file stands in the way, or a file where a folder is to be,
    or where a folder on the way may not be entered.
    """
    try:
        return _fits(tree, bind)
    except PermissionError:
        return False


def _fits(tree: Path, bind: Bind) -> bool:
    place = place_of(tree, bind)
    if place is None:
        return True
    if ".." in place.parts or place == tree:
        return False
    for path in _way(tree, place):
        if path.is_symlink():
            return False
        if not path.exists():
            return True
        if path != place and not path.is_dir():
            return False
    return place.is_dir() == bind.source.is_dir()


def missing(tree: Path, binds: Iterable[Bind]) -> tuple[Path, ...]:
    """Return what has to be made in the tree for binds to lie on it, outermost first."""
    places = [place for bind in binds if (place := place_of(tree, bind))]
    made = (p for place in places for p in _way(tree, place))
    return tuple(dict.fromkeys(p for p in made if not os.path.lexists(p)))


def remove_empty(tree: Path, places: Iterable[Path]) -> None:
    """Remove those of the places that are empty, whatever became of the others."""
    for place in reversed(tuple(places)):
        with suppress(OSError):
            if any(path.is_symlink() for path in _way(tree, place)):
                continue
            if place.is_dir():
                place.rmdir()
            elif place.is_file() and not place.stat().st_size:
                place.unlink()


def _way(tree: Path, place: Path) -> tuple[Path, ...]:
    """Return every step from below the tree to a place."""
    parts = place.relative_to(tree).parts
    return tuple(tree.joinpath(*parts[: n + 1]) for n in range(len(parts)))
