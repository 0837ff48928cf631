"""Which lines are nested under which marked line.

The notes of a line in a list item or footnote are what follows there, up to the next
marked line beside it; the notes of a heading are its section, subsections included.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bot.cycle.gaps.blocks import Block, Place

_RUN_OR_COMMENT = re.compile(r"`+|<!--")


def visible_lines(text: str, *, is_html: bool = False) -> list[str]:
    """Cut text into lines without comments: those are hidden from who reviews it.

    Args:
        text: Inline Markdown, or the source of an HTML block, which has no code spans.
        is_html: Which of the two.
    """
    kept: list[str] = []
    position = 0
    for start, end in _comments(text, is_html=is_html):
        kept += [text[position:start], "\n" * text.count("\n", start, end)]
        position = end
    return "".join([*kept, text[position:]]).split("\n")


def _comments(text: str, *, is_html: bool) -> Iterator[tuple[int, int]]:
    """Yield where comments stand; what looks like one in a code span is none."""
    if "<!--" not in text:
        return
    runs = {found.start(): found[0] for found in _RUN_OR_COMMENT.finditer(text)}
    last_of = {run: start for start, run in runs.items()}
    reached, code = 0, ""
    for start, run in runs.items():
        if start < reached:
            continue
        if code:
            code = "" if run == code else code
        elif run != "<!--":
            code = run if last_of[run] > start and not is_html else ""
        elif (end := text.find("-->", start + 2)) >= 0:
            reached = end + 3
            yield start, reached
        else:
            return


@dataclass(frozen=True, slots=True)
class _Owner:
    place: Place
    level: int | None
    notes: list[str]


@dataclass(slots=True)
class Notes:
    """The marked lines that the walk stands under, outermost first."""

    _owners: list[_Owner] = field(default_factory=list)

    def enter_block(self, block: Block) -> None:
        """Close what ended before this block."""
        while self._owners and self._owners[-1].place.is_closed:
            self._owners.pop()
        if block.level is None:
            return
        for index, owner in enumerate(self._owners):
            if owner.place is block.place and (owner.level or 0) >= block.level:
                del self._owners[index:]
                return

    def enter_line(self, block: Block) -> None:
        """Close the marked line that stands beside the one about to come."""
        top = self._owners[-1] if self._owners else None
        if top and top.place is block.place and top.level is None:
            self._owners.pop()

    def open(self, block: Block) -> list[str]:
        """Return a list that fills with the notes of a marked line of this block."""
        notes: list[str] = []
        has_nested = block.place.kind in {"list_item", "footnote_reference"}
        if block.kind == "text" and (has_nested or block.level is not None):
            self._owners.append(_Owner(block.place, block.level, notes))
        return notes

    def add(self, lines: Iterable[str]) -> None:
        """Give these lines to every marked line that is open; blank ones are none."""
        if not self._owners:
            return
        kept = [line.rstrip() for line in lines if line.strip()]
        for owner in self._owners:
            owner.notes.extend(kept)
