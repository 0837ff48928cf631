"""Fills the index from the JSON files alone: records, pull requests, the ledger.

It never empties the index first: rows are replaced in small transactions and only
those whose file is gone are dropped, so a tick that runs meanwhile misses nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from bot.domain.record import CycleRecord
from bot.store.index import Index
from bot.store.jsonfile import UnreadableError
from bot.store.ledger.files import read_contents
from bot.store.ledger.values import SpendRow, Totals
from bot.store.pullfile import pull_path, read_pull, walk_pulls
from bot.store.records import Records, repo_folders

_BATCH = 500

Progress = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Counts:
    """What a run read, dropped and could not read.

    Attributes:
        unreadable: One line a file, saying which and why.
    """

    cycles: int
    pulls: int
    spend: int
    removed: int
    unreadable: tuple[str, ...]


def reindex(
    data_dir: Path,
    index: Index,
    repos: Sequence[str],
    progress: Progress | None = None,
) -> Counts:
    """Make the index say what the files say.

    An index with rows missing is filled from every repository's folder, whatever
    `repos` names, so that it is whole afterwards.

    Args:
        data_dir: The data folder.
        index: Also usable by others meanwhile.
        repos: Whose files are read again.
        progress: Told the repository and how many of its records were read so far.

    Raises:
        DataFolderUnusable: The index can't be written or the ledger not be read.
        Deferred: Another process locks the index.
    """
    index.begin_fill()
    names = set(repos)
    if index.was_rebuilt:
        names.update(repo_folders(data_dir))
    run = _Run(data_dir, index, progress or _silent)
    for repo in sorted(names):
        run.fill_cycles(repo)
        run.fill_pulls(repo)
    run.fill_spend()
    index.end_fill()
    return run.counts()


class _Run:
    def __init__(self, data_dir: Path, index: Index, progress: Progress) -> None:
        self._data_dir = data_dir
        self._index = index
        self._progress = progress
        self._records = Records(data_dir)
        self._cycles = self._pulls = self._spend = self._removed = 0
        self._unreadable: list[str] = []

    def counts(self) -> Counts:
        return Counts(
            cycles=self._cycles,
            pulls=self._pulls,
            spend=self._spend,
            removed=self._removed,
            unreadable=tuple(self._unreadable),
        )

    def fill_cycles(self, repo: str) -> None:
        read = 0
        paths = self._records.walk(repo)
        while batch := tuple(islice(paths, _BATCH)):
            records = tuple(self._readable(batch, repo))
            self._index.add_cycles((record, None) for record in records)
            read += len(records)
            self._progress(repo, read)
        self._cycles += read
        self._drop_cycles(repo)

    def fill_pulls(self, repo: str) -> None:
        folder = self._data_dir / repo / "pulls"
        for path in walk_pulls(folder):
            try:
                self._index.put_pull(repo, read_pull(path))
            except UnreadableError as error:
                self._unreadable.append(str(error))
            else:
                self._pulls += 1
        for pull in self._index.pulls(repo):
            if not pull_path(folder, pull.number).exists():
                self._index.remove_pull(repo, pull.number)
                self._removed += 1

    def fill_spend(self) -> None:
        rows = _summed(read_contents(self._data_dir / "ledger").rows())
        self._index.replace_spend(rows)
        self._spend = len(rows)

    def _readable(self, paths: Iterable[Path], repo: str) -> Iterator[CycleRecord]:
        for path in paths:
            try:
                record = self._records.read(path)
            except UnreadableError as error:
                self._unreadable.append(str(error))
                continue
            if (record.repo, record.cycle_id) == (repo, path.stem):
                yield record
            else:
                self._unreadable.append(
                    f"{path} says that it is {record.cycle_id} of {record.repo}"
                )

    def _drop_cycles(self, repo: str) -> None:
        after = ""
        while ids := self._index.ids(repo, after):
            gone = [i for i in ids if not self._records.path_of(repo, i).exists()]
            self._index.remove_cycles(gone)
            self._removed += len(gone)
            after = ids[-1]


def _summed(rows: Iterable[SpendRow]) -> tuple[SpendRow, ...]:
    sums: dict[tuple[str, str, str | None, str | None], Totals]
    sums = defaultdict(Totals)
    for row in rows:
        sums[row.period, row.repo, row.gap_id, row.cycle_id] += row.totals
    return tuple(
        SpendRow(
            period=period, repo=repo, gap_id=gap_id, cycle_id=cycle_id, totals=totals
        )
        for (period, repo, gap_id, cycle_id), totals in sums.items()
    )


def _silent(_repo: str, _read: int) -> None:
    pass
