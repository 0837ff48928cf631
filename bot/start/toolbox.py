"""Which of the programs that commands need the sandbox has to be shown."""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.sandbox.host import PATH
from bot.start.interpreter import interpreter_folder

_SHIMS = "shims"  # of pyenv, nodenv, asdf: scripts that look up a version in the home


@dataclass(frozen=True, slots=True)
class Toolbox:
    """What was found of the programs outside the folders that the sandbox sees.

    Attributes:
        folders: Folders to show, with the programs that are in each.
        missing: Programs that were not found, or are no more than a pointer to one.
    """

    folders: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]


def find_toolbox(programs: Iterable[str], environ: Mapping[str, str]) -> Toolbox:
    """Return where the programs are that the sandbox does not see by itself."""
    folders: dict[str, tuple[str, ...]] = {}
    missing: list[str] = []
    for name in dict.fromkeys(programs):
        if shutil.which(name, path=PATH):
            continue
        folder = _folder_of(name, environ)
        if folder is None:
            missing.append(name)
        else:
            folders[folder] = (*folders.get(folder, ()), name)
    return Toolbox(folders, tuple(missing))


def _folder_of(name: str, environ: Mapping[str, str]) -> str | None:
    if name == "python3":
        folder = interpreter_folder()
    else:
        found = _which(name, environ.get("PATH", os.defpath))
        folder = None if found is None or _points(Path(found)) else Path(found).parent
    if folder is None or not folder.is_absolute() or not str(folder).isprintable():
        return None
    home = environ.get("HOME")
    return None if home and Path(home).is_relative_to(folder) else str(folder)


def _which(name: str, path: str) -> str | None:
    """Find a program, in the bot's own environment only where there is no other."""
    own = str(Path(sys.prefix) / "bin")
    others = [folder for folder in path.split(os.pathsep) if folder != own]
    return shutil.which(name, path=os.pathsep.join(others)) or shutil.which(
        name, path=path
    )


def _points(program: Path) -> bool:
    """Whether it only looks up the real program, which the sandbox would not see."""
    return program.parent.name == _SHIMS or program.resolve().name == "rustup"
