"""What is most like a thing that was not found: a piece of a file, a path."""

from collections.abc import Collection, Sequence
from difflib import SequenceMatcher, get_close_matches
from heapq import nlargest

from bot.propose.edits.lines import Lines

_LOOKED_AT = 4000  # lines, and paths
_WIDTH = 120  # characters of a line that are compared
_CLOSELY = 12  # that are compared in full after a first look
_ENOUGH = 0.5
_AROUND = 2  # lines before what is most like
_SHOWN = 12
_FEW = 3


def nearest_lines(lines: Lines, search: Sequence[str]) -> tuple[int | None, list[str]]:
    """Return the line number (from 0) and lines most like the searched ones.

    The longest searched line leads: the others are too often braces and blanks.
    """
    key = max((line.strip() for line in search), key=len)[:_WIDTH]
    index = next(i for i, line in enumerate(search) if line.strip()[:_WIDTH] == key)
    at = _most_like(lines.stripped[:_LOOKED_AT], key)
    if at is None:
        return None, []
    start = max(0, at - index - _AROUND)
    stop = min(len(lines.exact), start + min(len(search), _SHOWN) + 2 * _AROUND)
    return at, list(lines.exact[start : max(stop, at + 1)])[-(_SHOWN + _AROUND) :]


def _most_like(candidates: Sequence[str], key: str) -> int | None:
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(key)

    def quick(at: int) -> float:
        matcher.set_seq1(candidates[at][:_WIDTH])
        if matcher.real_quick_ratio() < _ENOUGH:
            return 0
        return matcher.quick_ratio()

    def close(at: int) -> float:
        matcher.set_seq1(candidates[at][:_WIDTH])
        return matcher.ratio()

    first = nlargest(_CLOSELY, range(len(candidates)), key=quick)
    best = max(first, key=close, default=None)
    return best if best is not None and close(best) >= _ENOUGH else None


def nearest_paths(path: str, paths: Collection[str]) -> list[str]:
    """Return up to three existing paths that may have been meant."""
    name = path.rpartition("/")[2].lower()
    same_name = sorted(p for p in paths if p.rpartition("/")[2].lower() == name)
    if same_name:
        return same_name[:_FEW]
    some = sorted(paths)
    if len(some) > _LOOKED_AT:
        some = [p for p in some if p.startswith(path.partition("/")[0])]
    return get_close_matches(path, some[:_LOOKED_AT], n=_FEW, cutoff=0.6)
