"""Values that the tests of the store share."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from bot.domain.change import Action
from bot.domain.gap import Gap
from bot.domain.outcome import Outcome
from bot.domain.pull import Pull, PullState
from bot.domain.record import CycleRecord, ProposalRecord, ProposedFile
from bot.store.index import Index
from bot.store.journal import JournalEntry
from bot.store.jsonfile import dump
from bot.store.records import new_cycle_id

START = datetime(2026, 11, 30, 8, 20, 0, 123000, tzinfo=UTC)

RecordMaker = Callable[..., CycleRecord]
PullMaker = Callable[..., Pull]


def gap(gap_id: str = "retry-fetch", text: str = "Retry the fetch") -> Gap:
    return Gap(
        id=gap_id,
        title="Retry the fetch",
        text=text,
        prd_line="- [ ] Retry the fetch [bot-eligible]",
        line_number=12,
        path="PRD.md",
    )


def record(number: int = 0, **changes: object) -> CycleRecord:
    """Return a record `number` minutes after the start."""
    started = START + timedelta(minutes=number)
    fields: dict[str, object] = {
        "cycle_id": new_cycle_id(started, f"{number:08x}"),
        "repo": "lake",
        "trigger": "tick",
        "slot": f"2026-11-30T08:20:00+00:00#{number}",
        "started_at": started,
        "ended_at": started + timedelta(seconds=5),
        "duration_ms": 5000,
        "outcome": Outcome.TESTS_FAILED,
        "reason": "1 test fails",
        "gap": gap(),
        "proposal": ProposalRecord(
            summary="Retry twice",
            rationale="The network is flaky",
            files=(ProposedFile(path="src/fetch.py", action=Action.UPDATE),),
            model_used="recipe:retry",
        ),
        "files_updated": ("src/fetch.py",),
        "cost_usd": Decimal("0.123457"),
        "bot_version": "0.1.0",
    }
    return CycleRecord.model_validate(fields | changes)


def pull(number: int = 1, **changes: object) -> Pull:
    fields: dict[str, object] = {
        "number": number,
        "gap_id": "retry-fetch",
        "cycle_id": new_cycle_id(START, f"{number:08x}"),
        "branch": "bot/retry-fetch",
        "head_sha": "a" * 40,
        "base": "main",
        "base_sha": "b" * 40,
        "title": "bot: Retry twice",
        "url": f"file:///data/lake/pulls/{number}.md",
        "state": PullState.OPEN,
        "created_at": START + timedelta(minutes=number),
        "labels": ("bot",),
    }
    return Pull(**(fields | changes))  # type: ignore[arg-type]  # fields by name


def entry(number: int = 0, **changes: object) -> JournalEntry:
    started = START + timedelta(minutes=number)
    fields: dict[str, object] = {
        "cycle_id": new_cycle_id(started, f"{number:08x}"),
        "repo": "lake",
        "trigger": "tick",
        "started_at": started,
        "pid": 4711,
        "gap": gap(),
        "stage": "apply",
    }
    return JournalEntry.model_validate(fields | changes)


@pytest.fixture
def make_entry() -> Callable[..., JournalEntry]:
    """Return the maker of journal entries; keyword arguments replace fields."""
    return entry


@pytest.fixture
def make_record() -> RecordMaker:
    """Return the maker of records; keyword arguments replace fields."""
    return record


@pytest.fixture
def make_pull() -> PullMaker:
    """Return the maker of pull requests; keyword arguments replace fields."""
    return pull


@pytest.fixture
def index(tmp_path: Path):
    """Return an index that is whole and empty."""
    made = Index(tmp_path / "bot.sqlite3", busy_timeout_s=0.05)
    made.begin_fill()
    made.end_fill()
    yield made
    made.close()


@pytest.fixture
def texts() -> Callable[[str], tuple[bytes, bytes]]:
    """Return two states of a file, as JSON, by kind of file."""

    def states(kind: str) -> tuple[bytes, bytes]:
        if kind == "file":
            return b"old" * 1000, b"new" * 2000
        if kind == "record":
            return dump(record(reason="old")), dump(record(reason="new" * 500))
        return dump(entry(stage="old")), dump(entry(stage="new" * 500))

    return states


@pytest.fixture(scope="session")
def make_record_once() -> RecordMaker:
    """Return the maker of records to a property test."""
    return record


@pytest.fixture(scope="session")
def make_pull_once() -> PullMaker:
    """Return the maker of pull requests to a property test."""
    return pull
