"""How things stand: paused or at work, open pull requests, what waits, what ended."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.cycle.pause import Pause, find_pause, pause_files
from bot.cycle.rooms import Rooms
from bot.domain.gap import GapState
from bot.domain.pull import PullState
from bot.report.gaps import list_gaps
from bot.store.journal import JournalEntry
from bot.store.locks import holder
from bot.store.rows import CycleRow

_LAST = 10


@dataclass(frozen=True, slots=True)
class RepoStatus:
    """How one repository stands.

    Attributes:
        repo: Its name.
        pause: The pause file that holds, if any.
        running: The cycle at work now.
        base_sha: The base as last fetched; None before the first time.
        states: Gaps by state, in the order of `GapState`.
        open_pulls: Open pull requests of the bot.
        waiting: Finished commits that no pull request carries yet.
        last: The last cycles, newest first.
        fault: Why its gaps can't be told; None when they can.
    """

    repo: str
    pause: Pause | None
    running: JournalEntry | None
    base_sha: str | None
    states: dict[GapState, int]
    open_pulls: int
    waiting: int
    last: tuple[CycleRow, ...]
    fault: str | None


def status_of(rooms: Rooms) -> RepoStatus:
    """Return how a repository stands; fetches only if its base never was."""
    name = rooms.repo.name
    files = pause_files(rooms.settings.data_dir, rooms.folder, rooms.checkout)
    listed = list_gaps(rooms)
    found = Counter(status.state for status in listed.statuses)
    return RepoStatus(
        repo=name,
        pause=find_pause(files, rooms.clock()),
        running=_running(rooms),
        base_sha=None if listed.fault else rooms.clone().base(),
        states={state: found[state] for state in GapState if found[state]},
        open_pulls=len(rooms.index.pulls(name, PullState.OPEN)),
        waiting=len(rooms.unpublished.all()),
        last=rooms.index.cycles(name, limit=_LAST),
        fault=listed.fault,
    )


def ran_for(entry: JournalEntry, now: datetime) -> str:
    """Say for how long a cycle has been at work."""
    seconds = max(0, round((now - entry.started_at).total_seconds()))
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def _running(rooms: Rooms) -> JournalEntry | None:
    """Return the cycle at work; taking the lock to find out would make a tick skip."""
    alive = [e for e in rooms.journal.entries() if Path(f"/proc/{e.pid}").is_dir()]
    return alive[-1] if alive and holder(rooms.folder) else None
