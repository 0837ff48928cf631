"""Full-text rows for ranking files: one a blob, so only changed content is read again.

The file is a cache of one repository: deleted, corrupt or of another version it is
filled again by the next `sync`. Nothing newer than SQLite 3.40.
"""

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bot.store.database import Database

VERSION = 1
SCHEMA = (
    """CREATE TABLE state (
        id INTEGER PRIMARY KEY CHECK (id = 1), tree TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE blobs (
        number INTEGER PRIMARY KEY, blob TEXT NOT NULL UNIQUE, symbols TEXT NOT NULL
    ) STRICT""",
    "CREATE VIRTUAL TABLE texts USING fts5 (symbols, body)",
)

MAX_TERMS = 48
_SYMBOL_WEIGHT = 4.0  # a name that a file defines says more than one that it uses
_MATCHES = """SELECT blob FROM texts JOIN blobs ON number = texts.rowid
    WHERE texts MATCH ? ORDER BY bm25(texts, ?, 1.0), blob LIMIT ?"""

# Scripts that are written without spaces: Thai to Khmer, kana, Han, Hangul (whose
# words carry endings), and the planes of rarer Han.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]+"
)
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_COMMON = frozenset(
    _WORD.findall(
        "a about after all also an and any are as at be been before but by can do does each "
        "else every for from get has have if in into is it its make may more must new no not "
        "now of on one only or other our out over shall should so some such than that the "
        "their them then there these they this to up use used was we were what when where "
        "which who will with would you your"
    )
)


@dataclass(frozen=True, slots=True)
class Document:
    """What is kept of a blob.

    Attributes:
        symbols: Names that it defines at its top level.
        text: What is searched; empty for content that is no text.
    """

    symbols: tuple[str, ...]
    text: str


Read = Callable[[Sequence[str]], Iterable[tuple[str, Document]]]


def terms(query: str) -> tuple[str, ...]:
    """Return the distinct words of a text that are worth a search, bounded.

    An identifier gives its parts too, and text without spaces its pairs of characters.
    """
    found: dict[str, None] = {}
    for word in _WORD.findall(_in_pairs(query)):
        parts = _HUMP.split(word)
        for part in (word, *(parts if len(parts) > 1 else ())):
            lowered = part.lower()
            if lowered not in _COMMON and (len(part) > 1 or not part.isascii()):
                found[lowered] = None
    return tuple(found)[:MAX_TERMS]


class Search:
    """The rows of one repository's files.

    Methods raise `Deferred` when another process locks the file for longer than the
    time-out, and `DataFolderUnusable` when the file system refuses it.

    Args:
        path: The database; opened at the first use.
        busy_timeout_s: How long another process's lock is waited for.
    """

    def __init__(self, path: Path, *, busy_timeout_s: float = 5.0) -> None:
        self._path = path
        self._database = Database(path, SCHEMA, VERSION, busy_timeout_s=busy_timeout_s)

    def sync(self, tree: str, blobs: Collection[str], read: Read) -> int:
        """Let the rows be exactly those of these blobs; all or nothing of it.

        Args:
            tree: What the blobs are called together.
            blobs: The ids that are to have a row.
            read: Yields the documents of blobs that have none; one that it leaves out
                gets no row.

        Returns:
            How many blobs were read.
        """
        wanted = frozenset(blobs)

        def do(db: sqlite3.Connection) -> int:
            known = dict(db.execute("SELECT blob, number FROM blobs"))
            _drop(db, [known[blob] for blob in known.keys() - wanted])
            missing = sorted(wanted - known.keys())
            count = _add(db, read(missing)) if missing else 0
            if _tree(db) != tree:
                db.execute("INSERT OR REPLACE INTO state VALUES (1, ?)", (tree,))
            return count

        count = self._database.write(do)
        self._drop_unreadable()
        return count

    def match(self, tree: str, words: Sequence[str], limit: int) -> list[str] | None:
        """Return the blobs that hold any of the words, the best first.

        Returns:
            None when the rows are not those of this tree, so that `sync` is due.
        """
        asked = " OR ".join(f'"{word}"' for word in words if '"' not in word)

        def ask(db: sqlite3.Connection) -> list[str] | None:
            if _tree(db) != tree:
                return None
            if not asked:
                return []
            rows = db.execute(_MATCHES, (asked, _SYMBOL_WEIGHT, limit))
            return [blob for (blob,) in rows]

        return self._database.read(ask)

    def symbols(self, tree: str) -> Mapping[str, tuple[str, ...]] | None:
        """Return what each blob defines, of those that define something.

        Returns:
            None when the rows are not those of this tree.
        """

        def ask(db: sqlite3.Connection) -> dict[str, tuple[str, ...]] | None:
            if _tree(db) != tree:
                return None
            rows = db.execute("SELECT blob, symbols FROM blobs WHERE symbols <> ''")
            return {blob: tuple(symbols.split("\n")) for blob, symbols in rows}

        return self._database.read(ask)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._database.close()

    def _drop_unreadable(self) -> None:
        """Delete what was moved aside as corrupt: nobody mends a cache."""
        for end in ("", "-wal", "-shm"):
            Path(f"{self._path}.unreadable{end}").unlink(missing_ok=True)


def _drop(db: sqlite3.Connection, numbers: Sequence[int]) -> None:
    rows = [(number,) for number in numbers]
    db.executemany("DELETE FROM texts WHERE rowid = ?", rows)
    db.executemany("DELETE FROM blobs WHERE number = ?", rows)


def _add(db: sqlite3.Connection, documents: Iterable[tuple[str, Document]]) -> int:
    (last,) = db.execute("SELECT coalesce(max(number), 0) FROM blobs").fetchone()
    count = 0
    for blob, document in documents:
        count += 1
        number = last + count
        listed = "\n".join(document.symbols).replace("\0", " ")
        db.execute("INSERT INTO blobs VALUES (?, ?, ?)", (number, blob, listed))
        db.execute(
            "INSERT INTO texts (rowid, symbols, body) VALUES (?, ?, ?)",
            (number, " ".join(_parts(listed)), _in_pairs(document.text)),
        )
    return count


def _tree(db: sqlite3.Connection) -> str | None:
    row = db.execute("SELECT tree FROM state").fetchone()
    return row[0] if row else None


def _parts(symbols: str) -> Iterator[str]:
    for word in _in_pairs(symbols).split():
        yield from dict.fromkeys((word, *_HUMP.split(word)))


def _in_pairs(text: str) -> str:
    """Write text without spaces as its overlapping pairs of characters, spaced."""
    text = text.replace("\0", " ")
    return text if text.isascii() else _UNSPACED.sub(_pairs, text)


def _pairs(run: re.Match[str]) -> str:
    chars = run[0]
    if len(chars) == 1:
        return f" {chars} "
    return f" {' '.join(map(''.join, pairwise(chars)))} "
