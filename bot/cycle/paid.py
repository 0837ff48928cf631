"""Paid replies of cycles that could not end: kept, and gone on from by the next one."""

from bot.cycle.rooms import Rooms
from bot.domain.gap import Gap, GapState, GapStatus
from bot.domain.outcome import Outcome
from bot.domain.record import CycleRecord
from bot.errors import BotError
from bot.store.index import text_hash
from bot.store.resumable import Resumable

_NOT_ITS_FAULT = frozenset(
    {
        Outcome.INTERRUPTED,
        Outcome.DEFERRED,
        Outcome.SKIPPED_COST,
        Outcome.SKIPPED_PAUSE,
    }
)


def note_paid(rooms: Rooms, record: CycleRecord) -> None:
    """Keep what an ended cycle paid for, or forget it where the gap got its answer."""
    if record.gap is None or record.base_sha is None:
        return
    gap = record.gap
    is_published = any(f.gap.id == gap.id for f in rooms.unpublished.all())
    if record.outcome not in _NOT_ITS_FAULT or is_published:
        rooms.resumable.forget(gap.id)
        return
    if not rooms.has_replies(record.cycle_id):
        return
    before = [p for p in rooms.resumable.all() if p.gap_id == gap.id]
    rooms.resumable.add(
        Resumable(
            cycle_id=record.cycle_id,
            origin=before[-1].origin if before else record.cycle_id,
            gap_id=gap.id,
            text_hash=text_hash(gap),
            base_sha=record.base_sha,
        )
    )


def to_resume(rooms: Rooms, statuses: list[GapStatus]) -> tuple[Resumable, Gap] | None:
    """Return the newest paid cycle that can be gone on from, with its gap as it was."""
    free = {s.gap.id: s.gap for s in statuses if s.state is GapState.ELIGIBLE}
    for paid in reversed(rooms.resumable.all()):
        now = free.get(paid.gap_id)
        if rooms.options.gap not in {None, paid.gap_id}:
            continue
        if now is None or text_hash(now) != paid.text_hash:
            continue
        gap = _gap_at(rooms, paid)
        if gap is not None:
            return paid, gap
    return None


def _gap_at(rooms: Rooms, paid: Resumable) -> Gap | None:
    """Return the gap as the stored base has it; None when that is not here any more."""
    from bot.cycle.document import read_gaps_at  # noqa: PLC0415 - parses Markdown

    try:
        document = read_gaps_at(rooms, paid.base_sha)
    except BotError:
        return None
    gaps = (entry.gap for entry in document.entries if entry.fault is None)
    return next((gap for gap in gaps if gap.id == paid.gap_id), None)
