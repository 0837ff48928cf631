"""The journal and the finished commits: what a start finds after a kill."""

from datetime import UTC, datetime

import pytest

from bot.domain.record import ProposalRecord, StepRecord
from bot.errors import DataFolderUnusable
from bot.store.journal import UNKNOWN_STAGE, Journal
from bot.store.jsonfile import dump
from bot.store.unpublished import FinishedCommit, Unpublished


@pytest.fixture
def folder(data_dir):
    return data_dir / "lake" / "journal"


@pytest.fixture
def make_commit(make_entry):
    """Return the maker of finished commits."""

    def make(number=0, **changes):
        entry = make_entry(number)
        fields = {
            "cycle_id": entry.cycle_id,
            "repo": "lake",
            "gap": entry.gap,
            "proposal": ProposalRecord(
                summary="Retry", rationale="Flaky", model_used="recipe:retry"
            ),
            "branch": "bot/retry-fetch",
            "base": "main",
            "base_sha": "b" * 40,
            "commit_sha": "c" * 40,
            "title": "bot: Retry",
            "body": "Because.",
            "finished_at": entry.started_at,
        }
        return FinishedCommit(**(fields | changes))

    return make


def test_an_entry_lives_from_begin_to_end(folder, make_entry):
    """What began and was updated is unfinished until it ends, which is repeatable."""
    journal = Journal(folder)
    assert journal.unfinished() == ()
    entry = make_entry()
    journal.begin(entry)
    step = StepRecord(name="apply", started_at=entry.started_at, duration_ms=3)
    later = make_entry(stage="tests", steps=(step,), base_sha="b" * 40)
    journal.update(later)
    assert (later,) == Journal(folder).unfinished()
    journal.end(entry.cycle_id)
    journal.end(entry.cycle_id)
    assert Journal(folder).unfinished() == ()


def test_unfinished_entries_come_oldest_first(folder, make_entry):
    """The order is that of the starts, not of the writes."""
    journal = Journal(folder)
    entries = [make_entry(number) for number in (2, 0, 1)]
    for entry in entries:
        journal.begin(entry)
    (folder / ".1-aa.tmp").write_text("torn")
    (folder / "note.json").write_text("{}")
    assert [int(entry.cycle_id[-8:], 16) for entry in journal.unfinished()] == [0, 1, 2]


@pytest.mark.parametrize("raw", [b"", b"{", b'{"schema_version": 9}'])
def test_an_unreadable_entry_is_kept_aside_and_stands_by_its_name(
    folder, make_entry, raw
):
    """Its cycle is known from the name once; the file stays for a person."""
    journal = Journal(folder)
    whole = make_entry()
    journal.begin(whole)
    path = folder / f"{whole.cycle_id}.json"
    path.write_bytes(raw)
    (found,) = journal.unfinished()
    assert (whole.cycle_id, "lake", UNKNOWN_STAGE, whole.started_at, None) == (
        found.cycle_id,
        found.repo,
        found.stage,
        found.started_at,
        found.gap,
    )
    assert raw == (folder / f"{whole.cycle_id}.json.unreadable").read_bytes()
    assert journal.unfinished() == ()


def test_ids_that_lead_elsewhere_are_refused(folder, make_commit, make_entry):
    """No id can name a file outside the folder."""
    for use in (
        lambda: Journal(folder).begin(make_entry(cycle_id="../x")),
        lambda: Journal(folder).end("../../x"),
        lambda: Unpublished(folder).add(make_commit(cycle_id="/etc/x")),
        lambda: Unpublished(folder).remove(""),
    ):
        with pytest.raises(ValueError, match="is not a cycle id"):
            use()


def test_a_journal_that_cant_be_written_says_so(folder, make_entry):
    """A file in the folder's place is an unusable data folder."""
    folder.parent.mkdir()
    folder.write_text("")
    with pytest.raises(DataFolderUnusable):
        Journal(folder).begin(make_entry())


def test_the_oldest_finished_commit_is_next(data_dir, make_commit):
    """Commits wait in the order of their cycles until they are removed."""
    waiting = Unpublished(data_dir / "lake" / "unpublished")
    assert waiting.oldest() is None
    assert waiting.all() == ()
    for number in (1, 0):
        waiting.add(make_commit(number))
    assert make_commit(0) == waiting.oldest()
    assert (make_commit(0), make_commit(1)) == waiting.all()
    waiting.add(make_commit(0, refused="a hook said no"))
    assert waiting.oldest().refused == "a hook said no"
    waiting.remove(make_commit(0).cycle_id)
    assert make_commit(1) == waiting.oldest()


def test_an_unreadable_commit_stays_and_blocks_no_other(data_dir, make_commit):
    """Paid work of a newer version is shown, never moved or published half."""
    folder = data_dir / "lake" / "unpublished"
    waiting = Unpublished(folder)
    waiting.add(make_commit(0))
    waiting.add(make_commit(1))
    newer = folder / f"{make_commit(0).cycle_id}.json"
    newer.write_text('{"schema_version": 2}')
    assert make_commit(1) == waiting.oldest()
    assert (make_commit(1),) == waiting.all()
    assert (newer,) == waiting.unreadable()
    assert newer.exists()


def test_times_are_utc_with_milliseconds(data_dir, make_commit):
    """What is read back is the moment to the millisecond."""
    waiting = Unpublished(data_dir)
    waiting.add(
        make_commit(finished_at=datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC))
    )
    assert waiting.oldest().finished_at == datetime(
        2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC
    )


def test_an_entry_that_says_it_is_another_is_moved_aside(folder, make_entry):
    """A copied or edited entry can't send a record elsewhere; its name counts."""
    journal = Journal(folder)
    mine, other = make_entry(), make_entry(repo="other")
    journal.begin(mine)
    path = folder / f"{mine.cycle_id}.json"
    path.write_bytes(dump(other))
    (found,) = journal.unfinished()
    assert (mine.cycle_id, "lake", UNKNOWN_STAGE) == (
        found.cycle_id,
        found.repo,
        found.stage,
    )
    assert path.with_name(f"{path.name}.unreadable").is_file()
