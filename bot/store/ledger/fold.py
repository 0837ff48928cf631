"""Past days fold into a day's totals, past months into a month's, old years into one.

Each fold is three durable steps: the parent is written with the children's sums and
names, the children are deleted, the names are taken out. A kill after any of them
leaves the same sum, and the next fold goes on from there.
"""

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.store.files import TEMP_SUFFIX, remove, usable
from bot.store.ledger.files import (
    Contents,
    TotalsFile,
    contents_of,
    reservation_path,
    row_of,
    totals_path,
    write,
)
from bot.store.ledger.values import SpendRow, Totals

_YEAR, _MONTH, _DAY = 4, 7, 10  # lengths of "2026", "2026-11", "2026-11-30"


@dataclass(frozen=True, slots=True)
class _Step:
    parent: str
    children: tuple[str, ...]
    rows: tuple[SpendRow, ...]


def fold(folder: Path, today: str) -> Contents:
    """Fold all that is past and return what then lies in the folder.

    An open reservation keeps its day, and so its month, as it is. A year folds when
    another whole year has passed, and then no longer tells days and cycles apart.
    The caller holds the ledger's lock.

    Args:
        folder: The ledger's folder.
        today: `YYYY-MM-DD` in the configured zone.
    """
    while True:
        contents = contents_of(folder)
        pending = [file for file in contents.totals.values() if file.superseded]
        for file in pending:
            _finish(folder, file)
        if pending:
            continue
        step = _next_step(contents, today)
        if step is None:
            return contents
        _absorb(folder, contents, step)


def _next_step(contents: Contents, today: str) -> _Step | None:
    return (
        _day_step(contents, today)
        or _month_step(contents, today[:_MONTH])
        or _year_step(contents, int(today[:_YEAR]))
    )


def _day_step(contents: Contents, today: str) -> _Step | None:
    for day, files in sorted(contents.days.items()):
        if day < today and all(file.settled for file in files):
            rows = tuple(row_of(day, file) for file in files)
            return _Step(day, tuple(file.id for file in files), rows)
    return None


def _month_step(contents: Contents, this_month: str) -> _Step | None:
    busy = {day[:_MONTH] for day in contents.days}
    months = {period[:_MONTH] for period in contents.totals if len(period) == _DAY}
    for month in sorted(months - busy):
        if month < this_month:
            return _totals_step(contents, month, _DAY)
    return None


def _year_step(contents: Contents, this_year: int) -> _Step | None:
    busy = {day[:_YEAR] for day in contents.days}
    busy |= {period[:_YEAR] for period in contents.totals if len(period) == _DAY}
    years = {period[:_YEAR] for period in contents.totals if len(period) == _MONTH}
    for year in sorted(years - busy):
        if int(year) + 1 < this_year:
            return _totals_step(contents, year, _MONTH)
    return None


def _totals_step(contents: Contents, parent: str, length: int) -> _Step:
    children = tuple(
        period
        for period in sorted(contents.totals)
        if len(period) == length and period.startswith(parent)
    )
    rows = [row for child in children for row in contents.totals[child].rows]
    if len(parent) == _YEAR:
        rows = [_by_month(row) for row in rows]
    return _Step(parent, children, tuple(rows))


def _by_month(row: SpendRow) -> SpendRow:
    return row.model_copy(update={"period": row.period[:_MONTH], "cycle_id": None})


def _absorb(folder: Path, contents: Contents, step: _Step) -> None:
    old = contents.totals.get(step.parent, TotalsFile(period=step.parent))
    file = TotalsFile(
        period=step.parent,
        rows=_merged((*old.rows, *step.rows)),
        superseded=step.children,
    )
    write(totals_path(folder, step.parent), file)
    _finish(folder, file)


def _merged(rows: Iterable[SpendRow]) -> tuple[SpendRow, ...]:
    sums: dict[tuple[str, str, str | None, str | None], Totals]
    sums = defaultdict(Totals)
    for row in rows:
        key = (row.period, row.repo, row.gap_id, row.cycle_id)
        sums[key] = sums[key] + row.totals
    return tuple(
        SpendRow(period=period, repo=repo, gap_id=gap_id, cycle_id=cycle_id, totals=t)
        for (period, repo, gap_id, cycle_id), t in sums.items()
    )


def _finish(folder: Path, file: TotalsFile) -> None:
    for child in file.superseded:
        if len(file.period) == _DAY:
            remove(reservation_path(folder, file.period, child))
        else:
            remove(totals_path(folder, child))
    if len(file.period) == _DAY:
        _drop_folder(folder / file.period)
    write(totals_path(folder, file.period), file.model_copy(update={"superseded": ()}))


def _drop_folder(day: Path) -> None:
    """Remove the emptied folder of a day; what a person put there keeps it."""
    with usable(day), suppress(FileNotFoundError):
        # Whoever writes here holds the lock, so a temporary file has no writer.
        for temp in day.glob(f".*{TEMP_SUFFIX}"):
            temp.unlink()
    with suppress(OSError):
        day.rmdir()
