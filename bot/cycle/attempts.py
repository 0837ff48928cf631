"""Failed attempts stay as a patch, so that no work is lost to a red test."""

from pathlib import Path

from bot.cycle.rooms import Rooms
from bot.cycle.work import ATTEMPT_REF
from bot.store.files import write_atomic


def keep_attempt(rooms: Rooms, cycle_id: str, commit_sha: str) -> Path:
    """Keep the commit under a ref of its own and as `attempts/<cycle_id>.patch`."""
    clone = rooms.clone()
    clone.keep(ATTEMPT_REF.format(cycle_id), commit_sha)
    path = rooms.folder / "attempts" / f"{cycle_id}.patch"
    write_atomic(path, clone.format_patch(commit_sha))
    return path
