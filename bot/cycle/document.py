"""The requirements documents of a commit, and what may be done with each gap of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.cycle.gaps import Document, PrdFile, decode, read_document
from bot.cycle.rooms import Rooms
from bot.cycle.standing import History, standing_of
from bot.domain.gap import GapStatus
from bot.errors import ConfigError, Misconfigured

_ASKED_ONE_BY_ONE = 200  # beyond it all attempts at once are cheaper to ask for


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
    policy = rooms.repo.policy
    # Each model gets its attempt before a person is asked.
    attempts = max(policy.attempts_per_gap, len(rooms.models))
    patience = Patience(attempts, policy.cooldown)
    return standing_of(document.entries, history, rooms.clock(), patience)


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a gap is tried, and the seconds to wait between."""

    attempts_per_gap: int
    cooldown: Sequence[float]


def _recipes(rooms: Rooms) -> tuple[frozenset[str], bool]:
    """Return the recipes' names and whether a gap must choose one."""
    names = frozenset(recipe.name for recipe in rooms.repo.recipe)
    return names, rooms.repo.proposer == "command" and len(names) != 1


def _read_from_disk(rooms: Rooms, path: Path) -> Document:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"--prd {path} can't be read: {error.strerror}") from error
    recipes, needed = _recipes(rooms)
    file = decode(str(path), data)
    return read_document([file], recipes=recipes, recipe_needed=needed)
