"""The blocks of an answer: what stands between its marker lines."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.propose.answer.marks import Marker, Unreadable, clean_path, read_marker
from bot.propose.answer.values import Delete, Operation, Rename, Replace, WholeFile

_ARROWS = (" -> ", " => ", " → ")


@dataclass(slots=True)
class _Open:
    """A block that has begun: its word, where, and what it holds so far."""

    verb: str
    path: str
    line_number: int
    part: str = ""
    lines: list[str] = field(default_factory=list)
    search: str = ""
    pairs: list[tuple[str, str]] = field(default_factory=list)


class Blocks:
    """Reads the lines of an answer into its head and operations."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._open: _Open | None = None
        self._last_edit = ""
        self._number = 0
        self.head: list[str] | None = None
        self.operations: list[Operation] = []
        self.is_done = False

    @property
    def is_empty(self) -> bool:
        """Whether no block was found."""
        return self.head is None and not self.operations and self._open is None

    def read(self, lines: Iterable[str]) -> None:
        """Read all lines.

        Raises:
            Unreadable: They are no answer, or one that was cut off.
        """
        for number, line in enumerate(lines, start=1):
            self._number = number
            marker = read_marker(line, self._mark)
            if marker is not None:
                self._take(marker, line)
            elif self._open is not None:
                self._open.lines.append(line)
        if self._open is not None:
            raise Unreadable(f"the answer was cut off: {self._unclosed(self._open)}")

    def _take(self, marker: Marker, line: str) -> None:
        if self.is_done:
            raise Unreadable("there is more after `done`", line)
        if marker.verb == "search":
            self._begin_search(line)
        elif marker.verb == "replace":
            self._begin_replace(line)
        elif marker.verb == "end":
            self._end()
        else:
            self._begin(marker, line)

    def _begin(self, marker: Marker, line: str) -> None:
        if self._open is not None and self._open.verb == "head":
            self._end()  # nothing can be lost between a head and what follows it
        if self._open is not None:
            raise Unreadable(self._unclosed(self._open), line)
        self._last_edit = ""
        if marker.verb == "done":
            self.is_done = True
        elif marker.verb == "rename":
            self.operations.append(_rename(marker, line))
        elif marker.verb == "delete":
            self.operations.append(Delete(_path(marker, line)))
        else:
            self._open_block(marker, line)

    def _open_block(self, marker: Marker, line: str) -> None:
        if marker.verb == "head" and self.head is not None:
            raise Unreadable("the answer has two heads", line)
        path = "" if marker.verb == "head" else _path(marker, line)
        self._open = _Open(marker.verb, path, self._number)

    def _begin_search(self, line: str) -> None:
        if self._open is None and self._last_edit:
            self._open = _Open("edit", self._last_edit, self._number)
        block = self._open
        if block is None or block.verb != "edit":
            raise Unreadable("`search` stands outside of an `edit`", line)
        if block.part == "search":
            raise Unreadable("a `search` has no `replace`", line)
        _close_pair(block)
        block.part, block.lines = "search", []

    def _begin_replace(self, line: str) -> None:
        block = self._open
        if block is None or block.part != "search":
            raise Unreadable("a `replace` has no `search`", line)
        block.search = _joined(block.lines)
        block.part, block.lines = "replace", []

    def _end(self) -> None:
        block, self._open = self._open, None
        if block is None:
            return
        if block.verb == "head":
            self.head = block.lines
        elif block.verb == "edit":
            self.operations.append(_replace(block))
            self._last_edit = block.path
        else:
            text, is_new = _joined(block.lines), block.verb == "new"
            self.operations.append(WholeFile(block.path, text, is_new))

    def _unclosed(self, block: _Open) -> str:
        what = f"{block.verb} {block.path}".strip()
        return (
            f"the block `{what}` that begins on line {block.line_number} of the answer "
            f"is not closed by `==== {self._mark} end`"
        )


def _replace(block: _Open) -> Replace:
    if block.part == "search":
        raise Unreadable(f"a `search` of {block.path} has no `replace`")
    _close_pair(block)
    if not block.pairs:
        raise Unreadable(f"`edit {block.path}` has no `search`")
    return Replace(block.path, tuple(block.pairs))


def _close_pair(block: _Open) -> None:
    if block.part == "replace":
        block.pairs.append((block.search, _joined(block.lines)))


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _path(marker: Marker, line: str) -> str:
    path = clean_path(marker.rest)
    if not path:
        raise Unreadable(f"`{marker.verb}` names no path", line)
    return path


def _rename(marker: Marker, line: str) -> Rename:
    for arrow in _ARROWS:
        old, found, new = marker.rest.partition(arrow)
        if found and arrow not in new and clean_path(old) and clean_path(new):
            return Rename(clean_path(old), clean_path(new))
    raise Unreadable("`rename` needs `old path -> new path`", line)
