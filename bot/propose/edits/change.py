"""One target's new text: from its whole text or from its blocks."""

from collections.abc import Sequence
from contextlib import suppress

from bot.propose.edits.fences import unwrapped, without_fence
from bot.propose.edits.gather import Target
from bot.propose.edits.guards import check_elision
from bot.propose.edits.languages import language_of
from bot.propose.edits.lines import Lines, split_lines
from bot.propose.edits.match import Block, find
from bot.propose.edits.splice import Change, spliced
from bot.propose.edits.values import Limits, Unfit, quoted

_MAX_BLOCKS = 300
_SMALL = 10  # filled lines; a smaller file may shrink as it likes


def new_lines(target: Target, old: Sequence[str], limits: Limits) -> list[str]:
    """Return the lines that the file is to have.

    Raises:
        Unfit: The blocks don't fit the file, or the whole text is a part only.
    """
    if target.whole is not None:
        return _whole(target, target.whole, old, limits)
    if len(target.blocks) > _MAX_BLOCKS:
        raise Unfit(f"more than {_MAX_BLOCKS} `search` blocks for one file")
    lines = Lines(old)
    changes = [_find(target.path, lines, *block, limits) for block in target.blocks]
    return spliced(old, [change for change in changes if not change.is_nothing])


def _whole(target: Target, text: str, old: Sequence[str], limits: Limits) -> list[str]:
    lines = without_fence(target.path, split_lines(text.removeprefix("\ufeff")), old)
    check_elision(target.path, lines, old)
    before, after = _filled(old), _filled(lines)
    if before >= _SMALL and after < before * (1 - limits.shrink):
        raise Unfit(
            f"the whole text has {after} filled lines and the file has "
            f"{before}; that much is not dropped with `whole`: give the complete text, "
            "or `edit` blocks for what goes"
        )
    return lines


def _filled(lines: Sequence[str]) -> int:
    return sum(1 for line in lines if line.strip())


def _find(path: str, lines: Lines, search: str, replace: str, limits: Limits) -> Change:
    block = Block(tuple(split_lines(search)), tuple(split_lines(replace)))
    _check_fence(path, block)
    check_elision(path, block.replace, block.search)
    try:
        return Change.of(lines.exact, find(lines, block, limits))
    except Unfit as unfit:
        inner = _unwrapped(block)
        if inner is None:
            raise
        with suppress(Unfit):  # what is wrong is said of the block as it was given
            return Change.of(lines.exact, find(lines, inner, limits))
        raise unfit from None


def _check_fence(path: str, block: Block) -> None:
    has_fence = any(line.lstrip().startswith(("```", "~~~")) for line in block.search)
    if language_of(path) == "text" or has_fence:
        return
    if unwrapped(list(block.replace)) is not None:
        raise Unfit(
            "a code fence stands around the replacing text; put none between the markers",
            quoted(block.replace),
        )


def _unwrapped(block: Block) -> Block | None:
    search, replace = unwrapped(list(block.search)), unwrapped(list(block.replace))
    if search is None or (replace is None and block.replace):
        return None
    return Block(tuple(search), tuple(replace or ()))
