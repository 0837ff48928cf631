"""Step 0: end what an earlier process left unfinished when it was killed.

Called under the repository's lock, so no cycle of this repository is alive. Working
trees need no care here: every move starts with a reset. A finished commit waits in
`unpublished` and is published by step 2.
"""

from bot import __version__
from bot.cycle.paid import note_paid
from bot.cycle.rooms import Rooms
from bot.cycle.save import save
from bot.domain.outcome import Outcome
from bot.domain.record import CycleRecord
from bot.sandbox.leftovers import end_leftovers
from bot.store.journal import JournalEntry
from bot.store.jsonfile import UnreadableError
from bot.store.ledger import usd


def recover(rooms: Rooms, own_id: str) -> tuple[CycleRecord, ...]:
    """Give every unfinished cycle but the own its record; return those that got one."""
    if rooms.index.was_rebuilt:
        rooms.reindex()
    found = []
    unfinished = rooms.journal.unfinished()
    if unfinished:
        rooms.ledger.settle_dead()
    for entry in unfinished:
        if entry.cycle_id == own_id:
            continue
        record = _standing_record(rooms, entry.cycle_id)
        if record is None:
            record = _interrupted(rooms, entry)
            found.append(record)
        save(rooms, record)
        note_paid(rooms, record)
        rooms.journal.end(entry.cycle_id)
    if found:
        end_leftovers(rooms.folder)
    return tuple(found)


def _standing_record(rooms: Rooms, cycle_id: str) -> CycleRecord | None:
    try:
        return rooms.records.find(cycle_id)
    except UnreadableError:
        return None


def _interrupted(rooms: Rooms, entry: JournalEntry) -> CycleRecord:
    spent = rooms.ledger.of_cycle(entry.cycle_id)
    now = max(rooms.clock(), entry.started_at)
    return CycleRecord(
        cycle_id=entry.cycle_id,
        repo=entry.repo,
        trigger=entry.trigger,
        slot=entry.slot,
        started_at=entry.started_at,
        ended_at=now,
        duration_ms=round((now - entry.started_at).total_seconds() * 1000),
        outcome=Outcome.INTERRUPTED,
        reason=(
            f"process {entry.pid} was killed during the step {entry.stage!r}; "
            "found at the next start"
        ),
        gap=entry.gap,
        branch=entry.branch,
        base_sha=entry.base_sha,
        calls=rooms.calls(entry.cycle_id),
        tokens_used=spent.tokens,
        cloud_calls=spent.calls,
        cost_usd=usd(spent.micro_usd),
        steps=entry.steps,
        bot_version=__version__,
    )
