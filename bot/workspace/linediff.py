"""The smallest line diff of two files, in bounded time."""

import io
from array import array
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

MAX_EDITS = 2000
"""Where two files are further apart than this, their middle counts as rewritten."""

MOST_LINES = 2_000_000
"""Where both files have more lines together, no line between the first and the last changed
byte is looked at: each costs some 50 bytes of memory."""

_HEADER_BYTES = 128


@dataclass(frozen=True, slots=True)
class Size:
    """How big the change of one file is.

    Attributes:
        added: Added lines.
        removed: Removed lines.
        patch_bytes: Bytes of the added and removed lines with their markers, and of the
            file's header; the context lines of a patch are not counted.
    """

    added: int
    removed: int
    patch_bytes: int


def measure(
    path: str, old: bytes | None, new: bytes | None, *, max_edits: int = MAX_EDITS
) -> Size:
    """Measure a change; None means that there is no file.

    Lines end at LF as in git. Where a lone CR ends lines too, they are counted both
    ways and the greater number is taken, so that a file can't hide lines from a limit.
    The count is that of `git diff --minimal` as long as it stays within `max_edits`;
    above, every line between the first and the last changed one counts, so it may be
    too great, never too small.
    """
    before, after = old or b"", new or b""
    if _lines(before) + _lines(after) > MOST_LINES:
        before, after = _differing(before, after)
        if _lines(before) + _lines(after) > MOST_LINES:
            return _whole(path, before, after)
    size = _size(_at_lf(before), _at_lf(after), max_edits)
    if _has_lone_cr(before) or _has_lone_cr(after):
        finer = _size(
            before.splitlines(keepends=True),
            after.splitlines(keepends=True),
            max_edits,
        )
        size = Size(
            max(size.added, finer.added),
            max(size.removed, finer.removed),
            max(size.patch_bytes, finer.patch_bytes),
        )
    return Size(size.added, size.removed, size.patch_bytes + _header(path))


def kept_pairs(
    old: Sequence[Hashable], new: Sequence[Hashable], *, max_edits: int = MAX_EDITS
) -> list[tuple[int, int]]:
    """Return the (old, new) positions of the items that stay, in order.

    It is a longest common subsequence as long as the items that both sides have are at
    most `max_edits` insertions and deletions apart; above, only the common start and
    end stay.
    """
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    middle = _middle_pairs(
        old[start : len(old) - end], new[start : len(new) - end], max_edits
    )
    return [
        *((i, i) for i in range(start)),
        *((start + i, start + j) for i, j in middle),
        *((len(old) - i, len(new) - i) for i in range(end, 0, -1)),
    ]


def _size(old: list[bytes], new: list[bytes], max_edits: int) -> Size:
    pairs = kept_pairs(old, new, max_edits=max_edits)
    added, removed = len(new) - len(pairs), len(old) - len(pairs)
    stays = sum(len(old[i]) for i, _ in pairs)
    total = sum(map(len, old)) + sum(map(len, new))
    return Size(added, removed, total - 2 * stays + added + removed)


def _whole(path: str, old: bytes, new: bytes) -> Size:
    """Return the size of a change that takes every old line for every new one."""
    added, removed = _lines(new), _lines(old)
    return Size(added, removed, len(old) + len(new) + added + removed + _header(path))


def _header(path: str) -> int:
    return _HEADER_BYTES + 4 * len(path.encode("utf-8", "surrogateescape"))


def _lines(content: bytes) -> int:
    ends = content.count(b"\n") + content.count(b"\r")
    return ends + (not content.endswith((b"\n", b"\r")))


def _differing(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Cut off the lines that both files start with, and those that both end with."""
    start = max(old.rfind(b"\n", 0, _same(old, new)) + 1, 0)
    old, new = old[start:], new[start:]
    end = _same(old[::-1], new[::-1])
    first = old.find(b"\n", len(old) - end)
    kept = len(old) - first - 1 if end and first >= 0 else 0
    return old[: len(old) - kept], new[: len(new) - kept]


def _same(old: bytes, new: bytes) -> int:
    """Return how many bytes at the start are equal."""
    low, high = 0, min(len(old), len(new))
    seen_old, seen_new = memoryview(old), memoryview(new)
    while low < high:
        middle = (low + high + 1) // 2
        if seen_old[low:middle] == seen_new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _at_lf(content: bytes) -> list[bytes]:
    return io.BytesIO(content).readlines()


def _has_lone_cr(content: bytes) -> bool:
    return content.count(b"\r") != content.count(b"\r\n")


def _common(old: Sequence[Hashable], new: Sequence[Hashable]) -> int:
    count = 0
    for a, b in zip(old, new, strict=False):
        if a != b:
            break
        count += 1
    return count


def _middle_pairs(
    old: Sequence[Hashable], new: Sequence[Hashable], max_edits: int
) -> list[tuple[int, int]]:
    # An item that only one side has can't stay; without those, a rewrite is cheap.
    shared = {item: number for number, item in enumerate(set(old) & set(new))}
    old_at = [i for i, item in enumerate(old) if item in shared]
    new_at = [j for j, item in enumerate(new) if item in shared]
    found = _shortest_edit(
        [shared[old[i]] for i in old_at], [shared[new[j]] for j in new_at], max_edits
    )
    return [(old_at[i], new_at[j]) for i, j in found]


def _shortest_edit(a: list[int], b: list[int], limit: int) -> list[tuple[int, int]]:
    """Return the pairs that stay, after Myers (1986), or none above the limit.

    `reach[offset + k]` is how far into `a` the diagonal `k` (position in `a` minus
    position in `b`) has come; `rounds[d]` is what stood there before the d-th edit.
    """
    limit = min(limit, len(a) + len(b))
    if abs(len(a) - len(b)) > limit:
        return []
    offset = limit + 1
    reach = array("i", [0] * (2 * limit + 3))
    rounds: list[array[int]] = []
    for d in range(limit + 1):
        rounds.append(reach[offset - d - 1 : offset + d + 2])
        if _advance(a, b, reach, offset, d):
            return _walk_back(len(a), len(b), rounds)
    return []


def _advance(
    a: list[int], b: list[int], reach: "array[int]", offset: int, d: int
) -> bool:
    length_a, length_b = len(a), len(b)
    for at in range(offset - d, offset + d + 1, 2):
        k = at - offset
        goes_down = k == -d or (k != d and reach[at - 1] < reach[at + 1])
        x = reach[at + 1] if goes_down else reach[at - 1] + 1
        y = x - k
        while x < length_a and y < length_b and a[x] == b[y]:
            x += 1
            y += 1
        reach[at] = x
        if x >= length_a and y >= length_b:
            return True
    return False


def _walk_back(x: int, y: int, rounds: list["array[int]"]) -> list[tuple[int, int]]:
    pairs = []
    for d in range(len(rounds) - 1, 0, -1):
        reach, at = rounds[d], x - y + d + 1
        goes_down = at == 1 or (at != 2 * d + 1 and reach[at - 1] < reach[at + 1])
        before_x = reach[at + 1] if goes_down else reach[at - 1]
        before_y = before_x - (x - y) + (-1 if goes_down else 1)
        while x > before_x and y > before_y:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = before_x, before_y
    pairs.extend((i, i) for i in range(x - 1, -1, -1))
    return pairs[::-1]
