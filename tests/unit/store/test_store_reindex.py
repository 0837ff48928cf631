"""The index is what the files say, whichever way it came about."""

import shutil
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.outcome import Outcome
from bot.domain.pull import PullState
from bot.errors import Deferred
from bot.store.index import Index, SpendRow, text_hash
from bot.store.ledger.files import TotalsFile
from bot.store.ledger.files import write as write_totals
from bot.store.ledger.values import Totals
from bot.store.pullfile import write_pull
from bot.store.records import Records
from bot.store.reindex import Counts, reindex

REPOS = ("lake", "mill")

changes = st.fixed_dictionaries(
    {
        "number": st.integers(0, 3000),
        "repo": st.sampled_from(REPOS),
        "outcome": st.sampled_from(Outcome),
        "reason": st.sampled_from(["declined unclear: which?", "red", "caf\u00e9 \0"]),
        "slot": st.none() | st.sampled_from(["s1", "s2"]),
        "gap": st.none() | st.sampled_from(["a", "b"]),
        "text": st.sampled_from(["first", "second \u2713"]),
        "branch": st.none() | st.just("caf\udce9"),
        "cost_usd": st.decimals(0, 100, places=6),
    }
)
pulls = st.fixed_dictionaries(
    {
        "repo": st.sampled_from(REPOS),
        "number": st.integers(1, 4),
        "state": st.sampled_from(PullState),
        "gap_id": st.sampled_from(["a", "b"]),
        "labels": st.sampled_from([(), ("bot", "\u00fc")]),
    }
)


def contents(index):
    """Return all that an index can be asked for."""
    return (
        index.cycles(limit=10_000),
        [index.attempts(repo) for repo in REPOS],
        [index.counts(repo) for repo in (None, *REPOS)],
        index.pulls(),
        index.spend(),
        index.was_rebuilt,
    )


@given(st.lists(changes, max_size=12), st.lists(pulls, max_size=6))
@settings(max_examples=25, deadline=None)
def test_a_fresh_fill_equals_what_was_added_one_by_one(
    make_record_once, make_pull_once, cycle_changes, pull_changes
):
    """Records and pulls in any order: filled from files, the index is the same."""
    folder = Path(tempfile.mkdtemp())
    data = folder / "data"
    with (
        closing(Index(folder / "one.sqlite3")) as one,
        closing(Index(folder / "two.sqlite3")) as two,
    ):
        for change in cycle_changes:
            text, gap_id = change.pop("text"), change["gap"]
            # Ids are unique over all repositories.
            change["number"] = 2 * change["number"] + REPOS.index(change["repo"])
            plain = make_record_once().gap
            gap = gap_id and plain.model_copy(update={"id": gap_id, "text": text})
            record = make_record_once(**(change | {"gap": gap}))
            Records(data).write(record)
            one.add_cycle(record, text_hash(gap) if gap else None)
        for change in pull_changes:
            repo = change.pop("repo")
            pull = make_pull_once(**change)
            write_pull(data / repo / "pulls", pull)
            one.put_pull(repo, pull)
        one.end_fill()
        before = contents(one)
        reindex(data, two, ())
        reindex(data, one, REPOS)
        assert contents(two) == before
        assert contents(one) == before
    shutil.rmtree(folder)


def test_rows_whose_file_is_gone_are_dropped_and_others_come_back(
    data_dir, index, make_record, make_pull
):
    """After a run the index says neither more nor less than the files."""
    records = Records(data_dir)
    kept, lost, gone = (make_record(number) for number in range(3))
    for record in (kept, lost):
        records.write(record)
    for record in (kept, gone):
        index.add_cycle(record)
    write_pull(data_dir / "lake" / "pulls", make_pull(1))
    index.put_pull("lake", replace(make_pull(1), title="old"))
    index.put_pull("lake", make_pull(2))
    told = []
    counts = reindex(data_dir, index, ["lake"], lambda *news: told.append(news))
    assert counts == Counts(cycles=2, pulls=1, spend=0, removed=2, unreadable=())
    assert told == [("lake", 2)]
    assert [lost.cycle_id, kept.cycle_id] == [
        row.cycle_id for row in index.cycles(limit=9)
    ]
    assert index.pulls() == (make_pull(1),)


