"""What a plan is made from and becomes: the base, the rules, the checked result."""

from dataclasses import dataclass
from typing import Literal, Protocol

from bot.domain.change import Plan

SYMLINK = "120000"
SUBMODULE = "160000"
EXECUTABLE = "100755"


@dataclass(frozen=True, slots=True)
class BaseEntry:
    """What the base has at a path.

    Attributes:
        mode: Git's mode of it.
        content: The file as it lies in a working tree; the target of a symlink; nothing
            for a submodule.
    """

    mode: str
    content: bytes


class BaseReader(Protocol):
    """The commit that a proposal was made on."""

    @property
    def sha(self) -> str:
        """The commit."""
        ...

    def entry(self, path: str) -> BaseEntry | None:
        """Return what stands at this very path; None for a folder or nothing."""
        ...

    def paths(self) -> frozenset[str]:
        """Return all paths of files, symlinks and submodules."""
        ...


@dataclass(frozen=True, slots=True)
class Rules:
    """What a proposal may change.

    Attributes:
        max_files: Added, updated and deleted files.
        max_lines: Added plus removed lines.
        max_bytes: Bytes of the whole patch, as `linediff.measure` counts them.
        protected: Globs that `on_protected` is about.
        prd: Globs of the requirements files: never for a proposal to change.
        allow_binary: Whether files with a NUL byte may be added or changed.
        allow_symlinks: Whether symlinks within the tree may be added or changed.
        on_protected: What becomes of a proposal that touches a protected path.
    """

    max_files: int = 20
    max_lines: int = 600
    max_bytes: int = 512 * 1024
    protected: tuple[str, ...] = ()
    prd: tuple[str, ...] = ()
    allow_binary: bool = False
    allow_symlinks: bool = False
    on_protected: Literal["block", "draft", "allow"] = "block"


@dataclass(frozen=True, slots=True)
class Planned(Plan):
    """A plan with what only policy and `apply` need to know.

    Attributes:
        protected: Changed paths that are protected; empty when that blocks.
        symlinks: Paths whose content is the target of a symlink.
    """

    protected: tuple[str, ...] = ()
    symlinks: frozenset[str] = frozenset()
