"""The record of a cycle while it is being written: what is known so far, and its steps."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Protocol

from bot import __version__
from bot.cycle.ending import Ending
from bot.domain.change import Action, Plan, Proposal
from bot.domain.gap import Gap
from bot.domain.record import (
    CallRecord,
    CheckRecord,
    CycleRecord,
    ProposalRecord,
    ProposedFile,
    StepRecord,
    Trigger,
)
from bot.store.jsonfile import clean

if TYPE_CHECKING:
    from bot.workspace.fetch import BaseState

Clock = Callable[[], datetime]
"""Returns the present moment, aware and in UTC."""


class Watcher(Protocol):
    """Whoever wants to see the steps while they run (a terminal, the log)."""

    def step(self, name: str, detail: str) -> None:
        """Show that a step has begun (`detail` empty) or what it found."""

    def ended(self, record: CycleRecord) -> None:
        """Show how the cycle ended; its record is written."""

    def warn(self, event: str, detail: str) -> None:
        """Show that something beside the cycle went wrong."""


@dataclass(slots=True)
class Draft:
    """Everything a record will say, filled in as the cycle goes.

    Args:
        on_stage: Called with the draft when a step that has effects begins, so that
            the journal on disk always names what was under way.
        redact: Takes secrets out of a text; all that people read goes through it.

    Attributes:
        running: The step under way.
        published: The cycle whose finished commit has its pull request now.
        base: The base as this tick saw it, once it looked.
    """

    cycle_id: str
    repo: str
    trigger: Trigger
    slot: str | None
    started_at: datetime
    clock: Clock
    watcher: Watcher
    on_stage: Callable[["Draft"], None]
    redact: Callable[[str], str]
    running: str = "started"
    published: str | None = None
    base: "BaseState | None" = None
    gap: Gap | None = None
    proposal: ProposalRecord | None = None
    plan: Plan | None = None
    files: dict[Action, tuple[str, ...]] = field(default_factory=dict)
    tests: tuple[CheckRecord, ...] = ()
    tests_green: bool | None = None
    tests_output: str = ""
    branch: str | None = None
    base_sha: str | None = None
    commit_sha: str | None = None
    pr_url: str | None = None
    pr_number: int | None = None
    sandbox: str | None = None
    calls: tuple[CallRecord, ...] = ()
    steps: list[StepRecord] = field(default_factory=list)
    _detail: str = ""

    @contextmanager
    def step(self, name: str, *, durable: bool = False) -> Iterator[None]:
        """Time one step; `durable` journals its name first."""
        started, clock = self.clock(), time.monotonic()
        self._detail = ""
        self.running = name
        if durable:
            self.on_stage(self)
        self.watcher.step(name, "")
        try:
            yield
        finally:
            took = round((time.monotonic() - clock) * 1000)
            self.steps.append(
                StepRecord(
                    name=name,
                    started_at=started,
                    duration_ms=took,
                    detail=self._detail,
                )
            )
            self.watcher.step(name, self._detail or f"{took} ms")

    def note(self, detail: str) -> None:
        """Say in words what the running step found."""
        detail = clean(self.redact(detail))
        self._detail = f"{self._detail}; {detail}" if self._detail else detail

    def take_proposal(self, proposal: Proposal) -> None:
        """Record an answer as soon as there is one."""
        actions = {
            edit.path: Action.DELETE if edit.content is None else Action.UPDATE
            for edit in proposal.edits
        }
        self.proposal = _record_of(proposal, actions, 0)

    def take_plan(self, proposal: Proposal, plan: Plan) -> None:
        """Record what the answer comes to, measured against the base."""
        actions = {change.path: change.action for change in plan.changes}
        self.plan = plan
        self.proposal = _record_of(proposal, actions, plan.lines)
        self.files = {action: plan.paths(action) for action in Action}

    def finish(self, ending: Ending) -> CycleRecord:
        """Return the record of the cycle, ended so."""
        ended = max(self.clock(), self.started_at)
        took = ended - self.started_at
        return CycleRecord(
            cycle_id=self.cycle_id,
            repo=self.repo,
            trigger=self.trigger,
            slot=self.slot,
            started_at=self.started_at,
            ended_at=ended,
            duration_ms=round(took.total_seconds() * 1000),
            outcome=ending.outcome,
            reason=clean(self.redact(ending.reason)) or ending.outcome.value,
            gap=self.gap,
            proposal=self.proposal,
            files_added=self.files.get(Action.ADD, ()),
            files_updated=self.files.get(Action.UPDATE, ()),
            files_deleted=self.files.get(Action.DELETE, ()),
            files_noop=self.files.get(Action.NOOP, ()),
            tests_green=self.tests_green,
            tests_output=self.tests_output,
            tests=self.tests,
            branch=self.branch,
            base_sha=self.base_sha,
            commit_sha=self.commit_sha,
            pr_url=self.pr_url,
            pr_number=self.pr_number,
            calls=self.calls,
            tokens_used=sum(c.input_tokens + c.output_tokens for c in self.calls),
            cloud_calls=len(self.calls),
            cost_usd=sum((call.cost_usd for call in self.calls), Decimal(0)),
            steps=tuple(self.steps),
            sandbox=self.sandbox,
            bot_version=__version__,
        )


def _record_of(
    proposal: Proposal, actions: dict[str, Action], lines: int
) -> ProposalRecord:
    return ProposalRecord(
        summary=proposal.summary,
        rationale=proposal.rationale,
        files=tuple(ProposedFile(path=p, action=a) for p, a in actions.items()),
        estimated_loc=lines,
        model_used=proposal.model_used,
        tokens_used=proposal.tokens_used,
        skills_used=proposal.skills_used,
    )