def test_unreadable_files_are_named_and_the_rest_is_read(
    data_dir, index, make_record, make_pull
):
    """A torn, a newer and a misplaced file stop nothing; their rows stay."""
    records = Records(data_dir)
    paths = [records.write(make_record(number)) for number in range(4)]
    index.add_cycle(make_record(0))
    paths[0].write_text("{")
    paths[1].write_text('{"schema_version": 5}')
    shutil.copy(paths[3], paths[2])
    write_pull(data_dir / "lake" / "pulls", make_pull(1)).write_text("[]")
    counts = reindex(data_dir, index, ["lake"])
    assert (counts.cycles, counts.pulls, counts.removed) == (1, 0, 0)
    first, second, third, fourth = counts.unreadable
    assert first.startswith(f"{paths[0]} is not understood")
    assert "upgrade" in second
    assert third == f"{paths[2]} says that it is {make_record(3).cycle_id} of lake"
    assert "1.json is not understood" in fourth
    assert len(index.cycles(limit=9)) == 2


def test_an_index_with_rows_missing_is_filled_from_all_folders(data_dir, make_record):
    """Whatever repositories are named, a lost index becomes whole again."""
    for number, repo in enumerate(REPOS):
        Records(data_dir).write(make_record(number, repo=repo))
    with closing(Index(data_dir / "bot.sqlite3")) as index:
        assert reindex(data_dir, index, ["lake"]).cycles == 2
        assert not index.was_rebuilt
        assert reindex(data_dir, index, ["lake"]).cycles == 1
        assert index.last_cycle("mill") is not None


def test_more_records_than_one_batch(data_dir, index, make_record):
    """Progress is told per batch, and the pages of old rows are all looked at."""
    records = Records(data_dir)
    for number in range(501):
        path = records.path_of("lake", make_record(number).cycle_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make_record(number).model_dump_json())
    index.add_cycles((make_record(number), None) for number in range(1000, 2100))
    told = []
    counts = reindex(data_dir, index, ["lake"], lambda *news: told.append(news))
    assert told == [("lake", 500), ("lake", 501)]
    assert counts.removed == 1100
    assert len(index.cycles(limit=9999)) == 501


def test_spending_is_summed_from_the_ledgers_files(data_dir, index):
    """The ledger's files alone say what was spent, whatever the index said."""

    def row(micro_usd):
        totals = Totals(micro_usd=micro_usd, calls=1, tokens=2)
        return SpendRow(
            period="2026-11-30", repo="lake", gap_id="g", cycle_id="c", totals=totals
        )

    file = TotalsFile(period="2026-11-30", rows=(row(3), row(4)))
    (data_dir / "ledger").mkdir()
    write_totals(data_dir / "ledger" / "2026-11-30.json", file)
    index.put_spend([row(99).model_copy(update={"cycle_id": "gone"})])
    assert reindex(data_dir, index, ["lake"]).spend == 1
    (found,) = index.spend()
    assert found.totals == Totals(micro_usd=7, calls=2, tokens=4)


def test_a_row_lost_while_filling_is_known_to_be_missing(data_dir, index, make_record):
    """A write that was refused during the fill marks the index anew."""
    Records(data_dir).write(make_record())

    def lose(*_):
        index._stale.touch()

    reindex(data_dir, index, ["lake"], lose)
    assert index.was_rebuilt
    reindex(data_dir, index, ["lake"])
    assert not index.was_rebuilt


def test_a_fill_that_is_cut_short_stays_due(data_dir, make_record):
    """Killed in the middle, the next start fills again."""
    Records(data_dir).write(make_record())

    def cut(*_):
        raise Deferred("stop")

    with closing(Index(data_dir / "bot.sqlite3")) as index:
        with pytest.raises(Deferred, match="stop"):
            reindex(data_dir, index, ["lake"], cut)
        assert index.was_rebuilt
