"""Code fences that a model put around a text, told from those that belong to it."""

import re
from collections.abc import Sequence

from bot.propose.edits.languages import language_of
from bot.propose.edits.values import Unfit, quoted

_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})[ \t]*([^\s`]{0,60})[^`]*")
_PROSE = frozenset({"", "md", "markdown", "mdx", "rst", "text", "txt", "plaintext"})


def without_fence(path: str, lines: list[str], old: Sequence[str]) -> list[str]:
    """Return a file's text without the fence around it.

    Args:
        path: Its suffix tells whether it is prose, which has fences of its own.
        lines: The text.
        old: The file as it is; a text that begins as it does is no wrapped one.

    Raises:
        Unfit: The fence may belong to the text.
    """
    first, last = _edges(lines)
    opening = _FENCE.fullmatch(lines[first]) if first < last else None
    closing = _FENCE.fullmatch(lines[last]) if first < last else None
    if opening is None and (closing is None or closing[2]):
        return lines
    if opening is not None and _begins_alike(lines, old):
        return lines
    inner = lines[first + 1 : last]
    is_pair = opening is not None and closing is not None and not closing[2]
    if language_of(path) == "text":
        is_wrapped = is_pair and _is_wrapped(lines[first], lines, inner)
    else:
        is_wrapped = is_pair
        if not is_wrapped and (opening or lines[last] not in old):
            raise _unsure(lines)
    return inner if is_wrapped else lines


def _is_wrapped(opening: str, lines: Sequence[str], inner: Sequence[str]) -> bool:
    """Tell for prose, which may begin and end with code of its own."""
    if opening.strip(" \t`~").lower() not in _PROSE:
        return False
    as_it_is, as_wrapped = _is_closed(lines), _is_closed(inner)
    if as_it_is == as_wrapped:
        raise _unsure(lines)
    return as_wrapped


def unwrapped(lines: list[str]) -> list[str] | None:
    """Return the lines inside of a fence around all of them, None without one."""
    first, last = _edges(lines)
    if first >= last:
        return None
    opening, closing = _FENCE.fullmatch(lines[first]), _FENCE.fullmatch(lines[last])
    if opening is None or closing is None or closing[2]:
        return None
    return lines[first + 1 : last]


def _edges(lines: Sequence[str]) -> tuple[int, int]:
    filled = [index for index, line in enumerate(lines) if line.strip()]
    return (filled[0], filled[-1]) if filled else (0, 0)


def _begins_alike(lines: Sequence[str], old: Sequence[str]) -> bool:
    first = next((line.rstrip() for line in old if line.strip()), None)
    return first == next((line.rstrip() for line in lines if line.strip()), "")


def _is_closed(lines: Sequence[str]) -> bool:
    """Return whether every fence that opens is closed, as CommonMark reads them."""
    opened = ""
    for line in lines:
        found = _FENCE.fullmatch(line)
        if found and not opened:
            opened = found[1]
        elif found and found[1].startswith(opened) and not found[2]:
            opened = ""
    return not opened


def _unsure(lines: Sequence[str]) -> Unfit:
    return Unfit(
        "a code fence stands at the edge of the text, and it can't be told "
        "whether it belongs to it; put no fence around the text between the markers",
        quoted([line for line in lines if _FENCE.fullmatch(line)]),
    )
