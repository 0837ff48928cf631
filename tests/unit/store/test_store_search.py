"""Rows for searching: what is found, what is read again, what a broken file costs."""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bot.store import search as rows
from bot.store.search import Document, Search, terms


class Blobs:
    """Documents by blob id, and which of them were read."""

    def __init__(self, **documents: str) -> None:
        self.documents = documents
        self.read: list[str] = []

    def __call__(self, missing: Sequence[str]) -> Iterator[tuple[str, Document]]:
        for blob in missing:
            self.read.append(blob)
            yield blob, Document((f"name_of_{blob}",), self.documents[blob])

    def sync(self, search: Search, tree: str) -> int:
        return search.sync(tree, tuple(self.documents), self)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the rows are kept."""
    return tmp_path / "r" / "search.sqlite3"


@pytest.fixture
def search(path: Path) -> Iterator[Search]:
    """Return a repository's rows."""
    made = Search(path)
    yield made
    made.close()


def count(path: Path, table: str) -> int:
    """Return how many rows a table has, as another process sees it."""
    db = sqlite3.connect(path)
    (number,) = db.execute(f"SELECT count(*) FROM {table}").fetchone()
    db.close()
    return number


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Refuse the stale lease", ("refuse", "stale", "lease")),
        ("parseConfigFile", ("parseconfigfile", "parse", "config", "file")),
        ("HTTPServer", ("httpserver", "http", "server")),
        ("read_base_ref()", ("read", "base", "ref")),
        ("a x of the", ()),
        ("搜索功能", ("搜索", "索功", "功能")),
        ("修复login页", ("修复", "login", "页")),
        ("ログイン", ("ログ", "グイ", "イン")),
        ('"; DROP TABLE blobs --', ("drop", "table", "blobs")),
        ("", ()),
    ],
)
def test_terms(query: str, expected: tuple[str, ...]) -> None:
    """A query gives words, parts of identifiers and pairs of unspaced characters."""
    assert expected == terms(query)


def test_terms_are_bounded() -> None:
    """A long text asks for a bounded number of words."""
    assert rows.MAX_TERMS == len(terms(" ".join(f"w{n}" for n in range(999))))


def test_best_first(search: Search) -> None:
    """A blob that says a rare word more often in less text comes first."""
    blobs = Blobs(
        a="lease " + "other words " * 50, b="lease lease of a lock", c="nothing here"
    )
    blobs.sync(search, "t")

    assert ["b", "a"] == search.match("t", terms("the lease"), 10)
    assert ["b"] == search.match("t", terms("the lease"), 1)


def test_defined_names_count_more(search: Search) -> None:
    """A blob that defines a name comes before one that only uses it."""

    def read(_missing: Sequence[str]) -> Iterator[tuple[str, Document]]:
        yield "user", Document((), "settle the money of a call")
        yield "home", Document(("settleMoney",), "fn of the money here it is")

    search.sync("t", ("user", "home"), read)

    assert ["home", "user"] == search.match("t", ("settle",), 10)


def test_text_without_spaces(search: Search) -> None:
    """Chinese and Japanese text is found by a part of a sentence."""
    Blobs(
        zh="# 用户可以搜索历史订单并导出", ja="ユーザーはログインできる", en="orders"
    ).sync(search, "t")

    assert ["zh"] == search.match("t", terms("历史订单"), 10)
    assert ["ja"] == search.match("t", terms("ログイン"), 10)


def test_only_what_is_new_is_read(search: Search) -> None:
    """A second look reads the blobs that came, and drops those that went."""
    blobs = Blobs(a="apple", b="bread")
    assert 2 == blobs.sync(search, "one")
    blobs.documents = {"b": "bread", "c": "cheese"}
    blobs.read.clear()

    assert 1 == blobs.sync(search, "two")
    assert ["c"] == blobs.read
    assert [] == search.match("two", ("apple",), 10)
    assert ["b"] == search.match("two", ("bread",), 10)


def test_nothing_new(search: Search) -> None:
    """The same blobs again are not read again."""
    blobs = Blobs(a="apple")
    blobs.sync(search, "t")

    assert 0 == blobs.sync(search, "t")
    assert ["a"] == blobs.read


