"""What a cycle of one repository works with; built once by `bot.app`."""

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cycle.draft import Clock, Draft, Watcher
from bot.domain.outcome import Outcome
from bot.errors import Interrupted
from bot.settings import BUILT_IN_PROTECTED, Budget, RepoSettings, Settings

if TYPE_CHECKING:
    from bot.checks.baseline import Baselines
    from bot.checks.setup import SetUp
    from bot.cycle.gaps.cache import GapCache
    from bot.domain.record import CallRecord
    from bot.forge.protocol import Forge
    from bot.observe.redact import Redactor
    from bot.propose.proposer import Proposer
    from bot.sandbox.job import Sandbox
    from bot.store.index import Index
    from bot.store.journal import Journal
    from bot.store.ledger import Caps, Ledger
    from bot.store.outbox import Outbox
    from bot.store.records import Records
    from bot.store.reindex import Counts
    from bot.store.resumable import ResumableStore
    from bot.store.unpublished import Unpublished
    from bot.workspace.clone import Clone
    from bot.workspace.gitconfig import GitEnv
    from bot.workspace.rules import Rules
    from bot.workspace.trees import Tree


@dataclass(frozen=True, slots=True)
class Options:
    """What a person asked of one cycle.

    Attributes:
        gap: Id of the gap to work on, whatever its cooldown.
        dry_run: Stop before anything is shown to others; the result is kept.
        prd: Read gaps from this file on disk instead of the base.
    """

    gap: str | None = None
    dry_run: bool = False
    prd: Path | None = None


@dataclass(frozen=True, slots=True)
class Rooms:
    """One repository's settings, state and doors.

    The callables open on first use and return the same object afterwards, so that a
    tick with nothing to do opens nothing: no clone, no tree, no sandbox.
    """

    settings: Settings
    repo: RepoSettings
    config_path: Path
    folder: Path
    checkout: Path | None
    clock: Clock
    new_id: Callable[[], str]
    watcher: Watcher
    is_cancelled: Callable[[], bool]
    index: "Index"
    records: "Records"
    journal: "Journal"
    unpublished: "Unpublished"
    outbox: "Outbox | None"
    ledger: "Ledger"
    redactor: "Redactor"
    resumable: "ResumableStore"
    has_replies: Callable[[str], bool]
    calls: Callable[[str], "tuple[CallRecord, ...]"]
    models: tuple[str, ...]
    secret: Callable[[str], str | None]
    reindex: Callable[[], "Counts"]
    git_env: Callable[[], "GitEnv"]
    clone: Callable[[], "Clone"]
    tree: Callable[[], "Tree"]
    recipe_tree: Callable[[], "Tree"]
    sandbox: Callable[[], "Sandbox"]
    set_up: Callable[[], "SetUp"]
    baselines: Callable[[], "Baselines"]
    forge: Callable[[], "Forge"]
    can_spend: Callable[[], bool]
    proposer: Callable[[], "Proposer"]
    options: Options

    @property
    def gap_cache(self) -> "GapCache":
        """Where parsed requirements documents are kept."""
        from bot.cycle.gaps import GapCache  # noqa: PLC0415 - Markdown, as above

        return GapCache(self.folder / "cache")

    @property
    def prd_globs(self) -> tuple[str, ...]:
        """The globs of `prd`, each starting at the root: `PRD.md` is that one file."""
        return tuple(f"/{glob.lstrip('/')}" for glob in self.repo.prd)

    def rules(self) -> "Rules":
        """Return what a proposal may change in this repository."""
        from bot.workspace.rules import Rules  # noqa: PLC0415 - not for an idle tick

        policy = self.repo.policy
        protected = policy.protected
        return Rules(
            max_files=policy.max_files,
            max_lines=policy.max_lines,
            max_bytes=policy.max_bytes,
            protected=BUILT_IN_PROTECTED if protected is None else protected,
            prd=self.prd_globs,
            allow_binary=policy.allow_binary,
            allow_symlinks=policy.allow_symlinks,
            on_protected=policy.on_protected,
        )

    def caps(self) -> "Caps":
        """Return every cap that a paid call of this repository must fit."""
        from bot.store.ledger import Caps, PeriodCaps, micro_usd  # noqa: PLC0415

        def period(budget: Budget) -> PeriodCaps:
            return PeriodCaps(
                day=micro_usd(budget.usd_per_day),
                month=micro_usd(budget.usd_per_month),
                calls_per_day=budget.calls_per_day,
                tokens_per_day=budget.tokens_per_day,
            )

        narrow = self.settings.budget_of(self.repo)
        return Caps(
            cycle=micro_usd(narrow.usd_per_cycle),
            gap=micro_usd(narrow.usd_per_gap),
            repo=period(narrow),
            overall=period(self.settings.budget),
        )

    def dirty_paths(self) -> tuple[str, ...]:
        """Return what the person has not committed in the checkout, if there is one."""
        from bot.workspace.checkout import dirty_paths  # noqa: PLC0415 - as above

        if self.checkout is None:
            return ()
        ours = (self.config_path, self.settings.data_dir)
        return dirty_paths(self.checkout, self.git_env(), ours)

    def is_event_skipped(self, outcome: Outcome) -> bool:
        """Whether the observer doesn't want to hear of this outcome."""
        return any(fnmatchcase(outcome, glob) for glob in self.settings.observer.skip)

    def stop_if_cancelled(self, draft: Draft) -> None:
        """End the cycle here when a signal asked for it.

        Raises:
            Interrupted: A signal came in; the cycle ends as `interrupted`.
        """
        if self.is_cancelled():
            raise Interrupted(f"a signal ended the cycle at the step {draft.running!r}")
