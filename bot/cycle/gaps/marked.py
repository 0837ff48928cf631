"""The lines of one document that hold a marker, in the order they stand there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.cycle.gaps.blocks import Block, Place, unread_lines, walk
from bot.cycle.gaps.inline import SeenLine, joined, read_inline
from bot.cycle.gaps.markdown import MAX_LEVEL, Env, parse_blocks
from bot.cycle.gaps.notes import Notes, visible_lines
from bot.cycle.gaps.source import (
    DONE,
    ELIGIBLE,
    PrdFile,
    Source,
    has_marker,
    read_source,
)
from bot.cycle.gaps.tags import NO_TAGS, Tags, read_tags, shown

_TOO_DEEP = (
    f"it stands in lists or quotes nested deeper than {MAX_LEVEL} levels, or behind "
    "them, and can't be read: nest them less"
)


@dataclass(frozen=True, slots=True)
class Edit:
    """What marks a line as done: `new` replaces `old` at `column`."""

    column: int
    old: str
    new: str

    def apply(self, line: str) -> str:
        """Return the line, done."""
        return line[: self.column] + self.new + line[self.column + len(self.old) :]


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line with a marker that counts.

    Attributes:
        path: Of its document.
        index: Of the line, from 0.
        raw: The line without its end.
        title: As rendered, without marker, box and tags.
        tags: What the tags on it say.
        is_done: Whether it is ticked or `[bot-done]`.
        section: Text of the nearest heading above.
        notes: The lines nested under it.
        edit: What ticks it.
    """

    path: str
    index: int
    raw: str
    title: str
    tags: Tags
    is_done: bool
    section: str | None
    notes: Sequence[str]
    edit: Edit

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.path}:{self.index + 1}"


def marked_lines(file: PrdFile) -> tuple[MarkedLine, ...]:
    """Return the lines of a document that hold a marker; ids are not decided here."""
    if not has_marker(file.text):
        return ()
    return _Reader(file.path, read_source(file.text)).read()


class _Reader:
    def __init__(self, path: str, source: Source) -> None:
        self._path = path
        self._source = source
        self._env: Env = {}
        self._heading: str | None = None
        self._section: str | None = None
        self._found: list[MarkedLine] = []
        self._boxes: list[tuple[MarkedLine, Place, Edit]] = []
        self._notes = Notes()

    def read(self) -> tuple[MarkedLine, ...]:
        tokens = parse_blocks(self._source.markdown, self._env)
        for block in walk(tokens):
            self._notes.enter_block(block)
            self._take(block)
        unread = unread_lines(tokens) - {line.index for line in self._found}
        edits = self._box_edits()
        lines = (
            replace(
                line,
                notes=tuple(map(self._source.unmask, line.notes)),
                edit=edits.get(line.index, line.edit),
            )
            for line in (*self._found, *self._too_deep(unread))
        )
        return tuple(sorted(lines, key=lambda line: line.index))

    def _take(self, block: Block) -> None:
        if block.kind == "code":
            self._notes.add(block.pieces[0].split("\n"))
        elif block.kind == "html":
            self._notes.add(visible_lines(block.pieces[0], is_html=True))
        elif block.kind == "row":
            self._take_row(block)
        else:
            self._take_text(block)

    def _take_row(self, block: Block) -> None:
        row = " | ".join(block.pieces)
        self._notes.add(visible_lines(row))
        if self._source.mask.search(row):
            seen = joined(
                [line for piece in block.pieces for line in self._seen(piece)]
            )
            if seen.marks:
                self._add(block, seen, is_first=False)

    def _take_text(self, block: Block) -> None:
        text = block.pieces[0]
        marked = self._marked(text)
        for index, line in enumerate(visible_lines(block.box + text)):
            if index in marked:
                self._notes.enter_line(block)
            self._notes.add([line.strip()])
            if index in marked:
                self._add(block, marked[index], is_first=index == 0)
        if block.level is not None:
            self._heading, self._section = text, None

    def _marked(self, text: str) -> dict[int, SeenLine]:
        """Return the lines of a piece whose markers count, by their index in it."""
        mask = self._source.mask
        if not mask.search(text):
            return {}
        of_mark = {line.marks[0]: line for line in self._seen(text) if line.marks}
        return {
            index: of_mark[int(number)]
            for index, line in enumerate(text.split("\n"))
            for number in mask.findall(line)
            if int(number) in of_mark
        }

    def _seen(self, text: str) -> list[SeenLine]:
        return read_inline(text, self._source, self._env)

    def _add(self, block: Block, seen: SeenLine, *, is_first: bool) -> None:
        marks = [self._source.marks[number] for number in seen.marks]
        is_done = block.place.is_ticked or any(mark.word == DONE for mark in marks)
        line = MarkedLine(
            path=self._path,
            index=marks[0].line,
            raw=self._source.lines[marks[0].line],
            title=seen.text,
            tags=read_tags(seen.tags, seen.unreadable),
            is_done=is_done,
            section=self._section_above(),
            notes=() if is_done else self._notes.open(block),
            edit=Edit(marks[0].column, ELIGIBLE, DONE),
        )
        self._found.append(line)
        self._note_box(block, line, is_first=is_first)

    def _note_box(self, block: Block, line: MarkedLine, *, is_first: bool) -> None:
        if line.is_done or block.place.item is None:
            return
        block.place.item.open_lines += 1
        if not (block.box and is_first):
            return
        # What precedes the block's first line is its indent, bullet and quote signs.
        masked = self._source.masked[line.index].rstrip()
        first = (block.box + block.pieces[0]).split("\n")[0].rstrip()
        before = self._source.unmask(masked[: len(masked) - len(first)])
        edit = Edit(len(before) + 1, block.box[1], "x")
        self._boxes.append((line, block.place.item, edit))

    def _box_edits(self) -> dict[int, Edit]:
        """Return what ticks the boxes, by line.

        A ticked task takes the lines that continue it along. Where another of them is
        an open gap too, the marker is turned instead, so that that gap stays.
        """
        return {
            line.index: edit for line, item, edit in self._boxes if item.open_lines == 1
        }

    def _section_above(self) -> str | None:
        if self._section is None and self._heading is not None:
            self._section = joined(self._seen(self._heading)).text
        return self._section or None

    def _too_deep(self, lines: set[int]) -> list[MarkedLine]:
        """Return faulty stand-ins for markers that the parser never reached."""
        marks = {
            mark.line: mark
            for mark in self._source.marks
            if mark.line in lines and mark.word == ELIGIBLE
        }
        raws = {index: self._source.lines[index] for index in marks}
        tags = replace(NO_TAGS, problems=(_TOO_DEEP,))
        return [
            MarkedLine(
                path=self._path,
                index=index,
                raw=raw,
                title=shown(" ".join(raw.replace(f"[{ELIGIBLE}]", "").split())),
                tags=tags,
                is_done=False,
                section=None,
                notes=(),
                edit=Edit(marks[index].column, ELIGIBLE, DONE),
            )
            for index, raw in raws.items()
        ]
