"""The index: what it answers, what that costs, and that no broken file stops a tick."""

import random
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest

from bot.domain.outcome import ATTEMPTS, Outcome
from bot.domain.pull import PullState
from bot.errors import DataFolderUnusable, Deferred
from bot.store.database import Database
from bot.store.index import Index, SpendRow, text_hash
from bot.store.ledger.values import Totals

LOCKS = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA locking_mode = EXCLUSIVE") if sys.argv[2] == "all" else None
db.execute("BEGIN EXCLUSIVE")
db.execute("UPDATE state SET filled = filled")
print("locked", flush=True)
sys.stdin.read()
"""

OPENS = """
import sys
from pathlib import Path
from bot.store.database import Database
from bot.store.index import Index
index = Index(Path(sys.argv[1]), busy_timeout_s=20)
print("ready", flush=True)
sys.stdin.readline()
for _ in range(20):
    index.put_spend([])
    index.end_fill()
    assert index.last_cycle("lake") is None
print(index.was_rebuilt)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "bot.sqlite3"


@pytest.fixture
def locked(path):
    """Return a function that lets a real process lock the index."""
    children = []

    def lock(what):
        child = subprocess.Popen(
            [sys.executable, "-c", LOCKS, str(path), what],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        children.append(child)
        assert child.stdout.readline() == b"locked\n"
        return child

    yield lock
    for child in children:
        child.communicate()


def test_a_row_says_what_the_record_says(index, make_record):
    """Each column comes from the record; the hash is of the gap's text."""
    record = make_record(pr_number=7, pr_url="https://x/7", commit_sha="c" * 40)
    index.add_cycle(record)
    row = index.last_cycle("lake")
    assert (
        record.cycle_id,
        "lake",
        "tick",
        record.slot,
        record.started_at,
        record.ended_at,
        5000,
        Outcome.TESTS_FAILED,
        "1 test fails",
        "retry-fetch",
        "Retry the fetch",
        text_hash(record.gap),
        "Retry twice",
        None,
        "recipe:retry",
        Decimal("0.123457"),
        "https://x/7",
        7,
        "c" * 40,
        None,
    ) == tuple(getattr(row, name) for name in row.__slots__)


def test_a_record_without_gap_and_proposal_has_a_bare_row(index, make_record):
    """What did not happen is null."""
    skipped = make_record(
        gap=None, proposal=None, outcome=Outcome.SKIPPED_PAUSE, slot=None
    )
    index.add_cycle(skipped)
    row = index.last_cycle("lake")
    assert (row.gap_id, row.text_hash, row.summary, row.slot) == (None,) * 4
    assert index.attempts("lake") == {}


def test_adding_again_replaces(index, make_record):
    """A cycle has one row, the last one put."""
    index.add_cycle(make_record(reason="first"))
    index.add_cycle(make_record(reason="second"), "0" * 16)
    (row,) = index.cycles("lake", limit=9)
    assert (row.reason, row.text_hash) == ("second", "0" * 16)


def test_text_that_no_database_holds_is_cleaned(index, make_record):
    """Half a surrogate pair never stops a row."""
    index.add_cycle(make_record(branch="caf\udce9 \0 end"))
    assert index.last_cycle("lake").branch == "caf? \0 end"


@pytest.mark.parametrize(
    ("outcome", "reason", "expected"),
    [
        (Outcome.PROPOSAL_REJECTED, "declined (unclear): which host?", "unclear"),
        (Outcome.PROPOSAL_REJECTED, "declined too_big: split it", "too_big"),
        (Outcome.PROPOSAL_REJECTED, "declined (already_done): see x", "already_done"),
        (Outcome.PROPOSAL_REJECTED, "declined (other): x", None),
        (Outcome.PROPOSAL_REJECTED, "it was declined (unclear): x", None),
        (Outcome.MODEL_FAILED, "declined (unclear): x", None),
    ],
)
def test_declined_is_read_off_the_reason(index, make_record, outcome, reason, expected):
    """Only a rejected proposal whose reason starts so was declined."""
    index.add_cycle(make_record(outcome=outcome, reason=reason))
    assert index.last_cycle("lake").declined == expected


def test_histories_are_newest_first_and_filtered(index, make_record):
    """All filters hold together, and the limit cuts the oldest."""
    for number in range(6):
        index.add_cycle(
            make_record(
                number,
                repo="lake" if number < 5 else "mill",
                outcome=Outcome.OK if number == 2 else Outcome.TESTS_FAILED,
                gap=make_record().gap.model_copy(update={"id": f"g{number % 2}"}),
            )
        )

    def numbers(rows):
        return [int(row.cycle_id[-8:], 16) for row in rows]

    since = make_record(3).started_at
    assert numbers(index.cycles(limit=4)) == [5, 4, 3, 2]
    assert numbers(index.cycles("lake", limit=9)) == [4, 3, 2, 1, 0]
    assert numbers(index.cycles(outcome=Outcome.OK, limit=9)) == [2]
    assert numbers(index.cycles("lake", limit=9, gap_id="g0", since=since)) == [4]
    assert numbers(index.of_gap("lake", "g0", 2)) == [4, 2]
    assert numbers(index.of_gap("mill", "g0", 2)) == []
    assert numbers([index.last_cycle("lake")]) == [4]
    assert index.last_cycle("none") is None
    assert index.counts("lake") == {Outcome.OK: 1, Outcome.TESTS_FAILED: 4}
    assert index.counts() == {Outcome.OK: 1, Outcome.TESTS_FAILED: 5}


def test_attempts_are_the_outcomes_that_count(index, make_record):
    """Every outcome is an attempt exactly if the domain says so, by gap."""
    for number, outcome in enumerate(Outcome):
        gap = make_record().gap.model_copy(update={"id": outcome.value[:20]})
        index.add_cycle(make_record(number, outcome=outcome, gap=gap))
        index.add_cycle(make_record(number + 100, outcome=outcome, gap=gap))
    found = index.attempts("lake")
    assert {outcome.value[:20] for outcome in ATTEMPTS} == set(found)
    assert all(
        [one.cycle_id > two.cycle_id, 2] == [True, 2] for one, two in found.values()
    )
    asked = index.attempts("lake", ["crashed", "ok", "none"])
    assert {"crashed": found["crashed"]} == asked


def test_a_slot_is_known_after_its_tick(index, make_record):
    """Slots belong to a repository; manual cycles have none."""
    index.add_cycle(make_record(0, slot="2026-11-30T08:20:00+00:00"))
    index.add_cycle(make_record(1, slot=None, trigger="manual"))
    assert index.has_slot("lake", "2026-11-30T08:20:00+00:00")
    assert not index.has_slot("lake", "2026-11-30T08:50:00+00:00")
    assert not index.has_slot("mill", "2026-11-30T08:20:00+00:00")


def test_pull_requests_by_state_and_day(index, make_pull):
    """Limits ask for the open ones and for those of a day; put replaces."""
    one, two = make_pull(1), make_pull(2, gap_id="other", draft=True)
    far = make_pull(1, created_at=make_pull().created_at + timedelta(days=2))
    index.put_pull("lake", replace(one, title="old"))
    for repo, pull in (("lake", one), ("lake", two), ("mill", far)):
        index.put_pull(repo, pull)
    assert index.pulls() == (far, two, one)
    assert index.pulls("lake") == (two, one)
    assert index.pulls(since=two.created_at) == (far, two)
    ended = replace(one, state=PullState.MERGED, ended_at=two.created_at)
    index.put_pull("lake", ended)
    assert index.pulls("lake", PullState.OPEN) == (two,)
    assert index.pulls(state=PullState.MERGED) == (ended,)
    assert index.pulls("lake", since=two.created_at) == (two,)
    index.put_pull("lake", replace(one, number=3))
    assert index.pull_of_gap("lake", "retry-fetch").number == 3
    assert index.pull_of_gap("mill", "other") is None
    index.remove_pull("lake", 3)
    assert index.pull_of_gap("lake", "retry-fetch") == ended


def test_spending_is_put_and_replaced(index):
    """Sums come back by period; a sum of the same cycle replaces the old one."""

    def row(period, cycle_id, micro_usd):
        totals = Totals(micro_usd=micro_usd, calls=1, tokens=10)
        return SpendRow(
            period=period, repo="lake", gap_id=None, cycle_id=cycle_id, totals=totals
        )

    index.put_spend([row("2026-11-30", "a", 5), row("2025-10", None, 7)])
    index.put_spend([row("2026-11-30", "a", 6)])
    assert index.spend() == (row("2025-10", None, 7), row("2026-11-30", "a", 6))
    assert index.spend("lake", date(2026, 1, 1)) == (row("2026-11-30", "a", 6),)
    assert index.spend("mill") == ()
    index.replace_spend([row("2026-12-01", None, 1)])
    assert index.spend() == (row("2026-12-01", None, 1),)


def test_clearing_forgets_all_and_says_that_rows_are_missing(
    index, make_record, make_pull
):
    """After a clear the index asks to be filled again."""
    index.add_cycle(make_record())
    index.put_pull("lake", make_pull())
    assert not index.was_rebuilt
    index.clear()
    assert index.was_rebuilt
    assert (index.cycles(limit=9), index.pulls()) == ((), ())


def test_nothing_is_touched_before_the_first_use(path):
    """Making an index opens nothing; closing what was never opened is fine."""
    index = Index(path)
    index.close()
    assert not path.exists()


def test_opening_and_asking_is_cheap(path, make_record):
    """An existing index is opened and asked in under 5 ms."""
    first = Index(path)
    first.add_cycle(make_record())
    first.close()
    times = []
    for _ in range(5):
        index = Index(path)
        start = time.perf_counter()
        index.last_cycle("lake")
        times.append(time.perf_counter() - start)
        index.close()
    assert min(times) < 0.005


def test_every_question_of_a_tick_uses_an_index(index, make_record, make_pull):
    """No question that a tick asks scans a table that grows, or sorts one."""
    asked = []
    index.last_cycle("lake")
    db = index._database._db
    db.set_trace_callback(asked.append)
    index.add_cycle(make_record())
    index.put_pull("lake", make_pull())
    index.last_cycle("lake")
    index.of_gap("lake", "g", 5)
    index.attempts("lake")
    index.attempts("lake", ["g"])
    index.has_slot("lake", "s")
    index.cycles("lake", limit=1)
    index.cycles("lake", limit=1, since=make_record().started_at)
    index.pulls("lake", PullState.OPEN)
    index.pulls(None, PullState.OPEN)
    index.pulls("lake", None, make_pull().created_at)
    index.pulls(None, None, make_pull().created_at)
    index.pull_of_gap("lake", "g")
    db.set_trace_callback(None)
    questions = [text for text in asked if text.startswith("SELECT")]
    assert len(questions) == 12
    for question in questions:
        plan = [row[3] for row in db.execute("EXPLAIN QUERY PLAN " + question)]
        assert all(re.match("SEARCH|USE TEMP B-TREE", step) for step in plan), plan
        if "FROM cycles" in question:
            assert len(plan) == 1, (question, plan)


def test_the_tables_are_strict_and_the_log_is_written_ahead(index):
    """The file has the settings that make it fast, safe to share, and typed."""
    index.last_cycle("lake")
    db = index._database._db
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    tables = db.execute("PRAGMA table_list").fetchall()
    ours = {row[1]: row[5] for row in tables if not row[1].startswith("sqlite_")}
    assert ours == dict.fromkeys(("state", "cycles", "pulls", "spend"), 1)


def test_a_new_index_asks_to_be_filled_until_that_is_done(path):
    """It stays said over restarts, so a kill in mid-fill is found."""
    index = Index(path)
    assert index.was_rebuilt
    index.begin_fill()
    index.close()
    again = Index(path)
    assert again.was_rebuilt
    again.end_fill()
    assert not again.was_rebuilt
    again.close()


@pytest.mark.parametrize(
    "content", [b"not a database at all" * 300, b"SQLite format 3\0" + b"x" * 8000]
)
def test_a_file_that_is_no_database_moves_aside(path, content, make_record):
    """The index starts anew, asks to be filled, and the old file is kept once."""
    for _ in range(2):
        path.write_bytes(content)
        index = Index(path)
        assert index.was_rebuilt
        index.add_cycle(make_record())
        assert index.last_cycle("lake") is not None
        index.close()
        assert content == path.with_name("bot.sqlite3.unreadable").read_bytes()


def test_an_empty_file_becomes_the_index(path, make_record):
    """Nothing is lost with a file of no bytes, so nothing moves aside."""
    path.write_bytes(b"")
    with closing(Index(path)) as index:
        assert index.was_rebuilt
        index.add_cycle(make_record())
    assert not path.with_name("bot.sqlite3.unreadable").exists()


def test_a_foreign_database_moves_aside_whole(path):
    """Somebody else's tables are never dropped."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE cycles (theirs)")
        db.execute("INSERT INTO cycles VALUES ('precious')")
        db.commit()
    with closing(Index(path)) as index:
        assert index.cycles(limit=9) == ()
    with closing(sqlite3.connect(f"{path}.unreadable")) as db:
        assert db.execute("SELECT * FROM cycles").fetchall() == [("precious",)]


def test_another_version_of_ours_is_emptied(path, make_record):
    """An index of an older or newer bot is made anew in place."""
    index = Index(path)
    index.add_cycle(make_record())
    index.end_fill()
    index.close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    assert index.was_rebuilt
    assert index.cycles(limit=9) == ()
    index.close()
    assert not path.with_name("bot.sqlite3.unreadable").exists()


def filled(path, make_record):
    index = Index(path)
    index.add_cycles((make_record(number), None) for number in range(300))
    index.end_fill()
    index.close()


def test_a_truncated_file_never_stops_a_tick(path, make_record):
    """Cut anywhere, the index is read right, or says so once and works again."""
    whole = path.with_name("whole")
    filled(path, make_record)
    path.rename(whole)
    size = whole.stat().st_size
    for cut in (1, 50, 100, 4096, 4097, size // 3, size // 2, size - 4096, size - 1):
        path.write_bytes(whole.read_bytes()[:cut])
        survive(path, make_record)


def test_flipped_bytes_never_stop_a_tick(path, make_record):
    """Whatever bytes rot, the index is read, or says so once and works again."""
    whole = path.with_name("whole")
    filled(path, make_record)
    path.rename(whole)
    choose = random.Random(11)
    for _ in range(40):
        raw = bytearray(whole.read_bytes())
        start = choose.choice([0, 4096, choose.randrange(len(raw))])
        for _ in range(choose.randrange(1, 200)):
            raw[min(start + choose.randrange(4096), len(raw) - 1)] ^= 0xFF
        path.write_bytes(raw)
        survive(path, make_record)


def survive(path, make_record):
    """Use the index as a tick would: at most one read may say that it was corrupt."""
    with closing(Index(path)) as index:
        said = []
        for ask in (
            lambda: index.was_rebuilt,
            lambda: index.cycles("lake", limit=1000),
            lambda: index.attempts("lake"),
            lambda: index.has_slot("lake", "x"),
            index.pulls,
        ):
            try:
                ask()
            except Deferred as error:
                said.append(str(error))
        assert all("was corrupt" in words for words in said)
        assert len(said) <= 1
        assert index.was_rebuilt or not said
        index.add_cycle(make_record(5000))
        assert index.cycles("lake", limit=1)[0].cycle_id == make_record(5000).cycle_id
    for name in path.parent.glob("bot.sqlite3*"):
        name.unlink()


def test_a_write_into_a_corrupt_file_goes_into_the_new_one(path, make_record):
    """The record of a paid cycle gets its row though the file broke meanwhile."""
    filled(path, make_record)
    index = Index(path)
    assert not index.was_rebuilt
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    path.write_bytes(raw)
    index.close()
    index.add_cycle(make_record(999))
    assert [make_record(999).cycle_id] == [
        row.cycle_id for row in index.cycles(limit=9)
    ]
    assert index.was_rebuilt
    index.close()


def test_a_deleted_file_is_made_anew_while_open(path, make_record):
    """A person who deletes the index under a daemon gets a new one, to be filled."""
    with closing(Index(path)) as index:
        index.add_cycle(make_record())
        index.end_fill()
        for name in path.parent.glob("bot.sqlite3*"):
            name.unlink()
        assert index.was_rebuilt
        index.add_cycle(make_record(1))
        assert len(index.cycles(limit=9)) == 1


def test_a_file_replaced_by_another_process_is_opened_anew(path, make_record):
    """Rows never go into a file that was moved aside."""
    with closing(Index(path)) as old, closing(Index(path)) as new:
        old.add_cycle(make_record())
        for end in ("-wal", "-shm", ""):
            shutil.move(f"{path}{end}", f"{path}.gone{end}")
        new.add_cycle(make_record(1))
        old.add_cycle(make_record(2))
        assert len(new.cycles(limit=9)) == 2


def test_a_locked_index_defers_and_remembers_the_lost_row(index, locked, make_record):
    """After the time-out the write defers; the row is known to be missing."""
    index.last_cycle("lake")
    child = locked("writes")
    assert index.last_cycle("lake") is None
    with pytest.raises(Deferred, match="locked by another process for"):
        index.add_cycle(make_record())
    child.communicate()
    assert index.was_rebuilt
    index.begin_fill()
    assert index.was_rebuilt
    index.end_fill()
    assert not index.was_rebuilt


def test_a_wholly_locked_index_defers_reads_too(index, locked):
    """Where even reading is locked, a read defers; afterwards it answers."""
    index.last_cycle("lake")
    index.close()
    child = locked("all")
    with pytest.raises(Deferred, match=r"locked by another process for 0\.05 s"):
        index.last_cycle("lake")
    child.communicate()
    assert index.last_cycle("lake") is None


def test_two_processes_may_open_a_new_index_at_once(path):
    """Made by one, used by all, and nothing moves aside."""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", OPENS, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for child in children:
        assert child.stdout.readline() == "ready\n"
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()
    assert [child.communicate()[0] for child in children] == ["False\n"] * 3
    assert not path.with_name("bot.sqlite3.unreadable").exists()


def test_a_rebuild_by_another_process_defers(path, make_record):
    """While another judges a broken file, this one doesn't wait for ever."""
    path.write_bytes(b"broken" * 1000)
    index = Index(path, busy_timeout_s=0.05)
    lock = (
        "import sys; from filelock import FileLock\n"
        "with FileLock(sys.argv[1]): print(1, flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", lock, f"{path}.lock"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout.readline() == b"1\n"
    with pytest.raises(Deferred, match="is being rebuilt"):
        index.last_cycle("lake")
    child.communicate()
    assert index.last_cycle("lake") is None
    index.close()


def test_a_folder_in_the_files_place_is_told(path):
    """What can't be opened at all is an unusable data folder."""
    path.mkdir()
    with closing(Index(path)) as index, pytest.raises(DataFolderUnusable):
        index.last_cycle("lake")


def test_a_bug_in_a_write_leaves_no_half_of_it(index, make_record):
    """An error between two statements of a write undoes the first."""
    index.add_cycle(make_record())

    def half(db):
        db.execute("DELETE FROM cycles")
        raise RuntimeError("bug")

    with pytest.raises(RuntimeError, match="bug"):
        index._database.write(half)
    assert len(index.cycles(limit=9)) == 1


def test_a_broken_rule_of_the_tables_is_no_corruption(index):
    """A constraint that fails is our bug; the file stays."""
    with pytest.raises(sqlite3.IntegrityError):
        index._database.write(lambda db: db.execute("INSERT INTO state VALUES (2, 0)"))
    assert not index.was_rebuilt


def test_threads_share_one_index(index, make_record):
    """A worker may write while another reads."""

    def work(start):
        for number in range(start, start + 20):
            index.add_cycle(make_record(number))
            index.last_cycle("lake")

    threads = [threading.Thread(target=work, args=(n,)) for n in (0, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(index.cycles(limit=99)) == 40


def test_a_lock_while_the_tables_are_made_anew_defers(index, locked, path):
    """Another version's file that is in use is emptied later, not by force."""
    index.last_cycle("lake")
    index.close()
    child = locked("writes")
    with closing(Index(path, busy_timeout_s=0.05)) as other:
        other._database._version = 2
        with pytest.raises(Deferred, match="locked by another process"):
            other.last_cycle("lake")
        child.communicate()
        assert other.last_cycle("lake") is None


def test_a_file_that_another_process_mended_stays(index, path, make_record):
    """Whoever finds the fault second uses what the first one made."""
    index.add_cycle(make_record())
    index._database._identity = (0, 0)
    index._database._mend()
    assert len(index.cycles(limit=9)) == 1
    assert not path.with_name("bot.sqlite3.unreadable").exists()


def test_a_new_file_that_is_broken_too_is_told(path):
    """After one new file the fault is not the file's, and a person must look."""
    broken = Database(path, ["CREATE TABLE of nonsense"], 1, busy_timeout_s=1)
    with pytest.raises(DataFolderUnusable, match="can't be read back; check the disk"):
        broken.read(lambda db: db)
