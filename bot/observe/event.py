"""The event of a cycle, in its fixed form, and its delivery from the outbox."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

from bot.domain.outcome import Outcome
from bot.domain.record import CycleRecord
from bot.errors import BotError
from bot.observe.redact import Redactor

_NO_GAP = "no-gap"
_SIG_LENGTH = 16

Post = Callable[[str, bytes], str | None]
"""Posts a body to a URL; returns None when it was taken, else what went wrong."""


class Outbox(Protocol):
    """Events that wait to be delivered."""

    def pending(self) -> Sequence[Path]:
        """Return the waiting files, oldest first."""
        ...

    def done(self, path: Path, /) -> None:
        """Forget a delivered one."""
        ...


@dataclass(frozen=True, slots=True)
class Delivery:
    """How far a delivery came; `error` says why it stopped, if it did."""

    delivered: int
    error: str | None = None


def sig_hash(gap_id: str | None, summary: str | None) -> str:
    """Return the signature by which equal work is recognised (16 hex digits)."""
    signed = f"{gap_id or _NO_GAP}|{summary or ''}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(signed).hexdigest()[:_SIG_LENGTH]


def event_of(record: CycleRecord) -> dict[str, object]:
    """Return the event of a cycle; without a proposal there is no `staffer_id`."""
    proposal = record.proposal
    staffer = {} if proposal is None else {"staffer_id": proposal.model_used}
    return {
        "source": "bot",
        "cycle_id": record.cycle_id,
        "sig_hash": sig_hash(
            record.gap.id if record.gap else None,
            proposal.summary if proposal else None,
        ),
        "event_kind": record.outcome.value,
        "ok": record.outcome is Outcome.OK,
        **staffer,
        "turns": record.cloud_calls,
        "duration_ms": record.duration_ms,
        "extra": {
            "reason": record.reason,
            "pr_url": record.pr_url,
            "files_added": list(record.files_added),
            "files_updated": list(record.files_updated),
            "files_noop": list(record.files_noop),
            "tests_green": record.tests_green,
        },
    }


def event_body(record: CycleRecord, redactor: Redactor) -> bytes:
    """Return the event as canonical JSON (ASCII, sorted keys, no spaces).

    The same record always gives the same bytes.
    """
    event = redactor.value(event_of(record))
    return json.dumps(event, sort_keys=True, separators=(",", ":")).encode("ascii")


def deliver(outbox: Outbox, url: str, post: Post, limit: int) -> Delivery:
    """Post waiting events, oldest first, until one fails; raises nothing.

    Args:
        outbox: Where they wait; a failed one stays.
        url: Where they go.
        post: Posts one body.
        limit: The most to post now.
    """
    delivered = 0
    try:
        for path in islice(outbox.pending(), limit):
            error = post(url, path.read_bytes())
            if error is not None:
                return Delivery(delivered, error)
            outbox.done(path)
            delivered += 1
    except (OSError, BotError) as error:
        return Delivery(delivered, f"the outbox can't be used: {error}")
    return Delivery(delivered)
