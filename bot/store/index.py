"""The index: answers a tick's questions in microseconds, rebuilt from JSON when lost.

Cycle ids sort by time, so they order every history. Whatever a tick asks is answered
by a key; nothing it asks grows with the number of old rows.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import date, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from bot.domain.outcome import Outcome
from bot.domain.pull import Pull, PullState
from bot.domain.record import CycleRecord, rfc3339
from bot.errors import Deferred
from bot.store import sql
from bot.store.database import Database
from bot.store.ledger.values import SpendRow
from bot.store.records import id_prefix
from bot.store.rows import (
    CycleRow,
    Row,
    cycle_row,
    cycle_values,
    pull_of,
    pull_values,
    spend_row,
    spend_values,
    text_hash,
)

__all__ = ["CycleRow", "Index", "SpendRow", "text_hash"]

Result = TypeVar("Result")


class Index:
    """What ended, which pull requests stand, what was spent: all over one file.

    Every method raises `Deferred` when another process locks the file for longer
    than the time-out or when it was found corrupt just now, and
    `DataFolderUnusable` when the file system refuses it.

    Args:
        path: `<data>/bot.sqlite3`; opened at the first use.
        busy_timeout_s: How long another process's lock is waited for.
    """

    def __init__(self, path: Path, *, busy_timeout_s: float = 5.0) -> None:
        self._database = Database(
            path, sql.SCHEMA, sql.VERSION, busy_timeout_s=busy_timeout_s
        )
        self._stale = path.with_name(path.name + ".stale")

    @property
    def was_rebuilt(self) -> bool:
        """Whether rows are missing, so that `reindex` is due before it is trusted."""
        if self._stale.exists():
            return True
        return self._rows("SELECT filled FROM state", (), _first) == (0,)

    def add_cycle(self, record: CycleRecord, text_hash: str | None = None) -> None:
        """Put a record's row, replacing that of the same id.

        Args:
            record: Whose file is written already.
            text_hash: Of the gap's text; computed from the record when left out.
        """
        self.add_cycles([(record, text_hash)])

    def add_cycles(self, records: Iterable[tuple[CycleRecord, str | None]]) -> None:
        """Put the rows of many records in one transaction."""
        rows = [cycle_values(record, gap_hash) for record, gap_hash in records]
        self._put("cycles", rows)

    def last_cycle(self, repo: str) -> CycleRow | None:
        """Return the repository's newest row."""
        return _only(self._rows(sql.LAST, (repo,), cycle_row))

    def last_gap(self, repo: str) -> str | None:
        """Return the gap of the newest cycle that had one."""
        return _only(self._rows(sql.LAST_GAP, (repo,), _first))

    def of_gap(self, repo: str, gap_id: str, limit: int) -> tuple[CycleRow, ...]:
        """Return the gap's rows, newest first."""
        return self._rows(sql.OF_GAP, (repo, gap_id, limit), cycle_row)

    def attempts(
        self, repo: str, gap_ids: Collection[str] | None = None
    ) -> dict[str, tuple[CycleRow, ...]]:
        """Return the attempts of each gap that has any, newest first.

        Args:
            repo: The repository.
            gap_ids: Only these; so old gaps cost nothing.
        """
        if gap_ids is None:
            rows = self._rows(sql.ATTEMPTS, (repo,), cycle_row)
            return {
                gap_id: tuple(group)
                for gap_id, group in groupby(rows, key=lambda row: row.gap_id)
                if gap_id is not None
            }
        found = {
            gap_id: self._rows(sql.ATTEMPTS_OF, (repo, gap_id), cycle_row)
            for gap_id in gap_ids
        }
        return {gap_id: rows for gap_id, rows in found.items() if rows}

    def cycles(
        self,
        repo: str | None = None,
        *,
        limit: int,
        outcome: Outcome | None = None,
        gap_id: str | None = None,
        since: datetime | None = None,
    ) -> tuple[CycleRow, ...]:
        """Return the rows that fit all that is asked for, newest first."""
        where, values = _where(
            ("repo = ?", repo),
            ("outcome = ?", outcome and outcome.value),
            ("gap_id = ?", gap_id),
            ("cycle_id >= ?", since and id_prefix(since)),
        )
        query = f"SELECT * FROM cycles {where} ORDER BY cycle_id DESC LIMIT ?"  # noqa: S608  fixed words
        return self._rows(query, (*values, limit), cycle_row)

    def has_slot(self, repo: str, slot: str) -> bool:
        """Whether a tick of this slot ended already."""
        return bool(self._rows(sql.HAS_SLOT, (repo, slot), _first))

    def counts(self, repo: str | None = None) -> dict[Outcome, int]:
        """Return how often each outcome that ever came did so."""
        if repo is None:
            rows = self._rows(sql.COUNTS, (), _count)
            return dict(rows)
        found = {
            outcome: _only(self._rows(sql.COUNTS_OF, (outcome.value, repo), _first))
            for outcome in Outcome
        }
        return {outcome: number for outcome, number in found.items() if number}

    def ids(self, repo: str, after: str = "") -> tuple[str, ...]:
        """Return up to 1000 cycle ids of the repository that sort after `after`."""
        return self._rows(sql.IDS_AFTER, (repo, after), _first)

    def remove_cycles(self, cycle_ids: Iterable[str]) -> None:
        """Forget these rows; their records are gone."""
        rows = [(cycle_id,) for cycle_id in cycle_ids]
        self._many("DELETE FROM cycles WHERE cycle_id = ?", rows)

    def put_pull(self, repo: str, pull: Pull) -> None:
        """Put a pull request as it stands now, replacing that of the same number."""
        self._put("pulls", [pull_values(repo, pull)])

    def pulls(
        self,
        repo: str | None = None,
        state: PullState | None = None,
        since: datetime | None = None,
    ) -> tuple[Pull, ...]:
        """Return the pull requests that fit, newest first; `since` is of creation."""
        where, values = _where(
            ("repo = ?", repo),
            ("state = ?", state and state.value),
            ("created_at >= ?", since and rfc3339(since)),
        )
        query = (
            f"SELECT * FROM pulls {where} ORDER BY created_at DESC, repo, number DESC"  # noqa: S608  fixed words
        )
        return self._rows(query, values, pull_of)

    def pull_of_gap(self, repo: str, gap_id: str) -> Pull | None:
        """Return the gap's newest pull request, whatever its state."""
        return _only(self._rows(sql.PULL_OF_GAP, (repo, gap_id), pull_of))

    def remove_pull(self, repo: str, number: int) -> None:
        """Forget a pull request; its file is gone."""
        self._many("DELETE FROM pulls WHERE repo = ? AND number = ?", [(repo, number)])

    def put_spend(self, rows: Iterable[SpendRow]) -> None:
        """Put sums of spending, each replacing that of the same period and cycle."""
        self._put("spend", [spend_values(row) for row in rows])

    def spend(
        self, repo: str | None = None, since: date | None = None
    ) -> tuple[SpendRow, ...]:
        """Return the sums of spending, oldest period first."""
        where, values = _where(
            ("period >= ?", since and since.isoformat()), ("repo = ?", repo)
        )
        query = f"SELECT * FROM spend {where} ORDER BY period, repo, gap_id, cycle_id"  # noqa: S608  fixed words
        return self._rows(query, values, spend_row)

    def replace_spend(self, rows: Iterable[SpendRow]) -> None:
        """Forget all sums of spending and put these, in one transaction."""
        values = [spend_values(row) for row in rows]

        def replace(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM spend")
            db.executemany("INSERT INTO spend VALUES (?, ?, ?, ?, ?, ?, ?)", values)

        self._write(replace)

    def begin_fill(self) -> None:
        """Keep it said that rows are missing until `end_fill`, also when killed.

        A write that is lost after this marks the index anew.
        """
        if self._stale.exists():
            self._many("UPDATE state SET filled = 0", [()])
            self._stale.unlink(missing_ok=True)

    def end_fill(self) -> None:
        """Say that all rows are there."""
        self._many("UPDATE state SET filled = 1", [()])

    def clear(self) -> None:
        """Forget everything; `was_rebuilt` is true from now on."""

        def empty(db: sqlite3.Connection) -> None:
            for statement in sql.CLEAR:
                db.execute(statement)

        self._write(empty)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._database.close()

    def _rows(
        self,
        query: str,
        values: Sequence[object],
        convert: Callable[[Row], Result],
    ) -> tuple[Result, ...]:
        def ask(db: sqlite3.Connection) -> tuple[Result, ...]:
            return tuple(convert(row) for row in db.execute(query, tuple(values)))

        return self._database.read(ask)

    def _put(self, table: str, rows: Sequence[Sequence[object]]) -> None:
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._many(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", rows)  # noqa: S608  fixed words

    def _many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        self._write(lambda db: db.executemany(query, rows))

    def _write(self, do: Callable[[sqlite3.Connection], object]) -> None:
        try:
            self._database.write(do)
        except Deferred:  # the row is missing from now on; `reindex` brings it
            with suppress(OSError):
                self._stale.touch()
            raise


def _where(*conditions: tuple[str, object]) -> tuple[str, tuple[object, ...]]:
    asked = [(text, value) for text, value in conditions if value is not None]
    words = " AND ".join(text for text, _ in asked)
    return f"WHERE {words}" if words else "", tuple(value for _, value in asked)


def _first(row: Row) -> Any:
    return row[0]


def _count(row: Row) -> tuple[Outcome, int]:
    return Outcome(row[0]), row[1]


def _only(rows: tuple[Result, ...]) -> Result | None:
    return rows[0] if rows else None
