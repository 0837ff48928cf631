"""The files that a gap's text names."""

import string
from collections.abc import Iterable

MAX_NAMED = 10
_SAME_NAME = 3  # more files of one name are not meant all together
_IN_NAMES = frozenset(string.ascii_letters + string.digits + "_/-")
_NO_ENDING = frozenset(
    {"Makefile", "Dockerfile", "Jenkinsfile", "Procfile", "Gemfile", "Rakefile"}
    | {"Vagrantfile", "Justfile", "justfile", "Containerfile", "Caddyfile"}
)


def named_files(text: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the files that a text names, in the order in which it does.

    A file is named by its path or the end of it: at least its name with the ending.
    Where several files have that name, those of which more of the path is given.
    """
    places: dict[str, list[tuple[str, int, int]]] = {}
    for path in paths:
        name = path.rpartition("/")[2]
        if name in text and ("." in name[1:] or name in _NO_ENDING):
            at, length = _longest_end(text, path)
            if at >= 0:
                places.setdefault(name, []).append((path, at, length))
    chosen: list[tuple[int, str]] = []
    for found in places.values():
        longest = max(length for _, _, length in found)
        meant = [(at, path) for path, at, length in found if length == longest]
        chosen += meant if len(meant) <= _SAME_NAME else ()
    return tuple(path for _, path in sorted(chosen))[:MAX_NAMED]


def _longest_end(text: str, path: str) -> tuple[int, int]:
    """Return where the longest end of a path stands in the text, and its length."""
    end = path
    while end:
        at = _find(text, end)
        if at >= 0:
            return at, len(end) + (end == path)
        end = end.partition("/")[2]
    return -1, 0


def _find(text: str, name: str) -> int:
    at = text.find(name)
    while at >= 0 and not _stands_alone(text, at, at + len(name)):
        at = text.find(name, at + 1)
    return at


def _stands_alone(text: str, start: int, stop: int) -> bool:
    # Only ASCII bounds a name: text without spaces may stand right beside it.
    before = text[max(0, start - 3) : start]
    before = before.removesuffix("./") if "./" in before else before.removesuffix("/")
    return (
        before[-1:] not in _IN_NAMES | {"."} and text[stop : stop + 1] not in _IN_NAMES
    )
