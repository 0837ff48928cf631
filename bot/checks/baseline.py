"""What the checks say of the base itself: a check that is red there can tell nothing."""

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from bot.checks.run import CheckResult
from bot.sandbox.job import Ended, Finished
from bot.settings.model import Check, SandboxSettings
from bot.store.files import write_atomic

_RED_FOR = timedelta(days=1)
"""A red base may have been a bad day of this machine's, so it is looked at again."""
_KEPT = 20
_TAIL = 4000
_NOT_THE_BASE = frozenset({Ended.CANCELLED, Ended.KILLED, Ended.DISK})
"""Endings that speak of this machine at that moment, never of the base."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The checks on the base.

    Attributes:
        results: Each check that ran, in order.
        cached: Whether they ran earlier.
    """

    results: tuple[CheckResult, ...]
    cached: bool = False

    @property
    def usable(self) -> tuple[Check, ...]:
        """The checks that are green on the base, so that red means something."""
        return tuple(result.check for result in self.results if result.green)

    @property
    def red(self) -> tuple[CheckResult, ...]:
        """The checks that are red on the base."""
        return tuple(result for result in self.results if not result.green)

    @property
    def reason(self) -> str:
        """Which checks are red on the base, and how."""
        said = "; ".join(f"`{r.check.run}`: {r.detail}" for r in self.red)
        return f"red on the base itself: {said}" if said else "green on the base"

    @property
    def output(self) -> str:
        """The last that the red checks printed."""
        return "\n".join(
            f"$ {r.check.run}\n{r.finished.output[-_TAIL:]}" for r in self.red
        )

    @property
    def note(self) -> str:
        """One line for the record's step."""
        known = ", known from before" if self.cached else ""
        return f"{len(self.usable)} of {len(self.results)} checks are green{known}"


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    exit_code: int | None
    ended: Ended
    duration_ms: int
    output: str
    sandbox: str


class _Cached(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    made_at: AwareDatetime
    results: tuple[_Stored, ...]


class Baselines:
    """The baselines of a repository, kept in a folder.

    Args:
        folder: Where they are kept.
        settings: Limits and tools that the checks run with.
        clock: Tells the time.
    """

    def __init__(
        self, folder: Path, settings: SandboxSettings, clock: Callable[[], datetime]
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._clock = clock

    def of(
        self,
        base_tree: str,
        checks: Sequence[Check],
        *,
        set_up: str,
        sandbox: str,
        run: Callable[[], tuple[CheckResult, ...]],
    ) -> Baseline:
        """Return the baseline of a base, from an earlier run where there was one.

        Args:
            base_tree: Object id of the base's tree, so that empty commits change
                nothing.
            checks: All of the repository's.
            set_up: Key of the set-up they run on.
            sandbox: What confines them.
            run: Runs all of them on the base, whether red or green.
        """
        path = (
            self._folder / f"baseline-{self._key(base_tree, checks, set_up, sandbox)}"
        )
        path = path.with_suffix(".json")
        known = self._load(path, checks)
        if known:
            return known
        baseline = Baseline(run())
        whole = len(baseline.results) == len(checks)
        if whole and not any(r.finished.ended in _NOT_THE_BASE for r in baseline.red):
            self._save(path, baseline)
        return baseline

    def _key(
        self, base_tree: str, checks: Sequence[Check], set_up: str, sandbox: str
    ) -> str:
        limits = self._settings.model_dump(mode="json")
        commands = [check.model_dump(mode="json") for check in checks]
        whole = json.dumps([base_tree, commands, set_up, sandbox, limits])
        return hashlib.sha256(whole.encode()).hexdigest()[:16]

    def _load(self, path: Path, checks: Sequence[Check]) -> Baseline | None:
        try:
            cached = _Cached.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None
        if len(cached.results) != len(checks):
            return None
        results = tuple(
            CheckResult(check, Finished(**stored.model_dump()))
            for check, stored in zip(checks, cached.results, strict=True)
        )
        baseline = Baseline(results, cached=True)
        age = self._clock() - cached.made_at
        # A clock that was set back must not keep a red base for ever.
        fresh = timedelta() <= age < _RED_FOR
        return baseline if fresh or not baseline.red else None

    def _save(self, path: Path, baseline: Baseline) -> None:
        stored = tuple(
            _Stored(
                exit_code=r.finished.exit_code,
                ended=r.finished.ended,
                duration_ms=r.finished.duration_ms,
                output=r.finished.output[-_TAIL:],
                sandbox=r.finished.sandbox,
            )
            for r in baseline.results
        )
        cached = _Cached(made_at=self._clock(), results=stored)
        write_atomic(path, cached.model_dump_json().encode(), mode=0o600)
        self._forget_oldest()

    def _forget_oldest(self) -> None:
        kept = sorted(
            self._folder.glob("baseline-*.json"), key=lambda p: p.stat().st_mtime
        )
        for old in kept[:-_KEPT]:
            with suppress(OSError):
                old.unlink()
