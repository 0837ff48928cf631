"""Pause files: `touch bot.paused` halts the bot, whoever made it and for whatever reason.

A file may hold lines `until: RFC 3339` and `reason: text`; any other text is a reason
without an end. One whose end has passed counts as absent, and an end that can't be read
counts as none: in doubt the bot stays paused.
"""

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.cycle.draft import Draft
from bot.cycle.ending import Ending
from bot.cycle.rooms import Rooms
from bot.domain.outcome import Outcome
from bot.domain.record import rfc3339
from bot.store.files import write_atomic

FILE_NAME = "bot.paused"
_MAX_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause file that holds now."""

    path: Path
    reason: str
    until: datetime | None

    def __str__(self) -> str:
        """Say which file, why and how long."""
        end = f" until {rfc3339(self.until)}" if self.until else ""
        return f"paused{end} by {self.path}: {self.reason}"


def check(rooms: Rooms, draft: Draft) -> Ending | None:
    """End as `skipped_pause` when a pause file of this repository holds."""
    with draft.step("pause"):
        files = pause_files(rooms.settings.data_dir, rooms.folder, rooms.checkout)
        pause = find_pause(files, rooms.clock())
        draft.note(str(pause) if pause else "not paused")
    return Ending(Outcome.SKIPPED_PAUSE, str(pause)) if pause else None


def pause_files(
    data_dir: Path, repo_folder: Path | None, checkout: Path | None
) -> tuple[Path, ...]:
    """Return the places where a pause file counts, the person's checkout first."""
    folders = (checkout, data_dir, repo_folder)
    return tuple(folder / FILE_NAME for folder in folders if folder is not None)


def find_pause(files: Sequence[Path], now: datetime) -> Pause | None:
    """Return the first pause that holds at `now`; one that can't be read holds."""
    for path in files:
        pause = _read(path)
        if pause and (pause.until is None or pause.until > now):
            return pause
    return None


def write_pause(path: Path, reason: str | None, until: datetime | None) -> None:
    """Write a pause file as `bot pause` does."""
    lines = [f"until: {rfc3339(until)}"] if until else []
    if reason:
        lines.append(f"reason: {' '.join(reason.split())}")
    write_atomic(path, "".join(f"{line}\n" for line in lines).encode())


def parse_until(text: str) -> datetime | None:
    """Read an RFC 3339 moment; one without a zone is UTC; None when it is none."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read(path: Path) -> Pause | None:
    try:
        # A pipe of that name holds nobody up.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            text = file.read(_MAX_BYTES).decode("utf-8", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ENOTDIR:
            return None
        return Pause(path, f"it can't be read ({error.strerror})", None)
    until, reasons = None, []
    for line in filter(None, map(str.strip, text.splitlines())):
        key, _, value = line.partition(":")
        if key.lower() == "until" and parse_until(value):
            until = parse_until(value)
        elif key.lower() == "reason" and value.strip():
            reasons.append(value.strip())
        else:
            reasons.append(line)
    return Pause(path, " ".join(reasons) or "no reason given", until)
