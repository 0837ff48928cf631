"""The ladder by which a searched piece is found: each rung only after the one before.

Exact; but for white space at line ends; but for one uniform change of indentation; the
one place that is clearly most like it. A rung with several places is the end.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.propose.edits.fuzzy import most_like
from bot.propose.edits.lines import Lines
from bot.propose.edits.merge import Place, merge
from bot.propose.edits.nearest import nearest_lines
from bot.propose.edits.shift import uniform_shift
from bot.propose.edits.values import Limits, Unfit, quoted

_NAMED_PLACES = 6
_MAX_TOLERANT = 2000  # searched lines that are still looked for with tolerance


@dataclass(frozen=True, slots=True)
class Block:
    """Searched lines and what stands in their place."""

    search: tuple[str, ...]
    replace: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Splice:
    """New lines for a place of the file.

    Attributes:
        start: First line of the file that the block covers.
        end: The line after the last.
        lines: What stands there afterwards.
    """

    start: int
    end: int
    lines: tuple[str, ...]


def find(lines: Lines, block: Block, limits: Limits) -> Splice:
    """Return where the block belongs and what it makes of that place.

    Raises:
        Unfit: It stands nowhere, in several places, or changes lines that the file has
            otherwise.
    """
    if not any(line.strip() for line in block.search):
        raise Unfit("the text after `search` is empty; repeat a line of the file in it")
    exact = lines.places(block.search)
    if exact:
        start = _only(lines, exact, len(block.search), "exactly")
        return Splice(start, start + len(block.search), block.replace)
    found = _tolerant(lines, block, limits)
    if found is None:
        at, near = nearest_lines(lines, block.search)
        raise Unfit(f"the searched text is not in the file{_near(at)}", quoted(near))
    place, trimmed = found
    merged = merge(lines.exact, place, trimmed.search, trimmed.replace)
    if merged is None:
        raise Unfit(
            f"the searched text is almost that of lines {place.start + 1} to "
            f"{place.end}, but differs in what the block changes; copy it exactly",
            quoted(lines.exact[place.start : place.end]),
        )
    return Splice(place.start, place.end, tuple(merged))


def _near(at: int | None) -> str:
    return "" if at is None else f"; what is most like it begins on line {at + 1}"


def _tolerant(lines: Lines, block: Block, limits: Limits) -> tuple[Place, Block] | None:
    if len(block.search) > _MAX_TOLERANT:
        return None
    for tried in dict.fromkeys((block, _without_blank_edges(block))):
        right = lines.places_right(tried.search)
        if right:
            count = len(tried.search)
            start = _only(lines, right, count, "but for white space")
            return Place.run(start, count), tried
    trimmed = _without_blank_edges(block)
    place = _indented(lines, trimmed) or most_like(lines, trimmed.search, limits)[0]
    return None if place is None else (place, trimmed)


def _indented(lines: Lines, block: Block) -> Place | None:
    count = len(block.search)
    places = []
    for start in lines.places_stripped(block.search):
        real = lines.exact[start : start + count]
        shift = uniform_shift(zip(block.search, real, strict=True))
        if shift is not None:
            places.append(Place.run(start, count, shift))
    if places:
        _only(lines, [place.start for place in places], count, "but for indentation")
    return places[0] if places else None


def _only(lines: Lines, places: Sequence[int], count: int, how: str) -> int:
    if len(places) == 1:
        return places[0]
    named = ", ".join(str(start + 1) for start in places[:_NAMED_PLACES])
    more = ", …" if len(places) > _NAMED_PLACES else ""
    first, second = places[0], places[1]
    around = [
        *lines.exact[max(0, first - 1) : first + min(count, 4) + 1],
        "[…]",
        *lines.exact[max(0, second - 1) : second + min(count, 4) + 1],
    ]
    raise Unfit(
        f"the searched text stands {how} in several places, at lines {named}{more}; "
        "search for more lines around the one that is meant",
        quoted(around),
    )


def _without_blank_edges(block: Block) -> Block:
    """Drop blank first and last searched lines, and as many that replace them."""
    search, replace = list(block.search), list(block.replace)
    for edge in (0, -1):
        while not search[edge].strip():
            del search[edge]
            if replace and not replace[edge].strip():
                del replace[edge]
    return Block(tuple(search), tuple(replace))
