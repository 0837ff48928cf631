"""The configured folders of tools, and the interpreters their programs point to."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.errors import SandboxUnavailable
from bot.sandbox.job import Bind

_SYSTEM = (Path("/usr"), Path("/bin"), Path("/sbin"), Path("/lib"), Path("/lib64"))
_HOPS = 40
# Folders that hold more than one program's files; of these only the file is shown.
_SHARED_DEPTH = 2
_SHARED = frozenset({".local", "home", "root"})


@dataclass(frozen=True, slots=True)
class Tools:
    """What is bound and put on PATH for a set of tool folders."""

    binds: tuple[Bind, ...] = ()
    path: tuple[str, ...] = ()


def find_tools(folders: Sequence[Path]) -> Tools:
    """Return what makes the programs of these folders run inside.

    A program may be a symlink to an interpreter elsewhere (pyenv, uv): then the folder
    above its `bin` is shown as well.

    Raises:
        SandboxUnavailable: A folder is not there.
    """
    binds: dict[str, Bind] = {}
    path = []
    for folder in folders:
        if not folder.is_dir():
            raise SandboxUnavailable(
                f"[sandbox] tools names {folder}, which is no folder. Create it or "
                "take it out of the config."
            )
        programs = folder / "bin" if (folder / "bin").is_dir() else folder
        path.append(str(programs))
        binds.setdefault(str(folder), Bind(folder.resolve(), str(folder)))
        for bind in _pointed_to(programs):
            if not _is_seen(Path(bind.target), binds):
                binds[bind.target] = bind
    return Tools(tuple(binds.values()), tuple(path))


def _pointed_to(folder: Path) -> Iterator[Bind]:
    for entry in sorted(os.scandir(folder), key=lambda e: e.name):
        if entry.is_symlink():
            yield from _hops(Path(entry.path))


def _hops(link: Path) -> Iterator[Bind]:
    """Yield what must be there for each step from a symlink to its file."""
    for _ in range(_HOPS):
        if not link.is_symlink():
            return
        link = Path(os.path.normpath(link.parent / link.readlink()))
        if not link.exists():
            return
        if link.is_file():
            yield _home_of(link)


def _home_of(program: Path) -> Bind:
    prefix = program.parent.parent
    if program.parent.name != "bin" or _is_shared(prefix.resolve()):
        return Bind(program.resolve(), str(program))
    return Bind(prefix.resolve(), str(prefix))


def _is_shared(prefix: Path) -> bool:
    """Tell whether a folder is somebody's home or a place of many things."""
    return (
        len(prefix.parts) <= _SHARED_DEPTH
        or prefix.name in _SHARED
        or prefix.parent.name == "home"
        or prefix == Path.home()
        or not prefix.is_dir()
    )


def _is_seen(target: Path, binds: Iterable[str]) -> bool:
    return any(target.is_relative_to(seen) for seen in (*_SYSTEM, *map(Path, binds)))
