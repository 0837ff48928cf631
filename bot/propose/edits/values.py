"""What the edit layer is given and what it answers besides edits."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

MAX_QUOTED_LINES = 14
_QUOTED_WIDTH = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """Where matching stops and guards begin.

    Attributes:
        ratio: Least likeness of a place that is not exactly the searched text.
        margin: By how much it must beat the next best place.
        shrink: Share of a file's lines that a whole-file answer may lose.
        max_bytes: Size of an existing file that is still edited.
    """

    ratio: float = 0.85
    margin: float = 0.1
    shrink: float = 0.5
    max_bytes: int = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Texts:
    """How file contents and text become each other.

    Attributes:
        decode: Returns the text of a file, line ends as they are, without its mark.
        conform: Returns new text as bytes in the convention of the old file; raises
            ValueError where that can't hold a character.
    """

    decode: Callable[[bytes], str]
    conform: Callable[[bytes, str], bytes]


@dataclass(frozen=True, slots=True)
class Base:
    """The commit that the answer is for.

    Attributes:
        read: Returns the file at a path, None where there is none.
        paths: Returns all paths; called only when one can't be found or is new.
        is_executable: Tells whether a file has its x bit, which a rename keeps.
    """

    read: Callable[[str], bytes | None]
    paths: Callable[[], Collection[str]]
    is_executable: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Misfit:
    """An answer that doesn't fit its base.

    Attributes:
        reason: What doesn't fit and where, in words for the model.
        quote: The real text in question, bounded; empty where there is none.
    """

    reason: str
    quote: str = ""


class Unfit(Exception):
    """Carries a misfit out of the depth of the edit layer."""

    def __init__(self, reason: str, quote: str = "") -> None:
        super().__init__(reason)
        self.misfit = Misfit(reason, quote)


def quoted(lines: Collection[str]) -> str:
    """Return lines for a quote, bounded in number and width."""
    kept = [line[:_QUOTED_WIDTH] for line in lines]
    if len(kept) > MAX_QUOTED_LINES:
        kept = [*kept[: MAX_QUOTED_LINES - 1], f"[{len(kept)} lines in all]"]
    return "\n".join(kept)
