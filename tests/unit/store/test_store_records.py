"""Records: where they stand, how they read, what of other versions is said."""

import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.record import CycleRecord
from bot.store.jsonfile import UnreadableError, dump, load, parse
from bot.store.records import (
    Records,
    id_prefix,
    is_cycle_id,
    is_repo_name,
    moment_of,
    new_cycle_id,
    repo_folders,
)

ID = "bot-2026-11-30T08-20-00-123Z-1a2b3c4d"


def test_an_id_holds_the_utc_moment():
    """The id of a moment is the contract's, and the moment is read back from it."""
    moment = datetime(2026, 11, 30, 8, 20, 0, 123999, tzinfo=UTC)
    assert new_cycle_id(moment, "1a2b3c4d") == ID
    assert moment.replace(microsecond=123000) == moment_of(ID)
    west = moment.astimezone(timezone(timedelta(hours=-5)))
    assert new_cycle_id(west, "1a2b3c4d") == ID


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
@settings(max_examples=100)
def test_ids_sort_by_time(one, other):
    """The order of ids is that of their moments."""
    ids = [new_cycle_id(moment, "00000000") for moment in (one, other)]
    moments = [moment_of(cycle_id) for cycle_id in ids]
    assert (moments[0] < moments[1]) == (ids[0] < ids[1])


@pytest.mark.parametrize("digits", ["1a2b", "1A2B3C4D", "1a2b3c4d/", "../../..", ""])
def test_an_id_needs_eight_hex_digits(digits):
    """Anything else would make a surprising file name, so it is refused."""
    with pytest.raises(ValueError, match="hex digits"):
        new_cycle_id(datetime(2026, 1, 1, tzinfo=UTC), digits)


def test_an_id_needs_a_time_zone():
    """A naive moment names no instant."""
    with pytest.raises(ValueError, match="no time zone"):
        id_prefix(datetime(2026, 1, 1))  # noqa: DTZ001  the fault under test


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        ID + "\n",
        ID + "/..",
        ID.replace("11-30", "13-30"),
        ID.replace("T08", "T28"),
        ID.replace("2026", "\uff12\uff10\uff12\uff16"),
    ],
)
def test_what_is_no_id(text):
    """Only whole ids of moments that exist count."""
    assert not is_cycle_id(text)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lake", True),
        ("a.b_c-1", True),
        ("ledger", False),
        ("outbox", False),
        ("gitconfig", False),
        ("bot.paused", False),
        ("bot.sqlite3-wal", False),
        ("..", False),
        ("a/b", False),
        ("Lake", False),
        ("a" * 65, False),
    ],
)
def test_repository_names(name, expected):
    """A name is a plain folder name and none of ours."""
    assert expected is is_repo_name(name)


def test_a_record_is_written_where_its_id_says_and_read_back(data_dir, make_record):
    """The UTC day of the id names the folder; what is read equals what was written."""
    records = Records(data_dir)
    written = make_record(repo="lake")
    path = records.write(written)
    day = data_dir / "lake" / "cycles" / "2026-11-30"
    assert day / f"{written.cycle_id}.json" == path
    assert written == records.read(path)
    text = path.read_text(encoding="utf-8")
    assert text.startswith('{\n  "schema_version": 1,\n  "cycle_id": "bot-2026')
    assert text.endswith("}\n")
    assert '"cost_usd": 0.123457' in text
    assert '"started_at": "2026-11-30T08:20:00.123Z"' in text


def test_a_file_name_that_is_no_utf8_doesnt_stop_the_record(data_dir, make_record):
    """Half a surrogate pair becomes a question mark; all else stays."""
    records = Records(data_dir)
    path = records.write(make_record(files_added=("caf\udce9.py", "ok \u2713.py")))
    read = records.read(path)
    assert read.files_added == ("caf?.py", "ok \u2713.py")
    assert Decimal("0.123457") == read.cost_usd


