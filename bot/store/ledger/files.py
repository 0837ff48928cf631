"""The ledger's folder: reservations by day, and the totals that past ones fold into.

    2026-11-30/<id>.json   one reservation
    2026-11-29.json        a day's totals; 2026-10.json a month's; 2024.json a year's

A totals file that names children as `superseded` already holds their sums: they are
about to be deleted and no longer count. So every state on disk has one sum.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import ValidationError

from bot.domain.record import Moment
from bot.errors import DataFolderUnusable
from bot.store.files import write_atomic
from bot.store.ledger.lock import LOCK_TIMEOUT_S, locked
from bot.store.ledger.owner import Owner
from bot.store.ledger.values import (
    Frozen,
    Request,
    Settled,
    SpendRow,
    Totals,
    Usage,
)

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TOTALS = re.compile(r"\d{4}(-\d\d(-\d\d)?)?\.json")

_File = TypeVar("_File", bound=Frozen)


class ReservationFile(Frozen):
    """One reservation; `settled` is null while it is open."""

    schema_version: Literal[1] = 1
    id: str
    at: Moment
    repo: str
    gap_id: str | None
    cycle_id: str | None
    role: str
    model: str
    owner: Owner
    worst: Usage
    settled: Settled | None = None

    @property
    def charged(self) -> Totals:
        """What it counts for now."""
        return self.settled or self.worst


class TotalsFile(Frozen):
    """The sums of a past period, and the children that no longer count beside it."""

    schema_version: Literal[1] = 1
    period: str
    rows: tuple[SpendRow, ...] = ()
    superseded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contents:
    """Everything that counts, as it lay in the folder at one moment.

    Attributes:
        totals: Totals files by period.
        days: Reservations by day; a day without one is left out.
    """

    totals: dict[str, TotalsFile]
    days: dict[str, tuple[ReservationFile, ...]]

    def rows(self) -> Iterator[SpendRow]:
        """Yield what was charged, each micro-USD once."""
        gone = {name for file in self.totals.values() for name in file.superseded}
        for period, file in sorted(self.totals.items()):
            if period not in gone:
                yield from file.rows
        for day, files in sorted(self.days.items()):
            yield from (row_of(day, file) for file in files if file.id not in gone)


def row_of(day: str, file: ReservationFile) -> SpendRow:
    """Return a reservation as a row of its day."""
    return SpendRow(
        period=day,
        repo=file.repo,
        gap_id=file.gap_id,
        cycle_id=file.cycle_id,
        totals=Totals() + file.charged,
    )


def opened(
    request: Request, *, ident: str, at: Moment, owner: Owner
) -> ReservationFile:
    """Return the file of a new, open reservation."""
    return ReservationFile(
        id=ident,
        at=at,
        repo=request.repo,
        gap_id=request.gap_id,
        cycle_id=request.cycle_id,
        role=request.role,
        model=request.model,
        owner=owner,
        worst=request.worst,
    )


def reservation_path(folder: Path, day: str, ident: str) -> Path:
    """Return where a reservation lies."""
    return folder / day / f"{ident}.json"


def totals_path(folder: Path, period: str) -> Path:
    """Return where a period's totals lie."""
    return folder / f"{period}.json"


def read_contents(folder: Path, lock_timeout_s: float = LOCK_TIMEOUT_S) -> Contents:
    """Read the whole folder; one that is not there is empty and stays so.

    Raises:
        DataFolderUnusable: A file can't be read, so spending is not known.
        Deferred: Another process held the lock for too long.
    """
    if not folder.is_dir():
        return Contents({}, {})
    with locked(folder, lock_timeout_s):
        return contents_of(folder)


def contents_of(folder: Path) -> Contents:
    """Read the whole folder for a caller who holds the lock.

    Raises:
        DataFolderUnusable: A file can't be read, so spending is not known.
    """
    names = _names(folder)
    totals = [read(folder / n, TotalsFile) for n in names if _TOTALS.fullmatch(n)]
    days = {n: _read_day(folder / n) for n in names if _DAY.fullmatch(n)}
    return Contents(
        totals={file.period: file for file in totals},
        days={day: files for day, files in days.items() if files},
    )


def read(path: Path, model: type[_File]) -> _File:
    """Read one file of the ledger.

    Raises:
        DataFolderUnusable: It can't be read, so spending is not known.
    """
    try:
        return model.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise DataFolderUnusable(
            f"can't read {path} of the ledger, so what was spent is not known; "
            "restore the file, or move it away if its spending need not count"
        ) from error


def write(path: Path, file: Frozen) -> None:
    """Write one file of the ledger, whole."""
    write_atomic(path, file.model_dump_json().encode())


def _read_day(folder: Path) -> tuple[ReservationFile, ...]:
    names = [n for n in _names(folder) if n.endswith(".json") and n[0] != "."]
    return tuple(read(folder / name, ReservationFile) for name in names)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        raise DataFolderUnusable(
            f"can't list {folder} of the ledger: {error.strerror}; "
            "let this user read it or set data_dir elsewhere"
        ) from error
