"""The proof that a record can be kept, before anything else is done."""

from contextlib import suppress

from bot.cycle.rooms import Rooms
from bot.errors import DataFolderUnusable
from bot.store.files import probe
from bot.store.locks import repository_lock


def require_room(rooms: Rooms) -> None:
    """Prove that the data folder can be written.

    What a command left in a working tree stays there until the next cycle cleans up, so
    a full disk may be of our own making: then the trees make room, as nothing in them
    can be lost.

    Raises:
        DataFolderUnusable: No promise can be kept; nothing else was done.
    """
    try:
        probe(rooms.settings.data_dir)
    except DataFolderUnusable:
        if not _delete_trees(rooms):
            raise
        probe(rooms.settings.data_dir)


def keep_room(rooms: Rooms, sha: str) -> None:
    """Clean the cycle's tree at once where what commands left in it fills the disk."""
    try:
        probe(rooms.settings.data_dir)
    except DataFolderUnusable:
        rooms.tree().move_to(sha)


def _delete_trees(rooms: Rooms) -> bool:
    """Delete the working trees unless a cycle is at work; say whether any went."""
    from bot.workspace.scour import delete_tree  # noqa: PLC0415 - hardly ever needed

    folder = rooms.folder / "trees"
    if not folder.is_dir():
        return False
    with (
        suppress(OSError, DataFolderUnusable),
        repository_lock(rooms.folder, "making room") as is_ours,
    ):
        trees = [tree for tree in folder.iterdir() if is_ours and tree.is_dir()]
        for tree in trees:
            delete_tree(tree, folder / ".trash")
        return bool(trees)
    return False
