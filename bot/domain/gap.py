"""A gap: one line of a requirements document that the bot may close."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

Priority = Literal["p0", "p1", "p2", "p3"]


class GapState(StrEnum):
    """What the bot may do with a gap now."""

    ELIGIBLE = "eligible"
    OPEN_PR = "open_pr"
    COOLING = "cooling"
    BLOCKED = "blocked"
    NEEDS_INFO = "needs_info"
    NEEDS_HUMAN = "needs_human"
    REJECTED = "rejected"
    DONE = "done"
    FAULTY = "faulty"


class Gap(BaseModel):
    """One eligible line with its notes; the fields are part of every record."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: str
    text: str
    prd_line: str
    line_number: int
    path: str
    section: str | None = None
    priority: Priority = "p2"
    notes: tuple[str, ...] = ()
    depends: tuple[str, ...] = ()
    recipe: str | None = None
    fix: bool = False


@dataclass(frozen=True, slots=True)
class GapEntry:
    """A gap as it was read; `fault` says why it can never be eligible, if so."""

    gap: Gap
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class GapStatus:
    """A gap with what the bot may do with it and the reason in words."""

    gap: Gap
    state: GapState
    why: str
