"""Steps 0 and 16: everything around a cycle, so that it ends in exactly one record."""

import os
import traceback

from bot.cycle.cycle import run_cycle
from bot.cycle.draft import Draft
from bot.cycle.ending import Ending, ending_of
from bot.cycle.paid import note_paid
from bot.cycle.recover import recover
from bot.cycle.room import require_room
from bot.cycle.rooms import Rooms
from bot.cycle.save import save, send_events
from bot.domain.outcome import Outcome
from bot.domain.record import CycleRecord, Trigger
from bot.errors import BotError, ConfigError, DataFolderUnusable, UnknownGap
from bot.store.journal import JournalEntry
from bot.store.locks import holder, repository_lock

_TRACEBACK_CHARACTERS = 4000
_WRONG_USAGE = (ConfigError, UnknownGap)  # what a person typed is no cycle


def run_tick(rooms: Rooms, trigger: Trigger, slot: str | None = None) -> CycleRecord:
    """Run one cycle under the repository's lock; write its record and its event.

    Raises:
        DataFolderUnusable: No promise can be kept; nothing else was done.
        UnknownGap: A person asked for a gap that is not there; no record, no attempt.
    """
    require_room(rooms)
    draft = draft_of(rooms, trigger, slot)
    with repository_lock(rooms.folder, draft.cycle_id) as is_ours:
        if not is_ours:
            return _overlapped(rooms, draft)
        rooms.journal.begin(_entry(draft, rooms.options.gap))
        try:
            ending = _guarded(rooms, draft)
        except _WRONG_USAGE:
            rooms.journal.end(draft.cycle_id)
            raise
        draft.calls = rooms.calls(draft.cycle_id)
        record = draft.finish(ending)
        save(rooms, record)
        note_paid(rooms, record)
        if draft.published:
            rooms.unpublished.remove(draft.published)
        rooms.journal.end(draft.cycle_id)
    send_events(rooms)
    rooms.watcher.ended(record)
    return record


def _overlapped(rooms: Rooms, draft: Draft) -> CycleRecord:
    other = holder(rooms.folder) or "another process"
    record = draft.finish(
        Ending(
            Outcome.SKIPPED_OVERLAP,
            f"another cycle is at work ({other} holds {rooms.folder / 'lock'})",
        )
    )
    save(rooms, record)
    rooms.watcher.ended(record)
    return record


def _guarded(rooms: Rooms, draft: Draft) -> Ending:
    """Recover and run the cycle; whatever is raised, but a useless disk, is an ending."""
    try:
        recover(rooms, draft.cycle_id)
        return run_cycle(rooms, draft)
    except (DataFolderUnusable, *_WRONG_USAGE):
        raise
    except BotError as error:
        return ending_of(error) or _crashed(rooms, draft, error)
    except Exception as error:  # noqa: BLE001 - the boundary around one cycle
        return _crashed(rooms, draft, error)


def _crashed(rooms: Rooms, draft: Draft, error: Exception) -> Ending:
    text = "".join(traceback.format_exception(error))
    draft.tests_output = rooms.redactor.text(text[-_TRACEBACK_CHARACTERS:])
    kind = type(error).__name__
    reason = f"{kind} in the step {draft.running!r}: {rooms.redactor.text(str(error))}"
    return Ending(Outcome.CRASHED, f"{reason}; please report it with this record")


def draft_of(rooms: Rooms, trigger: Trigger, slot: str | None) -> Draft:
    """Return an empty draft of a record that begins now."""
    return Draft(
        cycle_id=rooms.new_id(),
        repo=rooms.repo.name,
        trigger=trigger,
        slot=slot,
        started_at=rooms.clock(),
        clock=rooms.clock,
        watcher=rooms.watcher,
        redact=rooms.redactor.text,
        on_stage=lambda draft: rooms.journal.update(_entry(draft, rooms.options.gap)),
    )


def _entry(draft: Draft, manual_gap: str | None) -> JournalEntry:
    return JournalEntry(
        cycle_id=draft.cycle_id,
        repo=draft.repo,
        trigger=draft.trigger,
        slot=draft.slot,
        started_at=draft.started_at,
        pid=os.getpid(),
        gap=draft.gap,
        base_sha=draft.base_sha,
        branch=draft.branch,
        stage=draft.running,
        steps=tuple(draft.steps),
        manual_gap=manual_gap,
    )
