"""JSON schemas of what the bot writes and prints, made from models of these shapes.

The record, the config and a gap are models of the program itself. Lists and the event
are put together by hand there, so their shape is described here, and a test holds real
output against it.
"""

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from bot.domain.gap import Gap, GapState
from bot.domain.outcome import Outcome
from bot.domain.record import CycleRecord, Trigger
from bot.settings.schema import config_schema
from bot.store.pullfile import PullFile

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_MOMENTS = ("started_at", "ended_at", "created_at")


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GapEntry(Gap):
    """A gap with what may be done with it."""

    repo: str
    state: GapState
    why: str


class ExplainedGap(GapEntry):
    """A gap of `bot why`, with the cycles that worked on it, newest first."""

    cycles: tuple[str, ...]


class CycleEntry(_Shape):
    """A past cycle in short; `bot show CYCLE --json` has its whole record."""

    cycle_id: str
    repo: str
    trigger: Trigger
    slot: str | None
    started_at: AwareDatetime
    ended_at: AwareDatetime
    duration_ms: int
    outcome: Outcome
    reason: str
    gap_id: str | None
    gap_title: str | None
    summary: str | None
    model_used: str | None
    cost_usd: float
    branch: str | None
    commit_sha: str | None
    pr_number: int | None
    pr_url: str | None


class PullEntry(PullFile):
    """A pull request of the local forge."""

    repo: str


class CheckEntry(_Shape):
    """A check as it ran on the base."""

    repo: str
    run: str
    green: bool
    detail: str
    exit_code: int | None
    duration_ms: int
    output: str


class Extra(_Shape):
    """What else an observer may want to show."""

    reason: str
    pr_url: str | None
    files_added: tuple[str, ...]
    files_updated: tuple[str, ...]
    files_noop: tuple[str, ...]
    tests_green: bool | None


class Event(_Shape):
    """The event of a cycle, as it is posted to `[observer] url`."""

    source: Literal["bot"]
    cycle_id: str
    sig_hash: str = Field(pattern="^[0-9a-f]{16}$")
    event_kind: Outcome
    ok: bool
    staffer_id: str | None = Field(default=None, exclude=False)
    turns: int
    duration_ms: int
    extra: Extra


_LISTS: dict[str, tuple[str, type[BaseModel]]] = {
    "gaps": ("What `bot gaps --json` prints", GapEntry),
    "why": ("What `bot why GAP --json` prints", ExplainedGap),
    "cycles": ("What `bot history --json` prints", CycleEntry),
    "pulls": ("What `bot pulls list --json` prints", PullEntry),
    "checks": ("What `bot check --json` prints", CheckEntry),
}
_NOUNS = {"why": "gaps"}


def all_schemas() -> dict[str, dict[str, Any]]:
    """Return every schema by the name of its file."""
    return {
        "record": record_schema(),
        "config": config_schema(),
        "event": event_schema(),
        **{name: list_schema(name) for name in _LISTS},
    }


def record_schema() -> dict[str, Any]:
    """Return the schema of a record file."""
    return _headed("The record of one cycle", _of(CycleRecord))


def event_schema() -> dict[str, Any]:
    """Return the schema of an event; `staffer_id` is left out without a proposal."""
    schema = _of(Event)
    schema["properties"]["staffer_id"] = {"type": "string"}
    schema["required"].remove("staffer_id")
    return _headed("The event of one cycle", schema)


def list_schema(name: str) -> dict[str, Any]:
    """Return the schema of a list that a command prints."""
    title, model = _LISTS[name]
    noun = _NOUNS.get(name, name)
    entry = _of(model)
    if model is PullEntry:
        entry["properties"].pop("schema_version")
        entry["required"].remove("schema_version")
    definitions = entry.pop("$defs", {})
    return _headed(
        title,
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "schema_version": {"const": 1},
                noun: {"type": "array", "items": entry},
            },
            "required": ["schema_version", noun],
            **({"$defs": definitions} if definitions else {}),
        },
    )


def _headed(title: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"$schema": _DIALECT, "title": title, **schema}


def _of(model: type[BaseModel]) -> dict[str, Any]:
    """Return a model's schema as it is written: every field there, none too many."""
    schema = model.model_json_schema(mode="serialization")
    for shape in (schema, *schema.get("$defs", {}).values()):
        if "properties" in shape:
            shape["required"] = list(shape["properties"])
            for name, field in shape["properties"].items():
                _tidy(name, field)
        shape.pop("title", None)
    return schema


def _tidy(name: str, field: dict[str, Any]) -> None:
    field.pop("title", None)
    field.pop("default", None)
    if name in _MOMENTS:
        for option in _strings(field):
            option["format"] = "date-time"


def _strings(field: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for option in field.get("anyOf", [field]):
        if option.get("type") == "string":
            yield option
