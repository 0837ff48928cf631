"""Whether new paths fit into a tree: folders, files and names that are one elsewhere."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import chain

from bot.workspace.paths import fold, shown


def misfit(added: Iterable[str], stays: AbstractSet[str]) -> str | None:
    """Return why the added paths can't be files beside those that stay, or None.

    Two names that differ only as `fold` ignores collide, folders included: `Foo/x`
    beside `foo/y`. Collisions that the tree already has are nobody's fault and pass.

    Args:
        added: Paths of files that the tree has not got.
        stays: All other paths of the tree.
    """
    new = sorted(set(added))
    files, folders = set(new), _folders(new)
    for path in new:
        inside = next((p for p in parents(path) if p in files or p in stays), None)
        if inside is not None:
            return f"{shown(path)}: {shown(inside)} is a file, not a folder"
    there = _folders({path.rpartition("/")[0] + "/" for path in stays})
    for path in new:
        if path in there:
            return f"{shown(path)}: a folder stands there"
    made = [*new, *sorted(folders - there)]
    # Only names in one and the same folder collide first: a folder above that is spelt
    # otherwise collides itself.
    where = {path.rpartition("/")[0] for path in made}
    beside = (p for p in chain(stays, there) if p.rpartition("/")[0] in where)
    return _collision(made, beside)


def _collision(new: list[str], old: Iterable[str]) -> str | None:
    taken: dict[str, str] = {}
    for path in new:
        other = taken.setdefault(fold(path), path)
        if other != path:
            return _same(path, other)
    for other in old:
        path = taken.get(fold(other), other)
        if path != other:
            return _same(path, other)
    return None


def _same(path: str, other: str) -> str:
    return f"{shown(path)}: on some file systems it is the same name as {shown(other)}"


def _folders(paths: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        for parent in parents(path):
            if parent in found:
                break
            found.add(parent)
    return found


def parents(path: str) -> Iterator[str]:
    """Yield the folders above a path, the nearest first."""
    parent = path.rpartition("/")[0]
    while parent:
        yield parent
        parent = parent.rpartition("/")[0]
