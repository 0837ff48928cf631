"""Reserve the worst case before a request, settle it after; spent never passes a cap."""

import secrets
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, tzinfo
from functools import partial
from pathlib import Path

from bot.errors import BotError
from bot.store.ledger.book import Book
from bot.store.ledger.files import (
    ReservationFile,
    contents_of,
    opened,
    read,
    read_contents,
    reservation_path,
    write,
)
from bot.store.ledger.fold import fold
from bot.store.ledger.lock import LOCK_TIMEOUT_S, locked
from bot.store.ledger.owner import is_dead, this_process
from bot.store.ledger.reservation import AlreadySettled, Reservation
from bot.store.ledger.values import (
    Caps,
    Left,
    Request,
    Settled,
    SpendRow,
    Totals,
)


def _token() -> str:
    return secrets.token_hex(4)


class Ledger:
    """The truth of spending, shared by every process and thread that spends.

    Args:
        folder: Where its files lie; created with the first reservation.
        zone: Decides which day and month a moment belongs to.
        clock: Returns the present moment, aware.
        token: Returns eight hex digits that set ids of the same microsecond apart.
        lock_timeout_s: How long to wait for another process.

    Raises (every method that reads or writes files):
        DataFolderUnusable: Files can't be read or written.
        Deferred: Another process held the lock for too long.
    """

    def __init__(
        self,
        folder: Path,
        zone: tzinfo,
        clock: Callable[[], datetime],
        token: Callable[[], str] = _token,
        lock_timeout_s: float = LOCK_TIMEOUT_S,
    ) -> None:
        self._folder = folder
        self._zone = zone
        self._clock = clock
        self._token = token
        self._lock_timeout_s = lock_timeout_s

    def reserve(self, request: Request, caps: Caps) -> Reservation:
        """Set the request's worst case aside before it is sent.

        Raises:
            CapReached: It does not fit a cap; nothing was set aside.
        """
        with locked(self._folder, self._lock_timeout_s):
            now = self._clock()
            day = self._day_of(now)
            book = Book(tuple(fold(self._folder, day).rows()), day)
            refusal = book.refusal(request, caps)
            if refusal is not None:
                raise refusal
            file = opened(
                request, ident=self._new_id(now), at=now, owner=this_process()
            )
            path = reservation_path(self._folder, day, file.id)
            if path.exists():
                raise BotError(f"the ledger already has {path}; its ids must differ")
            write(path, file)
        return Reservation(file.id, file.worst, partial(self._settle, path))

    def settle_dead(self) -> tuple[str, ...]:
        """Charge the worst case of open reservations whose process died.

        Returns:
            Their ids.
        """
        if not self._folder.is_dir():
            return ()
        with locked(self._folder, self._lock_timeout_s):
            now = self._clock()
            dead = [
                (reservation_path(self._folder, day, file.id), file)
                for day, files in contents_of(self._folder).days.items()
                for file in files
                if file.settled is None and is_dead(file.owner, file.at, now)
            ]
            for path, file in dead:
                write(path, _settled(file, Settled.at(file.worst, "dead")))
        return tuple(file.id for _, file in dead)

    def fold(self) -> None:
        """Fold what is past; `reserve` does it too, so this only brings it forward."""
        if self._folder.is_dir():
            with locked(self._folder, self._lock_timeout_s):
                fold(self._folder, self._day_of(self._clock()))

    def left(self, caps: Caps, repo: str) -> Left:
        """Return what the caps of day and month leave for the repository now."""
        return self._book().left(caps, repo)

    def spent(self, period: str = "", repo: str | None = None) -> Totals:
        """Return what was charged, open reservations at their worst case.

        Args:
            period: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; empty is ever.
            repo: Of this repository only.
        """
        return self._book().total(period=period, repo=repo)

    def today(self) -> str:
        """Return the present day in the configured zone, as `YYYY-MM-DD`."""
        return self._day_of(self._clock())

    def of_cycle(self, cycle_id: str) -> Totals:
        """Return what the cycle was charged; told for a year at least."""
        return self._book().total(cycle_id=cycle_id)

    def of_gap(self, repo: str, gap_id: str) -> Totals:
        """Return what the gap was ever charged."""
        return self._book().total(repo=repo, gap_id=gap_id)

    def spend_rows(self) -> Iterator[SpendRow]:
        """Yield every charge, summed by period, repository, gap and cycle."""
        yield from self._book().rows

    def _book(self) -> Book:
        contents = read_contents(self._folder, self._lock_timeout_s)
        return Book(tuple(contents.rows()), self.today())

    def _settle(self, path: Path, settled: Settled) -> None:
        with locked(self._folder, self._lock_timeout_s):
            file = read(path, ReservationFile) if path.exists() else None
            if file is None or file.settled is not None:
                raise AlreadySettled(f"{path} was settled before; settle it only once")
            write(path, _settled(file, settled))

    def _day_of(self, moment: datetime) -> str:
        if moment.utcoffset() is None:
            raise ValueError(f"the ledger's clock gave {moment} without a zone")
        return moment.astimezone(self._zone).date().isoformat()

    def _new_id(self, moment: datetime) -> str:
        return f"{moment.astimezone(UTC):%Y%m%dT%H%M%S%fZ}-{self._token()}"


def _settled(file: ReservationFile, settled: Settled) -> ReservationFile:
    return file.model_copy(update={"settled": settled})
