"""The one place that is clearly most like the searched lines, in bounded time."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.propose.edits.lines import Lines
from bot.propose.edits.merge import Place
from bot.propose.edits.shift import UNSHIFTED, uniform_shift
from bot.propose.edits.values import Limits

_MAX_SEARCH = 200  # lines
_MAX_FILE = 50_000  # lines
_MAX_WIDTH = 300  # characters of a line that is compared by characters
_COMMON = 20  # a line that stands so often in the file tells no place
_CANDIDATES = 8


@dataclass(frozen=True, slots=True)
class Likeness:
    """A place and how like it is, from 0 to 1."""

    score: float
    place: Place


def most_like(
    lines: Lines, search: Sequence[str], limits: Limits
) -> tuple[Place | None, Likeness | None]:
    """Return the place that is like enough and alone in that, and the best one at all."""
    found = sorted(_likenesses(lines, search), key=lambda x: x.score, reverse=True)
    if not found:
        return None, None
    best = found[0]
    second = next((x.score for x in found[1:] if _apart(x.place, best.place)), 0.0)
    is_clear = best.score >= limits.ratio and best.score - second >= limits.margin
    return (_shifted(lines, search, best.place) if is_clear else None), best


def _apart(one: Place, other: Place) -> bool:
    return one.start != other.start or one.end != other.end


def _likenesses(lines: Lines, search: Sequence[str]) -> Iterator[Likeness]:
    if len(search) > _MAX_SEARCH or len(lines.exact) > _MAX_FILE:
        return
    keys = [line.strip() for line in search]
    pad = 3 + len(keys) // 5
    for offset in _offsets(lines.stripped, keys, pad):
        start = max(0, offset - pad)
        stop = min(len(lines.exact), offset + len(keys) + pad)
        likeness = _aligned(keys, lines.stripped[start:stop], start)
        if likeness is not None:
            yield likeness


def _offsets(real: Sequence[str], keys: Sequence[str], pad: int) -> list[int]:
    """Return where the searched lines would begin, by what most of them say."""
    wanted = set(keys)
    where: dict[str, list[int]] = defaultdict(list)
    for at, line in enumerate(real):
        if line and line in wanted and len(where[line]) <= _COMMON:
            where[line].append(at)
    votes: Counter[int] = Counter()
    for index, key in enumerate(keys):
        if len(where.get(key, ())) <= _COMMON:
            votes.update({at - index: 1 + len(key) for at in where.get(key, ())})
    chosen: list[int] = []
    for offset, _ in votes.most_common(_CANDIDATES * 8):
        if all(abs(offset - other) > pad for other in chosen):
            chosen.append(offset)
    return chosen[:_CANDIDATES]


def _aligned(keys: Sequence[str], window: Sequence[str], start: int) -> Likeness | None:
    pairs: list[int | None] = [None] * len(keys)
    matcher = SequenceMatcher(None, keys, window, autojunk=False)
    for _, i, j, first, last in matcher.get_opcodes():
        # The window begins before the place, and ends after it.
        begin = max(first, last - j) if i == 0 else first
        end = min(last, begin + j - i) if j == len(keys) else last
        if j - i == end - begin:
            pairs[i:j] = range(start + begin, start + end)
    if pairs[0] is None or pairs[-1] is None:
        return None
    real = [None if at is None else window[at - start] for at in pairs]
    same = tuple(key == line for key, line in zip(keys, real, strict=True))
    place = Place(pairs[0], pairs[-1] + 1, tuple(pairs), same, UNSHIFTED)
    covered = window[place.start - start : place.end - start]
    shared = sum(map(_shared, keys, real))
    total = sum(len(line) + 1 for line in (*keys, *covered))
    return Likeness(2 * shared / total, place)


def _shared(key: str, line: str | None) -> float:
    if line is None:
        return 0
    if key == line:
        return len(key) + 1
    if max(len(key), len(line)) > _MAX_WIDTH:
        return 0
    ratio = SequenceMatcher(None, key, line, autojunk=False).ratio()
    return ratio * (len(key) + len(line)) / 2


def _shifted(lines: Lines, search: Sequence[str], place: Place) -> Place | None:
    shift = uniform_shift(
        (search[index], lines.exact[at])
        for index, at in enumerate(place.pairs)
        if at is not None and place.same[index]
    )
    if shift is None:
        return None
    return Place(place.start, place.end, place.pairs, place.same, shift)
