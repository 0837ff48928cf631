"""Lets git inside read the history, and write nothing of it.

A program that can write git's configuration or hooks owns the bot at its next commit.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from bot.sandbox.job import REPO, Bind

GIT_ENV: Mapping[str, str] = MappingProxyType(
    {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "GIT_OPTIONAL_LOCKS": "0",
    }
)
"""What git needs to read a repository that is somebody else's."""

_SECTION = re.compile(r"^\s*\[\s*([^\s\]]+)")
_SHARED_SECTIONS = frozenset({"core", "extensions"})


def git_binds(tree: Path, git_dir: Path | None) -> tuple[Bind, ...]:
    """Return the read-only binds of a working tree's `.git` and of its repository."""
    binds = []
    pointer = tree / ".git"
    if pointer.exists() and not pointer.is_symlink():
        binds.append(Bind(pointer, f"{REPO}/.git"))
    if git_dir is not None:
        real = git_dir.resolve()
        binds.append(Bind(real, str(real)))
        binds += [Bind(store, str(store)) for store in _alternates(real)]
    return tuple(binds)


def git_files(git_dir: Path | None) -> Mapping[str, str]:
    """Return what is shown in place of files of the repository, by path.

    Its configuration may hold addresses with passwords, so only what git needs to read
    objects is left of it.
    """
    if git_dir is None:
        return {}
    config = git_dir.resolve() / "config"
    return {str(config): shared_config(config.read_text(errors="replace"))}


def shared_config(text: str) -> str:
    """Return the sections of a git configuration that say how to read the objects."""
    kept: list[str] = []
    section = ""
    for line in text.splitlines():
        match = _SECTION.match(line)
        section = match[1].lower() if match else section
        if section in _SHARED_SECTIONS:
            kept.append(line)
    return "\n".join(kept) + "\n"


def _alternates(git_dir: Path) -> tuple[Path, ...]:
    listed = git_dir / "objects/info/alternates"
    if not listed.is_file():
        return ()
    stores = (git_dir / "objects" / line for line in listed.read_text().splitlines())
    return tuple(store.resolve() for store in stores if store.is_dir())
