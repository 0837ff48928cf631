"""The base as an answer names it: which path is meant, and what stands there."""

import unicodedata
from functools import cached_property

from bot.propose.edits.nearest import nearest_paths
from bot.propose.edits.values import Base, Unfit

_SIDES = ("a/", "b/")  # of a diff; models put them before paths


class Tree:
    """Looks up the paths of one answer."""

    def __init__(self, base: Base) -> None:
        self._base = base
        self._read: dict[str, bytes | None] = {}

    def content(self, path: str) -> bytes | None:
        """Return the file at exactly this path, None where there is none."""
        if path not in self._read:
            self._read[path] = self._base.read(path)
        return self._read[path]

    def is_executable(self, path: str) -> bool:
        """Return whether the file has its x bit."""
        return self._base.is_executable(path)

    def find(self, path: str) -> str | None:
        """Return the existing path that is meant, None where there is none.

        Another Unicode normal form and the `a/` or `b/` of a diff are seen through, but
        only where the path as it stands is not there.
        """
        _check(path)
        if self.content(path) is not None:
            return path
        for side in _SIDES:
            plain = path.removeprefix(side)
            if plain not in {path, ""} and self.content(plain) is not None:
                return plain
        same = self._by_form.get(unicodedata.normalize("NFC", path), [])
        return same[0] if len(same) == 1 else None

    def existing(self, path: str, verb: str) -> str:
        """Return the existing path that is meant.

        Raises:
            Unfit: There is none.
        """
        found = self.find(path)
        if found is not None:
            return found
        near = nearest_paths(path, self._paths)
        raise Unfit(
            f"`{verb} {path}`: there is no such file; a new one is made by `new`",
            "\n".join(near),
        )

    def new(self, path: str, verb: str) -> str:
        """Return the path of a file that is not there yet.

        Raises:
            Unfit: It is there.
        """
        found = self.find(path)
        if found is not None:
            raise Unfit(
                f"`{verb} {path}`: {found} is there already; use `edit` or `whole`"
            )
        side, _, plain = path.partition("/")
        is_side = f"{side}/" in _SIDES and side not in self._folders
        # Only a diff has a folder `a` beside which all the other folders begin.
        return plain if is_side and plain.partition("/")[0] in self._folders else path

    @cached_property
    def _paths(self) -> frozenset[str]:
        return frozenset(self._base.paths())

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(path.partition("/")[0] for path in self._paths if "/" in path)

    @cached_property
    def _by_form(self) -> dict[str, list[str]]:
        forms: dict[str, list[str]] = {}
        for path in self._paths:
            forms.setdefault(unicodedata.normalize("NFC", path), []).append(path)
        return forms


def _check(path: str) -> None:
    """Refuse what no repository has, before anything is asked about it."""
    names = path.split("/")
    is_odd = not path.isprintable() or "\\" in path or len(path) > 1000  # noqa: PLR2004 - far above real paths
    if is_odd or any(name in {"", ".", "..", ".git"} for name in names):
        raise Unfit(
            f"{path[:200]!a} is no path of a file; name it from the root of the "
            "repository, with `/`"
        )
