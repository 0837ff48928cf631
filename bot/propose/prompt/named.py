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
    Where one place in the text fits several files, those of which it gives the whole
    path are meant, or else all of them, if they are few.
    """
    places: dict[tuple[int, int], list[str]] = {}
    for path in paths:
        name = path.rpartition("/")[2]
        if name in text and ("." in name[1:] or name in _NO_ENDING):
            place = _place(text, path)
            if place is not None:
                places.setdefault(place, []).append(path)
    found: dict[str, None] = {}
    for (start, stop), fitting in sorted(places.items()):
        whole = [path for path in fitting if path == text[start:stop]]
        meant = whole or fitting
        found |= dict.fromkeys(meant if len(meant) <= _SAME_NAME else ())
    return tuple(found)[:MAX_NAMED]


def _place(text: str, path: str) -> tuple[int, int] | None:
    """Return from where to where the longest end of a path stands in the text."""
    end = path
    while end:
        at = _find(text, end)
        if at >= 0:
            return at, at + len(end)
        end = end.partition("/")[2]
    return None


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
