"""The record of a tick: the JSON that people and programs rely on (`schema_version` 1).

Unused fields are null or empty, never absent. Times are UTC with milliseconds.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
)

from bot.domain.change import Action
from bot.domain.gap import Gap
from bot.domain.outcome import Outcome


def rfc3339(moment: datetime) -> str:
    """Format an aware moment as UTC RFC 3339 with milliseconds, ending in `Z`."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


Moment = Annotated[
    AwareDatetime, PlainSerializer(rfc3339, return_type=str, when_used="json")
]
Usd = Annotated[
    Decimal,
    Field(ge=0, decimal_places=6),
    PlainSerializer(float, return_type=float, when_used="json"),
]
Trigger = Literal["tick", "manual"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ProposedFile(_Frozen):
    """A path of the proposal and what was to happen to it."""

    path: str
    action: Action


class ProposalRecord(_Frozen):
    """What the proposer answered, without the contents."""

    summary: str
    rationale: str
    files: tuple[ProposedFile, ...] = ()
    estimated_loc: int = 0
    model_used: str
    tokens_used: int = 0
    skills_used: tuple[str, ...] = ()


class CheckRecord(_Frozen):
    """One check as it ran on the proposal; counts are null when the runner can't tell."""

    run: str
    exit_code: int | None
    duration_ms: int
    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None
    newly_failing: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()


class CallRecord(_Frozen):
    """One model call as it was charged."""

    role: str
    model: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    cost_usd: Usd
    finish_reason: str | None = None
    duration_ms: int = 0
    over_reservation: bool = False


class StepRecord(_Frozen):
    """One step of the cycle, in order."""

    name: str
    started_at: Moment
    duration_ms: int
    detail: str = ""


class CycleRecord(_Frozen):
    """One tick, whole."""

    schema_version: Literal[1] = 1
    cycle_id: str
    repo: str
    trigger: Trigger
    slot: str | None = None
    started_at: Moment
    ended_at: Moment
    duration_ms: int
    outcome: Outcome
    reason: Annotated[str, StringConstraints(min_length=1)]
    gap: Gap | None = None
    proposal: ProposalRecord | None = None
    files_added: tuple[str, ...] = ()
    files_updated: tuple[str, ...] = ()
    files_deleted: tuple[str, ...] = ()
    files_noop: tuple[str, ...] = ()
    tests_green: bool | None = None
    tests_output: str = ""
    tests: tuple[CheckRecord, ...] = ()
    branch: str | None = None
    base_sha: str | None = None
    commit_sha: str | None = None
    pr_url: str | None = None
    pr_number: int | None = None
    calls: tuple[CallRecord, ...] = ()
    tokens_used: int = 0
    cloud_calls: int = 0
    cost_usd: Usd = Decimal(0)
    steps: tuple[StepRecord, ...] = ()
    sandbox: str | None = None
    bot_version: str
