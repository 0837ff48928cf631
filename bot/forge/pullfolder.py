"""The files of the local forge's pull requests.

`<n>.json` is the pull request, `<n>.md` what it says and `<n>.patch` what it changes. The
page and the patch are written first, so that a pull request that is there is whole.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from bot.domain.pull import Pull
from bot.forge.inert import code, one_line
from bot.store.files import make_folder, usable, write_atomic
from bot.store.pullfile import pull_path, read_pull, write_pull

_RULE = "\n\n---\n\n"


class PullFolder:
    """One repository's `<data>/<repo>/pulls`; created when something is written."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def url(self, number: int) -> str:
        """Return where a person reads it."""
        return self._page(number).as_uri()

    def claim(self, after: int) -> int:
        """Take the next number by creating its page; nobody else gets it then.

        A number claimed by a process that was killed is never used again.

        Args:
            after: The highest number known from elsewhere.
        """
        make_folder(self._path)
        number = max(after, *self._numbers(), 0)
        while True:
            number += 1
            if self._is_claimed(number):
                return number

    def has(self, number: int) -> bool:
        """Whether it is there, whole."""
        return pull_path(self._path, number).is_file()

    def above(self, number: int) -> Iterator[Pull]:
        """Read those with higher numbers, and only those.

        Raises:
            UnreadableError: One of them is torn.
        """
        for found in sorted(set(self._numbers())):
            if found > number and self.has(found):
                yield self.read(found)

    def read(self, number: int) -> Pull:
        """Read one.

        Raises:
            UnreadableError: It is missing or torn.
        """
        return read_pull(pull_path(self._path, number))

    def write(self, pull: Pull, body: str, patch: bytes) -> None:
        """Write all three files of a pull request.

        Raises:
            DataFolderUnusable: The file system refused it.
        """
        write_atomic(self._page(pull.number), _text(pull, body))
        write_atomic(self._path / f"{pull.number}.patch", patch)
        write_pull(self._path, pull)

    def end(self, pull: Pull, comment: str) -> None:
        """Write how it ended; its page keeps what it said.

        Raises:
            DataFolderUnusable: The file system refused it.
        """
        page = self._page(pull.number)
        with usable(page):
            text = page.read_text("utf-8", "replace") if page.is_file() else ""
        _head, _rule, body = text.partition(_RULE)
        write_atomic(page, _text(pull, body, comment))
        write_pull(self._path, pull)

    def _page(self, number: int) -> Path:
        return self._path / f"{number}.md"

    def _is_claimed(self, number: int) -> bool:
        page = self._page(number)
        with usable(page):
            try:
                os.close(os.open(page, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644))
            except FileExistsError:
                return False
        return True

    def _numbers(self) -> Iterator[int]:
        if self._path.is_dir():
            yield from (int(p.stem) for p in self._path.iterdir() if p.stem.isdecimal())


def _text(pull: Pull, body: str, comment: str = "") -> bytes:
    state = pull.state.replace("_", " ")
    said = f": {one_line(comment)}" if comment else ""
    head = (
        f"# {one_line(pull.title)}\n\n"
        f"Pull request {pull.number}, {state}{said}.\n"
        f"Branch {code(pull.branch)} into {code(pull.base)}."
    )
    return f"{head}{_RULE}{body}".encode("utf-8", "replace")
