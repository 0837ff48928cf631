"""The blocks of a document that hold text, each with the container it stands in."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from markdown_it.token import Token

from bot.cycle.gaps.markdown import MAX_LEVEL
from bot.cycle.gaps.source import MASK_START

Kind = Literal["text", "row", "code", "html"]

_CONTAINERS = ("list_item", "blockquote", "footnote_reference")
_VERBATIM: dict[str, Kind] = {
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
}
# A box and what has to follow it: white space, the end, a marker or a tag.
_BOX = re.compile(
    r"\[(?P<mark>[ \txX])\]"
    rf"(?=\s|$|\[(?:{MASK_START}|p[0-3]\]|fix\]|id:|depends:|recipe:))"
)


@dataclass(slots=True)
class Place:
    """The document, a list item, a quote or a footnote.

    Attributes:
        kind: `document`, `list_item`, `blockquote` or `footnote_reference`.
        item: The innermost list item it stands in, itself included.
        box: What stands in the box, when it is a task item.
        is_closed: Whether the walk has left it.
        open_lines: How many open gaps it is the innermost list item of.
    """

    kind: str
    item: "Place | None" = None
    box: str | None = None
    is_closed: bool = False
    open_lines: int = 0

    @property
    def is_ticked(self) -> bool:
        """Whether its innermost list item is a ticked task."""
        return self.item is not None and self.item.box in {"x", "X"}


@dataclass(frozen=True, slots=True)
class Block:
    """One block of text.

    Attributes:
        kind: Inline text, a table's row, or what is not Markdown.
        pieces: Its source without the box; a row has one for each cell.
        place: What it stands in.
        level: Of a heading, else None.
        box: The box that its first line starts with, or nothing.
    """

    kind: Kind
    pieces: tuple[str, ...]
    place: Place
    level: int | None = None
    box: str = ""


def walk(tokens: Sequence[Token]) -> Iterator[Block]:
    """Yield every block of text in order."""
    places = [Place("document")]
    row: list[str] = []
    for index, token in enumerate(tokens):
        name, _, edge = token.type.rpartition("_")
        if name in _CONTAINERS:
            _cross(places, name, edge)
        elif token.type == "inline" and tokens[index - 1].tag in {"th", "td"}:
            row.append(token.content)
        elif token.type == "inline":
            yield _text(tokens, index, places[-1])
        elif token.type == "tr_close":
            yield Block("row", tuple(row), places[-1])
            row = []
        elif token.type in _VERBATIM:
            yield Block(_VERBATIM[token.type], (token.content,), places[-1])


def unread_lines(tokens: Sequence[Token]) -> set[int]:
    """Return the lines that stand too deep, or in a block cut short by such a line."""
    cut: set[int] = set()
    for token in tokens:
        is_container = token.type.removesuffix("_open") in _CONTAINERS
        if is_container and token.level >= MAX_LEVEL - 1 and token.map:
            cut.update(range(*token.map))
    return cut


def _cross(places: list[Place], name: str, edge: str) -> None:
    if edge == "close":
        places.pop().is_closed = True
        return
    place = Place(name, places[-1].item)
    if name == "list_item":
        place.item = place
    places.append(place)


def _text(tokens: Sequence[Token], index: int, place: Place) -> Block:
    content, parent = tokens[index].content, tokens[index - 1]
    level = int(parent.tag[1:]) if parent.type == "heading_open" else None
    is_first = tokens[index - 2].type == "list_item_open"
    box = _BOX.match(content) if is_first and "#" not in parent.markup else None
    if box is None:
        return Block("text", (content,), place, level)
    place.box = box["mark"]
    return Block("text", (content[box.end() :],), place, level, box[0])
