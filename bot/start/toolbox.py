"""Which of the programs that commands need the sandbox has to be shown."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
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


def find_toolbox(
    programs: Iterable[str], environ: Mapping[str, str], seen: str = PATH
) -> Toolbox:
    """Return where the programs are that the sandbox does not see by itself.

    Args:
        programs: Their names.
        environ: Where PATH and HOME are looked up.
        seen: The folders of programs that the sandbox sees.
    """
    folders: dict[str, tuple[str, ...]] = {}
    missing: list[str] = []
    for name in dict.fromkeys(programs):
        if shutil.which(name, path=seen):
            continue
        folder = _folder_of(name, environ, seen)
        if folder is None:
            missing.append(name)
        else:
            folders[folder] = (*folders.get(folder, ()), name)
    return Toolbox(folders, tuple(missing))


def _folder_of(name: str, environ: Mapping[str, str], seen: str) -> str | None:
    if name == "python3":
        folder = interpreter_folder(seen)
    else:
        folder = next(_folders_with(name, environ.get("PATH", os.defpath)), None)
    if folder is None or not folder.is_absolute() or not str(folder).isprintable():
        return None
    home = environ.get("HOME")
    return None if home and Path(home).is_relative_to(folder) else str(folder)


def _folders_with(name: str, path: str) -> Iterator[Path]:
    """Yield the folders of PATH with the real program, the bot's own one last."""
    own = str(Path(sys.prefix) / "bin")
    for folder in sorted(path.split(os.pathsep), key=lambda folder: folder == own):
        found = shutil.which(name, path=folder) if folder else None
        if found and not _points(Path(found)):
            yield Path(found).parent


def _points(program: Path) -> bool:
    """Whether it only looks up the real program, which the sandbox would not see."""
    return program.parent.name == _SHIMS or program.resolve().name == "rustup"
