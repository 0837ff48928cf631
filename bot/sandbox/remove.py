"""Deletes what untrusted programs made: any depth, any modes, no link followed."""

from pathlib import Path

from bot.errors import DataFolderUnusable
from bot.sandbox.process import first_line

_TIMEOUT_S = 600.0


def remove_tree(folder: Path) -> None:
    """Delete a folder and all in it, even where programs made parts read-only.

    Raises:
        DataFolderUnusable: It is still there afterwards.
    """
    if not folder.exists():
        return
    # The programs go down step by step, where Python would run out of stack or path.
    first_line(("chmod", "-R", "u+rwX", "--", str(folder)), _TIMEOUT_S)
    first_line(("rm", "-rf", "--", str(folder)), _TIMEOUT_S)
    if folder.exists():
        raise DataFolderUnusable(
            f"{folder} can't be deleted; delete it by hand and see why it resists."
        )
