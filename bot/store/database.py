"""One SQLite file that may be lost at any time: opened late, rebuilt when broken.

It is ours by `application_id`, current by `user_version`. A file that is corrupt or
somebody else's moves aside to `<name>.unreadable`; one of another version is emptied.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from filelock import FileLock, Timeout

from bot.errors import DataFolderUnusable, Deferred
from bot.store.files import make_folder, usable

APPLICATION_ID = 0x67617077  # "gapw"

Result = TypeVar("Result")

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
# Our statements are fixed and tested: a plain error means that the schema isn't ours.
_BROKEN = frozenset(
    {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
)
_REFUSED = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
    }
)


class _BrokenError(Exception):
    """The file is corrupt or somebody else's."""


class Database:
    """A connection that heals itself; one thread at a time uses it.

    Args:
        path: The database file; its folder is created when missing.
        schema: The statements that make the tables, without transaction.
        version: What `user_version` says when the tables are these.
        busy_timeout_s: How long another process's lock is waited for.
    """

    def __init__(
        self,
        path: Path,
        schema: Sequence[str],
        version: int,
        *,
        busy_timeout_s: float,
    ) -> None:
        self._path = path
        self._schema = schema
        self._version = version
        self._timeout_s = busy_timeout_s
        self._mutex = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None

    def read(self, ask: Callable[[sqlite3.Connection], Result]) -> Result:
        """Return what `ask` reads.

        Raises:
            Deferred: Locked by another process, or found corrupt and so emptied.
            DataFolderUnusable: The file system refused it.
        """
        with self._mutex, self._told():
            try:
                return _attempt(self._connection(), ask)
            except _BrokenError as error:
                self._mend()
                raise Deferred(
                    f"the index {self._path} was corrupt and is empty now; "
                    "it is filled again by the next tick or `bot reindex`"
                ) from error

    def write(self, do: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `do` in one transaction; in a corrupt file, again in a new one.

        Raises:
            Deferred: Locked by another process for longer than the time-out.
            DataFolderUnusable: The file system refused it.
        """
        with self._mutex, self._told():
            try:
                return self._in_transaction(do)
            except _BrokenError:
                self._mend()
                return self._in_transaction(do)

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        with self._mutex:
            if self._db is not None:
                self._db.close()
            self._db = self._identity = None

    def _in_transaction(self, do: Callable[[sqlite3.Connection], Result]) -> Result:
        db = self._connection()

        def whole(db: sqlite3.Connection) -> Result:
            with transaction(db):
                return do(db)

        return _attempt(db, whole)

    def _connection(self) -> sqlite3.Connection:
        # Another process may have moved the file aside, or a person deleted it.
        if self._db is not None and self._identity == _identity(self._path):
            return self._db
        self.close()
        make_folder(self._path.parent)
        try:
            db = self._connect()
            if not self._is_current(db):
                db.close()
                db = self._build()
        except _BrokenError:
            db = self._build()
        self._db, self._identity = db, _identity(self._path)
        return db

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(
            self._path,
            timeout=self._timeout_s,
            isolation_level=None,
            check_same_thread=False,  # the mutex keeps it to one at a time
        )
        db.text_factory = _text
        return db

    def _is_current(self, db: sqlite3.Connection) -> bool:
        try:
            current = _attempt(db, _marks) == (APPLICATION_ID, self._version)
            if current:
                _attempt(db, lambda db: db.execute("PRAGMA synchronous = FULL"))
        except BaseException:
            db.close()
            raise
        return current

    def _mend(self) -> None:
        broken = self._identity
        self.close()
        with self._building():
            if _identity(self._path) == broken:  # no other process was faster
                self._move_aside()

    def _build(self) -> sqlite3.Connection:
        with self._building():
            for _ in range(2):
                db = self._connect()
                try:
                    if not self._is_current(db):
                        _attempt(db, self._create)
                        db.execute("PRAGMA synchronous = FULL")
                except _BrokenError:
                    db.close()
                    self._move_aside()
                except BaseException:
                    db.close()
                    raise
                else:
                    return db
        raise DataFolderUnusable(
            f"a new index at {self._path} can't be read back; check the disk"
        )

    def _create(self, db: sqlite3.Connection) -> None:
        application_id, _ = _marks(db)
        tables = [
            name
            for (name,) in db.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table'"
            )
        ]
        if tables and application_id != APPLICATION_ID:
            raise _BrokenError
        db.execute("PRAGMA journal_mode = WAL")
        with transaction(db):
            for name in tables:
                db.execute(f'DROP TABLE "{name}"')
            for statement in self._schema:
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {self._version}")

    @contextmanager
    def _building(self) -> Iterator[None]:
        """Let one process at a time judge the file and replace it."""
        lock = FileLock(
            f"{self._path}.lock", timeout=self._timeout_s, fallback_to_soft=False
        )
        with usable(self._path), lock:
            yield

    def _move_aside(self) -> None:
        # The log first: left behind, it would be played into the new file.
        for end in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                old = Path(f"{self._path}{end}")
                old.replace(f"{self._path}.unreadable{end}")

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except Timeout as error:
            raise Deferred(f"the index {self._path} is being rebuilt") from error
        except sqlite3.Error as error:
            code = _code(error)
            if code in _BUSY:
                raise Deferred(
                    f"the index {self._path} was locked by another process "
                    f"for {self._timeout_s:g} s"
                ) from error
            if code in _REFUSED:
                raise DataFolderUnusable(
                    f"can't use the index {self._path}: {error}; "
                    "free some space or let this user write there"
                ) from error
            raise


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Commit what the block writes, or nothing of it."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _attempt(
    db: sqlite3.Connection, use: Callable[[sqlite3.Connection], Result]
) -> Result:
    try:
        return use(db)
    except sqlite3.Error as error:
        if _code(error) in _BROKEN:
            raise _BrokenError from error
        raise
    except ValueError as error:  # a value that was never written like this
        raise _BrokenError from error


def _marks(db: sqlite3.Connection) -> tuple[int, int]:
    (application_id,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return application_id, version


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _text(raw: bytes) -> str:
    return raw.decode()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
