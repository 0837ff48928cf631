"""The event of a cycle, and the outbox that keeps it until it is taken."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.domain.outcome import Outcome
from bot.domain.record import CycleRecord
from bot.errors import DataFolderUnusable
from bot.observe.event import Delivery, deliver, event_body, event_of, sig_hash
from bot.observe.http import post_event
from bot.observe.redact import Redactor

RecordMaker = Callable[..., CycleRecord]
NONE = Redactor(())


def test_the_event_is_as_the_contract_says(make_record: RecordMaker):
    """Every field stands where others look for it."""
    expected = {
        "source": "bot",
        "cycle_id": "bot-2026-11-30T08-20-00-123Z-1a2b3c4d",
        "sig_hash": hashlib.sha256(b"retry-fetch|Retry twice").hexdigest()[:16],
        "event_kind": "ok",
        "ok": True,
        "staffer_id": "recipe:retry",
        "turns": 2,
        "duration_ms": 5000,
        "extra": {
            "reason": "pull request opened",
            "pr_url": "https://example.org/pulls/7",
            "files_added": ["src/retry.py"],
            "files_updated": ["src/fetch.py"],
            "files_noop": ["README.md"],
            "tests_green": True,
        },
    }

    assert expected == event_of(make_record())
    assert expected == json.loads(event_body(make_record(), NONE))


def test_without_a_proposal_there_is_no_staffer(make_record: RecordMaker):
    """A tick without gap and proposal leaves `staffer_id` out and signs as `no-gap`."""
    record = make_record(gap=None, proposal=None, outcome=Outcome.SKIPPED_PAUSE)

    event = event_of(record)

    assert "staffer_id" not in event
    assert hashlib.sha256(b"no-gap|").hexdigest()[:16] == event["sig_hash"]
    assert ("skipped_pause", False) == (event["event_kind"], event["ok"])


@pytest.mark.parametrize("outcome", list(Outcome))
def test_only_ok_is_ok(make_record: RecordMaker, outcome: Outcome):
    """Each outcome is the kind of its event, and `ok` says whether it is `ok`."""
    event = event_of(make_record(outcome=outcome))

    assert (outcome.value, outcome == "ok") == (event["event_kind"], event["ok"])


@pytest.mark.parametrize(
    ("gap_id", "summary", "signed"),
    [
        (None, None, b"no-gap|"),
        ("", "", b"no-gap|"),
        ("g", None, b"g|"),
        (None, "s", b"no-gap|s"),
        ("g", "\u00fc", b"g|\xc3\xbc"),
    ],
)
def test_the_signature_is_of_gap_and_summary(
    gap_id: str | None, summary: str | None, signed: bytes
):
    """Equal work has an equal signature; what is missing has a fixed place."""
    assert hashlib.sha256(signed).hexdigest()[:16] == sig_hash(gap_id, summary)


def test_the_body_is_the_same_on_a_retry(make_record: RecordMaker):
    """The body is canonical ASCII JSON: also read back from its file it is the same."""
    record = make_record(reason="Zoë said: no")
    again = CycleRecord.model_validate_json(record.model_dump_json())

    body = event_body(record, NONE)

    assert body == event_body(again, NONE)
    assert body.isascii()
    assert b'"duration_ms":5000,"event_kind":"ok","extra":{"files_added":' in body


def test_the_body_holds_no_secret(make_record: RecordMaker):
    """Secrets are masked, the signature stays that of the real summary."""
    record = make_record(reason="got hunter22", files_added=("hunter22.py",))

    event = json.loads(event_body(record, Redactor(["hunter22"])))

    assert ("got ***", ["***.py"]) == (
        event["extra"]["reason"],
        event["extra"]["files_added"],
    )
    assert sig_hash("retry-fetch", "Retry twice") == event["sig_hash"]


class Folder:
    """The least outbox there is: the files of a folder, by name."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def pending(self) -> tuple[Path, ...]:
        return tuple(sorted(self.path.iterdir()))

    def done(self, path: Path) -> None:
        path.unlink()


@pytest.fixture
def outbox(tmp_path: Path) -> Folder:
    """Return an outbox with three events."""
    folder = tmp_path / "outbox"
    folder.mkdir()
    for name in "abc":
        (folder / name).write_text(name)
    return Folder(folder)


def _names(outbox: Folder) -> str:
    return "".join(path.name for path in outbox.pending())


def test_events_go_out_oldest_first(outbox: Folder, server):
    """Everything that waits is delivered in order and then forgotten."""
    delivery = deliver(outbox, server.url, post_event, 10)

    assert Delivery(3) == delivery
    assert [b"a", b"b", b"c"] == [body for _, _, body, _ in server.requests]
    assert "" == _names(outbox)


def test_no_more_than_the_limit_goes_out(outbox: Folder, server):
    """A long queue is delivered in portions."""
    assert Delivery(2) == deliver(outbox, server.url, post_event, 2)
    assert "c" == _names(outbox)


def test_delivery_stops_at_the_first_failure(outbox: Folder, server, plain):
    """What was not taken stays, and what is behind it waits, so order is kept."""

    def answer(handler) -> None:
        plain(204 if len(server.requests) < 2 else 503)(handler)

    server.answer = answer

    delivery = deliver(outbox, server.url, post_event, 10)

    assert 1 == delivery.delivered
    assert delivery.error is not None
    assert delivery.error.endswith("it answered 503")
    assert 2 == len(server.requests)
    assert "bc" == _names(outbox)


def test_an_outbox_that_is_not_there_ends_nothing(tmp_path: Path):
    """A fault of the file system is told, not raised."""
    delivery = deliver(Folder(tmp_path / "none"), "http://127.0.0.1:9", post_event, 1)

    assert 0 == delivery.delivered
    assert "the outbox can't be used" in (delivery.error or "")


class _Full(Folder):
    def done(self, path: Path) -> None:
        raise DataFolderUnusable(f"can't remove {path}")


def test_an_event_that_cannot_be_forgotten_is_told(outbox: Folder, server):
    """A delivered event that can't be removed stops the delivery: it goes out again."""
    delivery = deliver(_Full(outbox.path), server.url, post_event, 10)

    assert 0 == delivery.delivered
    assert "can't remove" in (delivery.error or "")
    assert 1 == len(server.requests)
