"""What the index keeps of a record, a pull request and the ledger."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, cast

from bot.domain.gap import Gap
from bot.domain.outcome import ATTEMPTS, Outcome
from bot.domain.pull import Pull, PullState
from bot.domain.record import CycleRecord, Trigger, rfc3339
from bot.store.jsonfile import clean
from bot.store.ledger.values import SpendRow, Totals

_MICRO = Decimal(1_000_000)
_DECLINED = re.compile(r"declined \(?(unclear|too_big|already_done)\)?: ")

Value = str | int | None
Row = Sequence[Any]  # what SQLite hands back; the functions here give it types


@dataclass(frozen=True, slots=True)
class CycleRow:
    """One ended tick as the index knows it.

    Attributes:
        text_hash: Of the gap's text as it stood then; null without a gap.
        declined: `unclear`, `too_big` or `already_done` where the proposer said so.
    """

    cycle_id: str
    repo: str
    trigger: Trigger
    slot: str | None
    started_at: datetime
    ended_at: datetime
    duration_ms: int
    outcome: Outcome
    reason: str
    gap_id: str | None
    gap_title: str | None
    text_hash: str | None
    summary: str | None
    declined: str | None
    model_used: str | None
    cost_usd: Decimal
    pr_url: str | None
    pr_number: int | None
    commit_sha: str | None
    branch: str | None


def text_hash(gap: Gap) -> str:
    """Return the first 16 hex digits of the SHA-256 of the gap's title and notes."""
    return hashlib.sha256(clean(gap.text).encode()).hexdigest()[:16]


def declined_of(record: CycleRecord) -> str | None:
    """Return why the proposer declined the gap, read off the record's reason."""
    if record.outcome is not Outcome.PROPOSAL_REJECTED:
        return None
    found = _DECLINED.match(record.reason)
    return found[1] if found else None


def cycle_values(record: CycleRecord, gap_hash: str | None) -> tuple[Value, ...]:
    """Return the columns of a record, the last one saying whether it is an attempt."""
    gap, proposal = record.gap, record.proposal
    if gap is not None and gap_hash is None:
        gap_hash = text_hash(gap)
    values: tuple[Value, ...] = (
        record.cycle_id,
        record.repo,
        record.trigger,
        record.slot,
        rfc3339(record.started_at),
        rfc3339(record.ended_at),
        record.duration_ms,
        record.outcome.value,
        record.reason,
        gap.id if gap else None,
        gap.title if gap else None,
        gap_hash,
        proposal.summary if proposal else None,
        declined_of(record),
        _model(record),
        int(record.cost_usd * _MICRO),
        record.pr_url,
        record.pr_number,
        record.commit_sha,
        record.branch,
        int(gap is not None and record.outcome in ATTEMPTS),
    )
    return _cleaned(values)


def _model(record: CycleRecord) -> str | None:
    """Return who answered last, also where no proposal came of it."""
    if record.proposal:
        return record.proposal.model_used
    return record.calls[-1].model if record.calls else None


def cycle_row(row: Row) -> CycleRow:
    """Return the row without its last column."""
    return CycleRow(
        cycle_id=row[0],
        repo=row[1],
        trigger=cast("Trigger", row[2]),
        slot=row[3],
        started_at=datetime.fromisoformat(row[4]),
        ended_at=datetime.fromisoformat(row[5]),
        duration_ms=row[6],
        outcome=Outcome(row[7]),
        reason=row[8],
        gap_id=row[9],
        gap_title=row[10],
        text_hash=row[11],
        summary=row[12],
        declined=row[13],
        model_used=row[14],
        cost_usd=Decimal(row[15]) / _MICRO,
        pr_url=row[16],
        pr_number=row[17],
        commit_sha=row[18],
        branch=row[19],
    )


def pull_values(repo: str, pull: Pull) -> tuple[Value, ...]:
    """Return the columns of a pull request."""
    values: tuple[Value, ...] = (
        repo,
        pull.number,
        pull.gap_id,
        pull.cycle_id,
        pull.branch,
        pull.head_sha,
        pull.base,
        pull.base_sha,
        pull.title,
        pull.url,
        pull.state.value,
        rfc3339(pull.created_at),
        rfc3339(pull.ended_at) if pull.ended_at else None,
        json.dumps(pull.labels, ensure_ascii=False),
        int(pull.draft),
    )
    return _cleaned(values)


def pull_of(row: Row) -> Pull:
    """Return the pull request of a row."""
    return Pull(
        number=row[1],
        gap_id=row[2],
        cycle_id=row[3],
        branch=row[4],
        head_sha=row[5],
        base=row[6],
        base_sha=row[7],
        title=row[8],
        url=row[9],
        state=PullState(row[10]),
        created_at=datetime.fromisoformat(row[11]),
        ended_at=datetime.fromisoformat(row[12]) if row[12] else None,
        labels=tuple(json.loads(row[13])),
        draft=bool(row[14]),
    )


def spend_values(row: SpendRow) -> tuple[Value, ...]:
    """Return the columns of a sum of spending; no gap and no cycle are empty text."""
    totals = row.totals
    values: tuple[Value, ...] = (
        row.period,
        row.repo,
        row.gap_id or "",
        row.cycle_id or "",
        totals.micro_usd,
        totals.calls,
        totals.tokens,
    )
    return _cleaned(values)


def spend_row(row: Row) -> SpendRow:
    """Return the sum of spending of a row."""
    return SpendRow(
        period=row[0],
        repo=row[1],
        gap_id=row[2] or None,
        cycle_id=row[3] or None,
        totals=Totals(micro_usd=row[4], calls=row[5], tokens=row[6]),
    )


def _cleaned(values: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(clean(v) if isinstance(v, str) else v for v in values)
