"""The id of a marked line: its tag's, or a hash of its title that survives moving."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from bot.cycle.gaps.marked import MarkedLine

_HASH = 12


def title_hash(title: str) -> str:
    """Return the first 12 hex digits for a title, whatever its case and spacing."""
    folded = unicodedata.normalize("NFC", title).casefold()
    text = " ".join(folded.split())
    # A lone surrogate can't come from a decoded file; it must not stop a caller either.
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]


def computed_ids(lines: Sequence[MarkedLine]) -> list[str]:
    """Return what each line's id is, or would be, without a tag.

    From the second line of equal title on, `-n` follows; every marked line counts.
    """
    seen: Counter[str] = Counter()
    ids: list[str] = []
    for line in lines:
        digest = title_hash(line.title)
        seen[digest] += 1
        ids.append(digest if seen[digest] == 1 else f"{digest}-{seen[digest]}")
    return ids
