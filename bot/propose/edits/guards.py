"""What a new text must not have lost, however well it was laid over the old one."""

import re
from collections.abc import Collection, Iterable, Sequence

from bot.propose.edits.elision import find_elision
from bot.propose.edits.stubs import find_stub
from bot.propose.edits.symbols import symbols
from bot.propose.edits.values import Unfit, quoted

_NAMED = 12
_TAKES_AWAY = re.compile(
    r"remov|delet|drop|renam|replac|\bmov(?:e|ing)|merg|inlin|split|get rid|obsolet|"
    r"deprecat|unused|entfern|lösch|umbenenn|ersetz|supprim|renomm|remplac|elimin|borr|"
    r"verwijder|usuń|удал|убер|убир|переимен|видал|删除|移除|重命名|削除|삭제",  # noqa: RUF001 - Russian stems
    re.IGNORECASE,
)
"""Stems of words by which a person asks that something goes or is called otherwise."""


def check_elision(path: str, new: Sequence[str], old: Sequence[str]) -> None:
    """Refuse a text with a line that stands for something left out.

    Args:
        path: Where it is to stand.
        new: A whole text, or what replaces a piece.
        old: The file, or the piece, as it is.

    Raises:
        Unfit: There is one; the old text does not have it there.
    """
    at = find_elision(path, new, old)
    if at is not None:
        raise _left_out(new, at)


def check_stubs(path: str, new: Sequence[str], old: Sequence[str]) -> None:
    """Refuse a file in which a function's body became `...`.

    Raises:
        Unfit: There is one.
    """
    at = find_stub(path, new, old)
    if at is not None:
        raise _left_out(new, at)


def _left_out(lines: Sequence[str], at: int) -> Unfit:
    return Unfit(
        "a line of the new text reads as if something was left out: give the text in "
        "full, or `edit` blocks that don't reach over it, or word a real comment "
        "otherwise",
        quoted(lines[max(0, at - 1) : at + 2]),
    )


def check_symbols(
    lost: Collection[str], gained: Collection[str], removes: Iterable[str], asked: str
) -> None:
    """Refuse the loss of names that nobody asked to take away.

    Args:
        lost: Top-level names that a file had and has no longer.
        gained: Those that some file has only afterwards; a name may move.
        removes: What the head says it removes.
        asked: What the person asked for; where it speaks of taking away, a name in it
            may go.

    Raises:
        Unfit: A name is lost.
    """
    named = {name.rpartition(".")[2].rstrip("()") for name in removes}
    said = asked if _TAKES_AWAY.search(asked) else ""
    gone = sorted(
        name
        for name in lost
        if name not in gained
        and name.rpartition(".")[2] not in named
        and not _speaks_of(said, name.rpartition(".")[2])
    )
    if gone:
        more = f" and {len(gone) - _NAMED} more" if len(gone) > _NAMED else ""
        raise Unfit(
            f"these names are lost: {', '.join(gone[:_NAMED])}{more}; keep them, or say "
            "in the head `removes: name` when they go on purpose"
        )


def _speaks_of(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def moved_symbols(
    old: tuple[str, str] | None, new: tuple[str, str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that a file loses and those it gains, from path and text."""
    had, has = symbols(*old) if old else frozenset(), symbols(*new)
    return had - has, has - had