@given(
    st.builds(
        dict,
        reason=st.text(min_size=1, max_size=50),
        tests_output=st.text(max_size=50),
        cost_usd=st.decimals(0, 10**9, places=6),
        slot=st.none() | st.text(max_size=20),
        files_added=st.lists(st.text(max_size=20), max_size=3),
    )
)
@settings(max_examples=50)
def test_a_record_survives_its_text(make_record_once, changes):
    """Any record equals what is read from its JSON, and gives the same JSON again."""
    record = make_record_once(**changes)
    raw = dump(record)
    read = CycleRecord.model_validate_json(raw)
    assert record == read
    assert raw == dump(read)


@pytest.mark.parametrize(("repo", "cycle_id"), [("..", ID), ("lake", "../x")])
def test_a_path_never_leaves_its_place(data_dir, repo, cycle_id):
    """Names that could lead elsewhere are refused."""
    with pytest.raises(ValueError, match=r"repository|not a cycle id"):
        Records(data_dir).path_of(repo, cycle_id)


def test_a_record_is_found_in_whichever_repository(data_dir, make_record):
    """The id alone is enough; one that is unknown or malformed gives nothing."""
    records = Records(data_dir)
    wanted = make_record(1, repo="mill")
    for record in (make_record(0, repo="lake"), wanted):
        records.write(record)
    (data_dir / "outbox").mkdir()
    (data_dir / "gitconfig").write_text("")
    assert wanted == records.find(wanted.cycle_id)
    assert records.find(ID) is None
    assert records.find("../../etc/passwd") is None
    assert repo_folders(data_dir) == ("lake", "mill")


def test_a_walk_goes_by_time_and_sees_records_only(data_dir, make_record):
    """Temporary files, strays and folders of no day are passed by."""
    records = Records(data_dir)
    late, early, other = (
        records.write(make_record(number, repo=repo))
        for number, repo in ((2000, "lake"), (3, "lake"), (1, "mill"))
    )
    (early.parent / ".12-ab.tmp").write_text("torn")
    (early.parent / "note.json").write_text("{}")
    (early.parent.parent / "notes").mkdir()
    assert [early, late] == list(records.walk("lake"))
    assert [early, late, other] == list(records.walk())
    assert list(records.walk("none")) == []
    assert list(Records(data_dir / "none").walk()) == []


def test_a_newer_version_is_told_apart_from_a_torn_file(data_dir, make_record):
    """The error says what to do: upgrade, or look at the file."""
    records = Records(data_dir)
    path = records.write(make_record())
    whole = path.read_bytes()
    changed = json.loads(whole) | {"schema_version": 2, "later": 1}
    for raw, words in (
        (json.dumps(changed).encode(), "schema_version 2.*up to 1; upgrade"),
        (whole.replace(b'version": 1', b'version": 0'), "it never existed"),
        (whole[:200], "is not understood"),
        (whole.replace(b'"lake"', b"7"), "repo: Input should be a valid string"),
        (b"[]", "is not understood"),
        (b"\xff\xfe", "is not understood"),
        (b"", "is not understood"),
    ):
        path.write_bytes(raw)
        with pytest.raises(UnreadableError, match=words) as caught:
            records.read(path)
        assert str(path) in str(caught.value)
    path.unlink()
    with pytest.raises(UnreadableError, match="No such file"):
        records.read(path)


def test_an_older_version_goes_through_its_own_reader(tmp_path, make_record):
    """Each version has a reader that gives today's shape."""

    def old(raw: bytes) -> CycleRecord:
        return make_record(reason=json.loads(raw)["why"])

    readers = {0: old, 1: CycleRecord.model_validate_json}
    raw = b'{"schema_version": 0, "why": "as it was"}'
    assert parse(raw, tmp_path, readers).reason == "as it was"
    (tmp_path / "x").write_bytes(dump(make_record()))
    assert make_record() == load(tmp_path / "x", readers)
