"""Steps 7 and 8: fetch the base, read its gaps, pick one, remember what was tried."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.cycle.draft import Draft
from bot.cycle.ending import Ending
from bot.cycle.gaps import Document, PrdFile, decode, read_document
from bot.cycle.memory import remember
from bot.cycle.policy import CycleContext, pick_gap
from bot.cycle.rooms import Rooms
from bot.cycle.standing import History, standing_of
from bot.domain.gap import Gap, GapStatus
from bot.domain.outcome import Outcome
from bot.domain.pull import PullState
from bot.errors import ConfigError, Misconfigured, UnknownGap

_ASKED_ONE_BY_ONE = 200  # beyond it all attempts at once are cheaper to ask for
_ROWS = 20  # of this gap, among them those that say nothing and are passed over


@dataclass(frozen=True, slots=True)
class Task:
    """The gap of this cycle, the base it is closed on, and what is known of it."""

    gap: Gap
    base_sha: str
    base: str
    memory: str


def pick(rooms: Rooms, draft: Draft, seen: CycleContext) -> Task | Ending:
    """Choose the gap of this cycle from the fetched base."""
    with draft.step("fetch"):
        base = rooms.clone().fetch_base()
        draft.base_sha = base.sha
        draft.note(f"{base.branch} is at {base.sha[:12]}")
        if rooms.index.pulls(rooms.repo.name, PullState.OPEN):
            rooms.forge().refresh(base.sha)
    with draft.step("gaps"):
        document = read_gaps_at(rooms, base.sha)
        statuses = standing(rooms, document)
        picked = pick_gap(statuses, seen.last_gap_id, rooms.options.gap)
        draft.note(picked.reason)
    if picked.unknown:
        raise UnknownGap(picked.reason)
    if picked.gap is None:
        reason = picked.reason + _hint(rooms, document)
        return Ending(Outcome.SKIPPED_NO_GAP, reason)
    draft.gap = picked.gap
    with draft.step("memory"):
        rows = rooms.index.of_gap(rooms.repo.name, picked.gap.id, _ROWS)
        memory = remember(rows)
        draft.note(f"{len(memory.rows)} earlier cycles on this gap")
    return Task(picked.gap, base.sha, base.branch, memory.summary)


def read_gaps_at(rooms: Rooms, sha: str) -> Document:
    """Read the requirements documents of a commit, parsed once per content.

    Raises:
        Misconfigured: No file matches `prd`, or one is not UTF-8.
    """
    if rooms.options.prd:
        return _read_from_disk(rooms, rooms.options.prd)
    clone, repo = rooms.clone(), rooms.repo
    blobs = clone.files(sha, rooms.prd_globs)
    if not blobs:
        globs = ", ".join(repo.prd)
        raise Misconfigured(
            f"repository {repo.name!r}: no file at its base matches prd = {globs}; "
            "commit one there, or correct `prd`"
        )
    recipes, needed = _recipes(rooms)
    key = rooms.gap_cache.key(blobs, recipes=recipes, recipe_needed=needed)
    cached = rooms.gap_cache.get(key)
    if cached:
        return cached
    document = read_document(
        prd_files(rooms, sha), recipes=recipes, recipe_needed=needed
    )
    rooms.gap_cache.put(key, document)
    return document


def is_ticked(rooms: Rooms, sha: str, gap_id: str) -> bool:
    """Say whether a gap's line is ticked in the requirements documents of a commit."""
    return gap_id in read_gaps_at(rooms, sha).done_ids


def prd_files(rooms: Rooms, sha: str) -> list[PrdFile]:
    """Return the requirements documents of a commit.

    Raises:
        Misconfigured: One is not UTF-8.
    """
    clone = rooms.clone()
    return [
        decode(blob.path, clone.blob(blob.blob))
        for blob in clone.files(sha, rooms.prd_globs)
    ]


def standing(rooms: Rooms, document: Document) -> Sequence[GapStatus]:
    """Return every gap of the document with what may be done with it now."""
    name = rooms.repo.name
    ids = [entry.gap.id for entry in document.entries]
    asked = ids if len(ids) <= _ASKED_ONE_BY_ONE else None
    waiting = rooms.unpublished.all()
    history = History(
        pulls=rooms.index.pulls(name),
        attempts=rooms.index.attempts(name, asked),
        unpublished=frozenset(f.gap.id for f in waiting),
        refused={f.gap.id: f.refused for f in waiting if f.refused},
        done_ids=document.done_ids,
    )
    return standing_of(document.entries, history, rooms.clock(), rooms.repo.policy)


def _recipes(rooms: Rooms) -> tuple[frozenset[str], bool]:
    """Return the recipes' names and whether a gap must choose one."""
    names = frozenset(recipe.name for recipe in rooms.repo.recipe)
    return names, len(names) != 1


def _read_from_disk(rooms: Rooms, path: Path) -> Document:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"--prd {path} can't be read: {error.strerror}") from error
    recipes, needed = _recipes(rooms)
    file = decode(str(path), data)
    return read_document([file], recipes=recipes, recipe_needed=needed)


def _hint(rooms: Rooms, document: Document) -> str:
    """Say so when the person's checkout has markers that the base lacks."""
    if rooms.checkout is None or document.entries:
        return ""
    marked = [
        str(path.relative_to(rooms.checkout))
        for pattern in rooms.repo.prd
        for path in sorted(rooms.checkout.glob(pattern))
        if path.is_file() and b"[bot-eligible]" in path.read_bytes()
    ]
    if not marked:
        return ""
    return (
        f"; {', '.join(marked)} of the checkout {rooms.checkout} holds [bot-eligible], "
        "but the base does not: commit it to the base branch"
    )
