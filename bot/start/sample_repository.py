"""The bundled sample as a repository of its own, the same commit on every machine."""

import os
import shutil
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from bot.store.files import make_folder, usable
from bot.workspace.git import Git, GitEnv

BRANCH = "main"

_SUFFIX = ".txt"  # keeps tools that look for Python away from the sample's files
_WHO = b"Teatime <teatime@localhost> 1767225600 +0000"  # 2026-01-01, so the id is fixed
_MESSAGE = b"Keep a shelf of teas\n"


def sample_files() -> dict[str, bytes]:
    """Return the sample's files by path."""
    return dict(_walk(files("bot.start") / "sample", ""))


def make_repository(target: Path, env: GitEnv) -> None:
    """Create a bare repository with the sample on `main`, whole or not at all.

    One that is there already, made by another process meanwhile, stays as it is.

    Raises:
        DataFolderUnusable: The file system refused it.
    """
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    with usable(target):
        make_folder(target.parent)
        shutil.rmtree(draft, ignore_errors=True)
    try:
        _build(draft, env)
        with usable(target):
            _put(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _put(draft: Path, target: Path) -> None:
    try:
        draft.rename(target)
    except OSError:  # a folder with something in it is never replaced
        if not target.is_dir():
            raise


def _build(draft: Path, env: GitEnv) -> None:
    Git(None, env).run(
        "init",
        "--quiet",
        "--bare",
        "--template=",
        "--object-format=sha1",
        f"--initial-branch={BRANCH}",
        str(draft),
    )
    stream = b"".join(_fast_import(sample_files()))
    Git(draft, env).run("fast-import", "--quiet", "--done", input=stream)


def _fast_import(contents: dict[str, bytes]) -> Iterator[bytes]:
    yield b"commit refs/heads/%s\n" % BRANCH.encode()
    yield b"author %s\ncommitter %s\n" % (_WHO, _WHO)
    yield b"data %d\n%s" % (len(_MESSAGE), _MESSAGE)
    for path, content in sorted(contents.items()):
        yield b"M 100644 inline %s\n" % path.encode()
        yield b"data %d\n%s\n" % (len(content), content)
    yield b"done\n"


def _walk(folder: Traversable, under: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        path = f"{under}{entry.name}"
        if entry.is_dir():
            yield from _walk(entry, f"{path}/")
        else:
            yield path.removesuffix(_SUFFIX), entry.read_bytes()
