"""The records of ended ticks, one JSON file each, the truth that all else derives from.

A record's place follows from its repository and its cycle id alone:
`<data>/<repo>/cycles/YYYY-MM-DD/<cycle_id>.json`, the UTC day being in the id.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bot.domain.record import CycleRecord
from bot.store.files import write_atomic
from bot.store.jsonfile import dump, load

_ID = re.compile(
    r"bot-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})-(\d{3})Z-[0-9a-f]{8}", re.ASCII
)
_REPO = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_RESERVED = ("ledger", "outbox", "gitconfig", "bot.paused")
_INDEX = "bot.sqlite3"
_READERS = {1: CycleRecord.model_validate_json}


def new_cycle_id(clock_now: datetime, random_hex: str) -> str:
    """Return an id that sorts by time: `bot-2026-11-30T08-20-00-123Z-1a2b3c4d`.

    Args:
        clock_now: An aware moment.
        random_hex: Eight lower-case hex digits.
    """
    cycle_id = f"{id_prefix(clock_now)}-{random_hex}"
    if not is_cycle_id(cycle_id):
        raise ValueError(f"{random_hex!r} is not eight lower-case hex digits")
    return cycle_id


def id_prefix(moment: datetime) -> str:
    """Return what ids of this millisecond start with; ids before it sort before it."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    utc = moment.astimezone(UTC)
    text = utc.replace(tzinfo=None).isoformat(timespec="milliseconds")
    return f"bot-{text.replace(':', '-').replace('.', '-')}Z"


def is_cycle_id(text: str) -> bool:
    """Whether the text is a whole cycle id, so also safe as a file name."""
    try:
        moment_of(text)
    except ValueError:
        return False
    return True


def moment_of(cycle_id: str) -> datetime:
    """Return the UTC moment in the id.

    Raises:
        ValueError: It is not a cycle id, or names a moment that doesn't exist.
    """
    found = _ID.fullmatch(cycle_id)
    if found is None:
        raise ValueError(f"{cycle_id!r} is not a cycle id")
    day, hour, minute, second, ms = found.groups()
    return datetime.fromisoformat(f"{day}T{hour}:{minute}:{second}.{ms}+00:00")


def is_repo_name(text: str) -> bool:
    """Whether the text may name a repository's folder under the data folder."""
    if text in _RESERVED or text.startswith(_INDEX):
        return False
    return _REPO.fullmatch(text) is not None


def repo_folders(data_dir: Path) -> tuple[str, ...]:
    """Return the names of the repositories that have a folder, sorted."""
    if not data_dir.is_dir():
        return ()
    return tuple(
        sorted(
            p.name for p in data_dir.iterdir() if is_repo_name(p.name) and p.is_dir()
        )
    )


class Records:
    """All records under one data folder."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir

    def write(self, record: CycleRecord) -> Path:
        """Write the record whole and durably; an older one of the same id is replaced.

        Raises:
            DataFolderUnusable: The file system refused it.
            ValueError: The record's id or repository can't be a file name.
        """
        path = self.path_of(record.repo, record.cycle_id)
        write_atomic(path, dump(record))
        return path

    def read(self, path: Path) -> CycleRecord:
        """Read one record.

        Raises:
            UnreadableError: It is missing, torn or of a newer version.
        """
        return load(path, _READERS)

    def path_of(self, repo: str, cycle_id: str) -> Path:
        """Return where the record stands, or would.

        Raises:
            ValueError: The id or the repository can't be a file name.
        """
        if not is_repo_name(repo):
            raise ValueError(f"{repo!r} can't name a repository")
        day = moment_of(cycle_id).date().isoformat()
        return self._data_dir / repo / "cycles" / day / f"{cycle_id}.json"

    def find(self, cycle_id: str) -> CycleRecord | None:
        """Return the record of this id, whichever repository it belongs to.

        Raises:
            UnreadableError: It is there, but torn or of a newer version.
        """
        if not is_cycle_id(cycle_id):
            return None
        for repo in repo_folders(self._data_dir):
            path = self.path_of(repo, cycle_id)
            if path.is_file():
                return self.read(path)
        return None

    def walk(self, repo: str | None = None) -> Iterator[Path]:
        """Yield the records' paths, oldest first within each repository."""
        for name in (repo,) if repo is not None else repo_folders(self._data_dir):
            for day in _sorted_names(self._data_dir / name / "cycles", _DAY):
                yield from _sorted_names(day, _ID, ".json")


def _sorted_names(folder: Path, rule: re.Pattern[str], suffix: str = "") -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(
        path
        for path in folder.iterdir()
        if path.name.endswith(suffix)
        and rule.fullmatch(path.name.removesuffix(suffix)) is not None
    )
