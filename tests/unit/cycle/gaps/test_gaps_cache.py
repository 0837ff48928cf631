"""The cache of parsed documents."""

import os
from dataclasses import dataclass

import pytest

from bot.cycle.gaps import GapCache, PrdFile, read_document


@dataclass(frozen=True)
class _Blob:
    path: str
    blob: str


@pytest.fixture
def cache(tmp_path):
    """Make a cache in a folder that does not exist yet."""
    return GapCache(tmp_path / "cache")


@pytest.fixture
def document():
    """Read a document with a gap, a faulty one and a done one."""
    text = "- [bot-eligible] ä [p0]\n  - n\n- [bot-eligible]\n- [bot-done] [id:d] x"
    files = [PrdFile("P", text)]
    return read_document(files, recipes=frozenset(), recipe_needed=False)


def _key(cache, *blobs, recipes=frozenset(), recipe_needed=False):
    return cache.key(blobs, recipes=recipes, recipe_needed=recipe_needed)


def test_what_is_put_comes_back(cache, document):
    """A parsed document comes back equal, also from another process's cache."""
    key = _key(cache, _Blob("P", "1"))

    assert cache.get(key) is None
    cache.put(key, document)

    assert document == GapCache(cache._folder).get(key)


def test_key_is_all_that_matters(cache):
    """Path, content, recipes and the need of one each change the key; order not."""
    a, b = _Blob("a", "1"), _Blob("b", "2")

    keys = {
        _key(cache, a),
        _key(cache, _Blob("b", "1")),
        _key(cache, _Blob("a", "2")),
        _key(cache, a, recipes=frozenset({"r"})),
        _key(cache, a, recipe_needed=True),
        _key(cache, a, b),
    }

    assert 6 == len(keys)
    assert _key(cache, a, b) == _key(cache, b, a)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b'{"key": 1}', b"null"])
def test_unreadable_is_a_miss(cache, document, data):
    """A damaged file is no error; the next put replaces it."""
    key = _key(cache)
    cache.put(key, document)
    cache._path(key).write_bytes(data)

    assert cache.get(key) is None
    cache.put(key, document)
    assert document == cache.get(key)


def test_file_of_another_key_is_a_miss(cache, document):
    """A file under a wrong name is not believed."""
    cache.put("one", document)
    cache._path("one").rename(cache._path("two"))

    assert cache.get("two") is None


def test_few_files_are_kept(cache, document):
    """Only the newest few stay."""
    for number in range(7):
        cache.put(str(number), document)
        os.utime(cache._path(str(number)), (number, number))

    kept = [n for n in range(7) if cache.get(str(n))]
    assert 4 == len(list(cache._folder.iterdir()))
    assert [3, 4, 5, 6] == kept


def test_file_that_vanishes_counts_as_oldest(cache, document):
    """A file that can't be looked at is dropped, not fatal."""
    cache.put("0", document)
    dangling = cache._path("dangling")
    dangling.symlink_to(cache._folder / "nowhere")

    for number in range(1, 4):
        cache.put(str(number), document)

    assert not dangling.is_symlink()
    assert all(cache.get(str(number)) for number in range(4))
