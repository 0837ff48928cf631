"""Steps 7 and 8: fetch the base, read its gaps, pick one, remember what was tried."""

from dataclasses import replace
from pathlib import Path

from bot.cycle.base import fetched_base
from bot.cycle.document import read_gaps_at, standing
from bot.cycle.draft import Draft
from bot.cycle.ending import Ending
from bot.cycle.gaps import Document, decode, read_gaps
from bot.cycle.memory import remember
from bot.cycle.paid import to_resume
from bot.cycle.policy import CycleContext, pick_gap
from bot.cycle.rooms import Rooms
from bot.cycle.work import Task
from bot.domain.gap import Gap
from bot.domain.outcome import Outcome
from bot.errors import Misconfigured, UnknownGap
from bot.store.index import text_hash

_ROWS = 20  # of this gap, among them those that say nothing and are passed over

_HINT_BYTES = 4 * 1024 * 1024  # a greater file of a checkout is not looked into


def pick(rooms: Rooms, draft: Draft, seen: CycleContext) -> Task | Ending:
    """Choose the gap of this cycle from the fetched base."""
    base = fetched_base(rooms, draft)
    with draft.step("gaps"):
        document = read_gaps_at(rooms, base.sha)
        statuses = standing(rooms, document)
        picked = pick_gap(statuses, seen.last_gap_id, rooms.options.gap)
        draft.note(picked.reason)
    if picked.unknown:
        raise UnknownGap(picked.reason)
    found = to_resume(rooms, list(statuses))
    if found:
        paid, gap = found
        draft.base_sha = paid.base_sha
        return replace(
            _task(rooms, draft, gap, paid.base_sha, base.branch),
            resumes=paid.cycle_id,
            origin=paid.origin,
        )
    if picked.gap is None:
        reason = picked.reason + _hint(rooms, document)
        return Ending(Outcome.SKIPPED_NO_GAP, reason)
    return _task(rooms, draft, picked.gap, base.sha, base.branch)


def _task(rooms: Rooms, draft: Draft, gap: Gap, base_sha: str, branch: str) -> Task:
    draft.gap = gap
    with draft.step("memory"):
        rows = rooms.index.of_gap(rooms.repo.name, gap.id, _ROWS)
        memory = remember(rows)
        draft.note(f"{len(memory.rows)} earlier cycles on this gap")
    now = text_hash(gap)
    tried = (row.model_used for row in memory.rows if row.text_hash == now)
    return Task(
        gap, base_sha, branch, memory.summary, tried=frozenset(filter(None, tried))
    )


def _hint(rooms: Rooms, document: Document) -> str:
    """Say so when the person's checkout has markers that the base lacks."""
    if rooms.checkout is None or document.entries:
        return ""
    marked = [
        str(path.relative_to(rooms.checkout))
        for pattern in rooms.repo.prd
        for path in _matching(rooms.checkout, pattern)
        if _has_open_gap(path)
    ]
    if not marked:
        return ""
    return (
        f"; {', '.join(marked)} of the checkout {rooms.checkout} has gaps that the base "
        "does not have: commit them to the base branch"
    )


def _matching(folder: Path, pattern: str) -> list[Path]:
    """Return what a glob finds on disk; nothing where it means something only to git."""
    try:
        return sorted(path for path in folder.glob(pattern) if path.is_file())
    except (OSError, ValueError):
        return []


def _has_open_gap(path: Path) -> bool:
    try:
        if path.stat().st_size > _HINT_BYTES:
            return False
        file = decode(str(path), path.read_bytes())
    except (OSError, Misconfigured):
        return False
    return bool(read_gaps([file], recipes=frozenset(), recipe_needed=False))
