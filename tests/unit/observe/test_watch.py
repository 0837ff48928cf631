"""One line of log a cycle."""

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import structlog

from bot.domain.outcome import Outcome
from bot.domain.record import CycleRecord, StepRecord
from bot.observe.redact import Redactor
from bot.observe.watch import LogWatcher


@pytest.fixture(autouse=True)
def _unconfigured() -> Iterator[None]:
    """Leave structlog as it was found."""
    yield
    structlog.reset_defaults()


NOW = datetime(2026, 11, 30, tzinfo=UTC)


def record(outcome: Outcome) -> CycleRecord:
    return CycleRecord(
        cycle_id="bot-2026-11-30T00-00-00-000Z-00000000",
        repo="lake",
        trigger="tick",
        started_at=NOW,
        ended_at=NOW,
        duration_ms=7,
        outcome=outcome,
        reason="said hunter22 aloud",
        steps=(StepRecord(name="pause", started_at=NOW, duration_ms=3),),
        bot_version="0",
    )


def logged(outcome: Outcome) -> dict:
    out = io.StringIO()
    LogWatcher(Redactor(["hunter22"]), out).ended(record(outcome))
    return json.loads(out.getvalue())


def test_a_cycle_is_one_line_with_its_numbers():
    """Outcome, duration and steps are there; a secret is not."""
    line = logged(Outcome.OK)

    assert ("cycle.done", "ok", "info") == (
        line["event"],
        line["outcome"],
        line["level"],
    )
    assert (7, {"pause": 3}) == (line["duration_ms"], line["steps"])
    assert "said *** aloud" == line["reason"]


def test_a_failure_is_an_error():
    """What needs somebody's eyes stands out."""
    assert "error" == logged(Outcome.TESTS_FAILED)["level"]


def test_a_warning_has_its_own_event():
    """What went wrong beside a cycle is told by name; steps say nothing."""
    out = io.StringIO()
    watcher = LogWatcher(Redactor([]), out)
    watcher.step("pause", "not paused")
    watcher.warn("event.undelivered", "refused")

    line = json.loads(out.getvalue())
    assert ("event.undelivered", "refused", "warning") == (
        line["event"],
        line["detail"],
        line["level"],
    )
