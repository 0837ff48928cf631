"""The gaps of a repository with what may be done with each, for people and programs."""

from dataclasses import dataclass

from bot.cycle.document import read_gaps_at, standing
from bot.cycle.rooms import Rooms
from bot.domain.gap import GapStatus
from bot.errors import Deferred, Misconfigured
from bot.store.rows import CycleRow

_CYCLES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class GapList:
    """The gaps of one repository.

    Attributes:
        repo: Its name.
        statuses: Its gaps in document order.
        note: What to say when there are none.
        fault: Why a person must act before they can be told; None otherwise.
    """

    repo: str
    statuses: tuple[GapStatus, ...] = ()
    note: str = ""
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A gap, what may be done with it, and the cycles that worked on it."""

    repo: str
    status: GapStatus
    cycles: tuple[CycleRow, ...]


def list_gaps(rooms: Rooms, *, fetch: bool = False) -> GapList:
    """Return the gaps of the base as last fetched; fetches when it never was."""
    name = rooms.repo.name
    stale = ""
    try:
        clone = rooms.clone()
        sha = None if fetch else clone.base()
        if sha is not None:
            stale = f" (at {sha[:12]}, as last fetched: `bot gaps --fetch` looks anew)"
        else:
            sha = clone.fetch_base().sha
            rooms.forge().refresh(sha)
        document = read_gaps_at(rooms, sha)
    except Misconfigured as error:
        # Whoever shows it names the repository too.
        fault = str(error).removeprefix(f"repository {name!r}: ")
        return GapList(name, fault=fault + stale)
    except Deferred as error:
        return GapList(name, note=f"the gaps can't be told now: {error}")
    statuses = tuple(standing(rooms, document))
    where = ", ".join(rooms.repo.prd)
    note = f"no line of {where} at {sha[:12]} is marked [bot-eligible]"
    return GapList(name, statuses, note)


def explain(rooms: Rooms, gap_id: str) -> Explanation | None:
    """Return what is known of one gap; None when the repository has none of this id.

    Raises:
        Misconfigured: Its gaps can't be told.
    """
    listed = list_gaps(rooms)
    if listed.fault:
        raise Misconfigured(f"repository {rooms.repo.name!r}: {listed.fault}")
    found = next((s for s in listed.statuses if s.gap.id == gap_id), None)
    if found is None:
        return None
    cycles = rooms.index.of_gap(rooms.repo.name, gap_id, _CYCLES_SHOWN)
    return Explanation(rooms.repo.name, found, cycles)
