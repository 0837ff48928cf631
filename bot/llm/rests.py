"""Models that rest: after outages, on a used-up account, or because they broke a bound.

One small file a model, so that a rest survives a restart and every process sees it.
"""

import hashlib
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from bot.store.files import remove, write_atomic
from bot.store.jsonfile import Readers, UnreadableError, dump, load

OUTAGES_TO_OPEN = 3
"""Outages in a row after which a model rests."""

QUOTA_REST = timedelta(days=1)

_FIRST_REST = timedelta(minutes=5)
_LONGEST_REST = timedelta(hours=1)
_PROBE = timedelta(minutes=15)  # longer than a call may take by default
_MOST_DOUBLINGS = 5


class Rest(BaseModel):
    """Why and until when a model is not asked.

    Attributes:
        model: As the config names it.
        kind: `outage`, `quota` (the provider's account), `bound` (it broke one).
        reason: In words, secrets taken out.
        until: When it may be asked again; None is now.
        outages: In a row.
        told: Whether a person was told of the used-up account.
        is_trying: Whether the rest is over and one caller finds out what follows.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    model: str
    kind: Literal["outage", "quota", "bound"]
    reason: str
    until: AwareDatetime | None = None
    outages: Annotated[int, Field(ge=0)] = 0
    told: bool = False
    is_trying: bool = False


_READERS: Readers[Rest] = {1: Rest.model_validate_json}


class Rests:
    """Who rests, in one folder.

    Args:
        folder: Where the files lie; created with the first rest.
        clock: Returns the present moment, aware.
    """

    def __init__(self, folder: Path, clock: Callable[[], datetime]) -> None:
        self._folder = folder
        self._clock = clock
        self._lock = Lock()

    def now(self) -> tuple[Rest, ...]:
        """Return who rests now, by name."""
        moment = self._clock()
        found = (_read(path) for path in sorted(self._folder.glob("*.json")))
        return tuple(rest for rest in found if rest and _is_on(rest, moment))

    def enter(self, model: str) -> Rest | None:
        """Return why the model can't be asked, or None and let the caller ask it.

        After a rest one caller is let through to try; until it has an answer (or is
        long dead) the others see the model rest.
        """
        with self._lock:
            rest = _read(self._path(model))
            moment = self._clock()
            if rest is None or rest.until is None:
                return None
            if _is_on(rest, moment):
                return rest
            trying = {"until": moment + _PROBE, "is_trying": True}
            self._write(rest.model_copy(update=trying))
        return None

    def give_back(self, model: str) -> None:
        """End a try after a rest that brought no news of the model."""
        with self._lock:
            rest = _read(self._path(model))
            if rest is not None and rest.is_trying:
                now = self._clock()
                self._write(rest.model_copy(update={"until": now, "is_trying": False}))

    def outage(
        self, model: str, reason: str, retry_after_s: float | None
    ) -> datetime | None:
        """Note an outage; the third in a row, or a date from the server, is a rest.

        Returns:
            The end of the rest, if it is one.
        """
        with self._lock:
            before = _read(self._path(model))
            outages = (before.outages if before else 0) + 1
            moment = self._clock()
            rest = self._after_outages(outages)
            if retry_after_s is not None:
                rest = max(rest, timedelta(seconds=retry_after_s))
            until = moment + rest if rest else None
            self._write(
                Rest(
                    model=model,
                    kind="outage",
                    reason=reason,
                    until=until,
                    outages=outages,
                    told=before.told if before else False,
                )
            )
        return until

    def quota(
        self, model: str, reason: str, retry_after_s: float | None
    ) -> tuple[datetime, bool]:
        """Let a model rest whose account is used up.

        Returns:
            The end of the rest, and whether a person is still to be told.
        """
        with self._lock:
            before = _read(self._path(model))
            asked = timedelta(seconds=retry_after_s or 0)
            until = self._clock() + max(QUOTA_REST, asked)
            self._write(
                Rest(
                    model=model,
                    kind="quota",
                    reason=reason,
                    until=until,
                    told=True,
                )
            )
        return until, before is None or not before.told

    def broke_bound(self, model: str, reason: str, until: datetime) -> None:
        """Let a model rest whose usage was above what was reserved."""
        with self._lock:
            self._write(Rest(model=model, kind="bound", reason=reason, until=until))

    def worked(self, model: str) -> None:
        """Forget the outages of a model that answered."""
        path = self._path(model)
        with self._lock:
            if path.exists():
                remove(path)

    def clear(self) -> tuple[str, ...]:
        """End every rest; return the models that rested."""
        names = tuple(rest.model for rest in self.now())
        for path in self._folder.glob("*.json"):
            remove(path)
        return names

    def _after_outages(self, outages: int) -> timedelta:
        if outages < OUTAGES_TO_OPEN:
            return timedelta()
        doublings = min(outages - OUTAGES_TO_OPEN, _MOST_DOUBLINGS)
        return min(_FIRST_REST * (1 << doublings), _LONGEST_REST)

    def _write(self, rest: Rest) -> None:
        write_atomic(self._path(rest.model), dump(rest))

    def _path(self, model: str) -> Path:
        digest = hashlib.sha256(model.encode()).hexdigest()[:8]
        slug = re.sub(r"[^a-z0-9.]+", "-", model.lower()).strip("-.")[:60]
        return self._folder / f"{slug}-{digest}.json"


def _is_on(rest: Rest, moment: datetime) -> bool:
    return rest.until is not None and moment < rest.until


def _read(path: Path) -> Rest | None:
    """Return what a file says; one that can't be read holds nobody back."""
    if not path.exists():
        return None
    try:
        return load(path, _READERS)
    except UnreadableError:
        return None
