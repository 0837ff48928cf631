"""The files of a commit as a prompt needs them: names, sizes, contents, rank, symbols."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from bot.errors import Deferred
from bot.store.search import Document, Search, terms
from bot.workspace.git import Git
from bot.workspace.symbols import symbols_of

MAX_FILE_BYTES = 256 * 1024
"""Larger files have no row; they are known by name only."""

_BATCH_BYTES = 64 * 1024 * 1024  # what one process is asked for, so memory is bounded
_CHECKED_FOR_NUL = 8000
_REGULAR = frozenset({b"100644", b"100755"})
_RANKS = 60  # the usual constant of reciprocal rank fusion
_DEPTH = 200  # places of each ranking that are looked at
_PREFETCHED = 40

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A regular file of a commit; `size` in bytes as git stores it."""

    path: str
    blob: str
    size: int


def is_small(_path: str, size: int) -> bool:
    """Say that any file is searched that is not too large."""
    return size <= MAX_FILE_BYTES


class Corpus:
    """The commits of one repository, searched through rows that are kept.

    Callers hold the repository lock.

    Args:
        git: Git on the clone.
        search: The repository's rows.
        is_searched: Tells by path and size which files are worth a row; files over
            `MAX_FILE_BYTES` never have one.

    Attributes:
        blobs_read: How many blobs were read for rows so far.
    """

    def __init__(
        self,
        git: Git,
        search: Search,
        is_searched: Callable[[str, int], bool] = is_small,
    ) -> None:
        self._git = git
        self._search = search
        self._is_searched = is_searched
        self._latest: Snapshot | None = None
        self.blobs_read = 0

    def at(self, sha: str) -> "Snapshot":
        """Return a commit's files; its rows are brought up to date when they are asked.

        Raises:
            GitFailed: There is no such commit.
        """
        if self._latest is None or self._latest.sha != sha:
            self._latest = Snapshot(self, sha, _listed(self._git, sha))
        return self._latest

    def rank(self, query: str, sha: str, limit: int) -> tuple[str, ...]:
        """Return the paths of a commit that fit a text, the best first."""
        return self.at(sha).rank(query, limit)

    def matching(self, at: "Snapshot", words: Sequence[str]) -> list[str]:
        """Return the blobs that hold any of the words, the best first."""
        return self._current(at, lambda: self._search.match(at.sha, words, _DEPTH))

    def defined(self, at: "Snapshot") -> Mapping[str, tuple[str, ...]]:
        """Return the symbols by blob."""
        return self._current(at, lambda: self._search.symbols(at.sha))

    def contents(self, blobs: Sequence[str]) -> dict[str, bytes]:
        """Return what blobs hold, read in one process; those not there are left out."""
        return dict(_contents(self._git, blobs))

    def _current(self, at: "Snapshot", ask: Callable[[], _T | None]) -> _T:
        """Ask the rows, which may be old, lost or corrupt the first time."""
        try:
            answer = ask()
        except Deferred:
            answer = None  # found corrupt and emptied, or locked: then `sync` says so
        if answer is None:
            self._sync(at)
            answer = ask()
        if (
            answer is None
        ):  # pragma: no cover - a race that the repository lock prevents
            raise Deferred("the rows for searching were replaced by another process")
        return answer

    def _sync(self, at: "Snapshot") -> None:
        wanted = {
            file.blob: file
            for file in at.files
            if file.size <= MAX_FILE_BYTES and self._is_searched(file.path, file.size)
        }

        def read(missing: Sequence[str]) -> Iterator[tuple[str, Document]]:
            for batch in _batches([wanted[blob] for blob in missing]):
                for blob, content in _contents(self._git, batch):
                    yield blob, _document(wanted[blob].path, content)

        self.blobs_read += self._search.sync(at.sha, wanted.keys(), read)