def test_no_ghosts(search: Search, path: Path) -> None:
    """What went leaves no row in any table, and its words are gone from the index."""
    blobs = Blobs(**{f"b{n}": f"word{n} shared" for n in range(50)})
    blobs.sync(search, "one")
    blobs.documents = {"b7": "word7 shared"}
    blobs.sync(search, "two")
    search.close()

    assert [1, 1] == [count(path, "blobs"), count(path, "texts")]
    db = sqlite3.connect(path)
    db.execute("INSERT INTO texts (texts) VALUES ('integrity-check')")
    found = db.execute("SELECT rowid FROM texts WHERE texts MATCH 'shared'").fetchall()
    db.close()
    assert 1 == len(found)


def test_another_tree_is_told(search: Search) -> None:
    """Rows of one tree answer nothing about another."""
    Blobs(a="apple").sync(search, "one")

    assert search.match("two", ("apple",), 10) is None
    assert search.symbols("two") is None


def test_symbols(search: Search) -> None:
    """Symbols come back as they were given, in order."""
    listed = ("B", "a_b", "Überschrift zwei")
    search.sync(
        "t", "xy", lambda _: [("x", Document(listed, "")), ("y", Document((), ""))]
    )

    assert {"x": listed} == search.symbols("t")


def test_no_words(search: Search) -> None:
    """Nothing is asked for nothing, and a quote can't break a query."""
    Blobs(a="apple").sync(search, "t")

    assert [] == search.match("t", (), 10)
    assert [] == search.match("t", ('ap"ple',), 10)


def test_all_or_nothing(search: Search) -> None:
    """A read that fails in the middle leaves the rows as they were."""
    blobs = Blobs(a="apple")
    blobs.sync(search, "one")

    def torn(_missing: Sequence[str]) -> Iterator[tuple[str, Document]]:
        yield "b", Document((), "bread")
        raise RuntimeError("git died")

    with pytest.raises(RuntimeError, match="git died"):
        search.sync("two", ("b", "c"), torn)

    assert ["a"] == search.match("one", ("apple",), 10)


def test_nul_characters(search: Search) -> None:
    """A NUL late in a text hides nothing behind it."""
    Blobs(a="apple\0bread").sync(search, "t")

    assert ["a"] == search.match("t", ("bread",), 10)


@pytest.mark.parametrize("damage", ["garbage", "middle", "other", "version"])
def test_a_broken_file_is_filled_again(path: Path, damage: str) -> None:
    """A file that is no database, torn, foreign or of another version is rebuilt."""
    blobs = Blobs(**{f"b{n}": f"word{n} shared " * 40 for n in range(300)})
    first = Search(path)
    blobs.sync(first, "t")
    first.close()
    _damage(path, damage)
    again = Search(path)

    blobs.sync(again, "t")

    assert ["b9"] == again.match("t", ("word9",), 10)
    again.close()
    assert [] == list(path.parent.glob("*.unreadable*"))


def _damage(path: Path, how: str) -> None:
    if how == "garbage":
        path.write_bytes(b"no database at all" * 999)
    elif how == "middle":
        content = bytearray(path.read_bytes())
        content[4096:] = b"\x5a" * (len(content) - 4096)
        path.write_bytes(content)
    else:
        db = sqlite3.connect(path)
        mark = "application_id = 7" if how == "other" else "user_version = 99"
        db.execute(f"PRAGMA {mark}")
        db.close()


def test_a_deleted_file_is_told(search: Search, path: Path) -> None:
    """Rows that a person deleted are not taken for a repository without words."""
    blobs = Blobs(a="apple")
    blobs.sync(search, "t")
    for file in path.parent.iterdir():
        file.unlink()

    assert search.match("t", ("apple",), 10) is None
    assert 1 == blobs.sync(search, "t")
    assert ["a"] == search.match("t", ("apple",), 10)


def test_two_repositories_do_not_mix(search: Search, tmp_path: Path) -> None:
    """Each repository's file holds its own rows only."""
    other = Search(tmp_path / "s" / "search.sqlite3")
    Blobs(a="apple mine").sync(search, "t")
    Blobs(b="apple theirs").sync(other, "t")

    assert ["a"] == search.match("t", ("apple",), 10)
    assert ["b"] == other.match("t", ("apple",), 10)
    other.close()
