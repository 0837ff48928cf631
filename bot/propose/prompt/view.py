"""The code of a commit, as the prompt looks at it."""

from collections.abc import Sequence
from typing import Protocol


class CodeView(Protocol):
    """The regular files of one commit; all that it returns is untrusted."""

    def paths(self) -> Sequence[str]:
        """Return all paths, in order."""
        ...

    def size(self, path: str) -> int | None:
        """Return the bytes of a file; None when there is none."""
        ...

    def read(self, path: str) -> bytes | None:
        """Return a file as git stores it; None when there is none."""
        ...

    def rank(self, query: str, limit: int) -> Sequence[str]:
        """Return the paths that fit a text, the best first."""
        ...

    def symbols(self, path: str) -> Sequence[str]:
        """Return the names that a file defines at its top level."""
        ...