class Snapshot:
    """One commit's regular files.

    Attributes:
        sha: The commit.
        files: In path order.
    """

    def __init__(self, corpus: Corpus, sha: str, files: tuple[SourceFile, ...]) -> None:
        self._corpus = corpus
        self.sha = sha
        self.files = files
        self._by_path = {file.path: file for file in files}
        self._read: dict[str, bytes] = {}
        self._expected: tuple[str, ...] = ()

    def paths(self) -> tuple[str, ...]:
        """Return all paths, in order."""
        return tuple(self._by_path)

    def size(self, path: str) -> int | None:
        """Return the bytes of a file; None when there is none."""
        file = self._by_path.get(path)
        return None if file is None else file.size

    def read(self, path: str) -> bytes | None:
        """Return a file as git stores it; None when there is none.

        Files that `rank` put first are read along with the first of them.
        """
        file = self._by_path.get(path)
        if file is None:
            return None
        if file.blob not in self._read:
            along = self._expected if file.blob in self._expected else ()
            self._expected = () if along else self._expected
            self._read |= self._corpus.contents(
                [*{file.blob: None, **dict.fromkeys(along)}]
            )
        return self._read.get(file.blob)

    def rank(self, query: str, limit: int) -> tuple[str, ...]:
        """Return the paths that fit a text, the best first.

        Contents and names are ranked apart and joined by reciprocal rank.
        """
        words = terms(query)
        if not words:
            return ()
        by_blob = self._paths_of_blobs
        by_text = [
            path
            for blob in self._corpus.matching(self, words)
            for path in by_blob.get(blob, ())
        ]
        ranked = _fused(by_text, _by_name(self._by_path, words))[:limit]
        first = (self._by_path[path] for path in ranked[:_PREFETCHED])
        self._expected = tuple(f.blob for f in first if f.size <= MAX_FILE_BYTES)
        return tuple(ranked)

    def symbols(self, path: str) -> tuple[str, ...]:
        """Return the names that a file defines at its top level."""
        file = self._by_path.get(path)
        return () if file is None else self._symbols.get(file.blob, ())

    @cached_property
    def _symbols(self) -> Mapping[str, tuple[str, ...]]:
        return self._corpus.defined(self)

    @cached_property
    def _paths_of_blobs(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for file in self.files:
            found.setdefault(file.blob, []).append(file.path)
        return found


def _listed(git: Git, sha: str) -> tuple[SourceFile, ...]:
    out = git.run("ls-tree", "-r", "-l", "-z", "--full-tree", "--", sha)
    return tuple(_files(out))


def _files(listing: bytes) -> Iterator[SourceFile]:
    for line in listing.split(b"\0")[:-1]:
        facts, _, path = line.partition(b"\t")
        mode, _, blob, size = facts.split()
        if mode in _REGULAR:
            name = path.decode("utf-8", "surrogateescape")
            yield SourceFile(name, blob.decode("ascii"), int(size))


def _batches(files: Iterable[SourceFile]) -> Iterator[list[str]]:
    batch: list[str] = []
    room = _BATCH_BYTES
    for file in files:
        if batch and file.size > room:
            yield batch
            batch, room = [], _BATCH_BYTES
        batch.append(file.blob)
        room -= file.size
    yield batch


def _contents(git: Git, blobs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield blobs and contents; what the clone lacks is left out."""
    asked = "".join(f"{blob}\n" for blob in blobs).encode()
    out = memoryview(git.run("cat-file", "--batch", input=asked))
    at = 0
    for blob in blobs:
        # `<id> blob <size>` or `<id> missing`: the ids are of one known length.
        head = bytes(out[at : at + len(blob) + 32]).partition(b"\n")[0]
        at += len(head) + 1
        size = head.rpartition(b" ")[2]
        if size.isdigit():
            yield blob, bytes(out[at : at + int(size)])
            at += int(size) + 1


def _document(path: str, content: bytes) -> Document:
    if b"\0" in content[:_CHECKED_FOR_NUL]:
        return Document((), "")
    text = content.decode("utf-8", "replace")
    return Document(symbols_of(path, text), text)


def _by_name(paths: Iterable[str], words: Sequence[str]) -> list[str]:
    """Rank paths by the words in them, rare ones first."""
    hits: dict[str, list[str]] = {}
    for path in paths:
        lowered = path.lower()
        found = [word for word in words if word in lowered]
        if found and (found := _begun(path, found)):
            hits[path] = found
    often = Counter(word for found in hits.values() for word in found)
    scores = {
        path: sum(len(word) / (1 + often[word]) for word in found)
        for path, found in hits.items()
    }
    return sorted(scores, key=lambda path: (-scores[path], len(path), path))[:_DEPTH]


def _begun(path: str, words: Sequence[str]) -> list[str]:
    """Return the words with which a part of the path begins: no `lease` in `release`."""
    parts = terms(path)
    return [w for w in words if any(part.startswith(w) for part in parts)]


def _fused(*rankings: Sequence[str]) -> list[str]:
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, path in enumerate(ranking):
            scores[path] = scores.get(path, 0.0) + 1 / (_RANKS + place)
    return sorted(scores, key=lambda path: (-scores[path], path))
