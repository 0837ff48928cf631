"""What a repository's files say about its set-up, its checks and its documents.

Only files are read. Whatever a name of the repository becomes part of is quoted for the
shell, and refused where it is no plain name.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

MARKER = "[bot-eligible]"


class Files(Protocol):
    """The files of the base."""

    @property
    def paths(self) -> frozenset[str]:
        """All paths."""
        ...

    def text(self, path: str) -> str:
        """Return a file's text; empty when there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """A command that was guessed.

    Attributes:
        run: For the shell.
        why: What it was guessed from.
        key: Files whose change makes a set-up run again.
        env: Variables it needs.
    """

    run: str
    why: str
    key: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Guess:
    """How a kind of project is set up and checked, and with which programs."""

    check: Command
    setup: Command | None = None
    programs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Documents:
    """The requirements documents, and why these."""

    prd: tuple[str, ...]
    why: str


_DOCUMENTS = (
    "PRD.md",
    "docs/PRD.md",
    "doc/PRD.md",
    "REQUIREMENTS.md",
    "docs/REQUIREMENTS.md",
    "TODO.md",
    "docs/TODO.md",
    "ROADMAP.md",
    "docs/ROADMAP.md",
    "BACKLOG.md",
)
_PLAIN = re.compile(r"[\w .+@/-]+")
_STARTS = ("docs/requirements", "docs/prd")


def guess_documents(files: Files) -> Documents:
    """Return the files that gaps are read from."""
    order = {name.lower(): rank for rank, name in enumerate(_DOCUMENTS)}
    there = sorted(
        (path for path in files.paths if _is_document(path, order)),
        key=lambda path: (order.get(path.lower(), len(order)), path),
    )
    marked = tuple(path for path in there if MARKER in files.text(path))
    if marked:
        return Documents(marked, f"Each holds {MARKER}")
    if there:
        return Documents((there[0],), f"It holds no {MARKER} yet: mark a line of it")
    return Documents(
        ("PRD.md",), f"There is none yet: commit one with a line that holds {MARKER}"
    )


def first(files: Files, names: Sequence[str]) -> str | None:
    """Return the first of these files that exists."""
    return next((name for name in names if name in files.paths), None)


def _is_document(path: str, order: Mapping[str, int]) -> bool:
    low = path.lower()
    if not _PLAIN.fullmatch(path):  # `prd` takes globs
        return False
    is_other = low.startswith(_STARTS) and low.endswith(".md")
    return low in order or (is_other and low.count("/") == 1)
