"""A legal name for a repository, from whatever its folder or URL is called."""

import re
from collections.abc import Collection

_LONGEST = 64
_FALLBACK = "repository"
_OF_THE_DATA_FOLDER = ("ledger", "outbox", "gitconfig", "bot.paused", "bot.sqlite3")


def name_for(path: str, taken: Collection[str] = ()) -> str:
    """Return a name that the config takes and that no other repository has."""
    last = re.split(r"[/:]", path.rstrip("/"))[-1].lower().removesuffix(".git")
    legal = re.sub(r"[^a-z0-9._-]+", "-", last)
    legal = re.sub(r"^[._-]+|[._-]+$", "", legal)
    if not legal or legal.startswith(_OF_THE_DATA_FOLDER):
        legal = f"{_FALLBACK}-{legal}".rstrip("-")
    return _free(legal[:_LONGEST], taken)


def _free(name: str, taken: Collection[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        ending = f"-{number}"
        free = name[: _LONGEST - len(ending)] + ending
    return free
