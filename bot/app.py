"""The one place that builds objects: from settings to what commands and cycles use.

Everything that costs (git, the clone, the trees, the sandbox) is made at its first use, so
that a paused or idle tick pays for nothing it doesn't need.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from bot.cycle.draft import Watcher
from bot.cycle.pause import FILE_NAME, pause_files
from bot.cycle.rooms import Options, Rooms
from bot.domain.record import CycleRecord
from bot.errors import ConfigError, Misconfigured
from bot.observe.redact import Redactor
from bot.settings import RepoSettings
from bot.settings.load import Loaded
from bot.settings.secrets import known_values, read_secret
from bot.store.files import remove
from bot.store.index import Index
from bot.store.journal import Journal
from bot.store.ledger import Ledger
from bot.store.outbox import Outbox
from bot.store.records import Records, new_cycle_id, repo_folders
from bot.store.reindex import Counts, reindex
from bot.store.resumable import ResumableStore
from bot.store.unpublished import Unpublished

if TYPE_CHECKING:
    from bot.checks.baseline import Baselines
    from bot.checks.setup import SetUp
    from bot.domain.record import CallRecord
    from bot.forge.protocol import Forge
    from bot.llm.gateway import Gateway
    from bot.propose.proposer import Proposer
    from bot.sandbox.job import Bind, Sandbox
    from bot.sandbox.owner import Owner
    from bot.workspace.clone import Clone
    from bot.workspace.gitconfig import GitEnv
    from bot.workspace.trees import Tree

_RANDOM_BYTES = 4


def utc_now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


class Silent:
    """A watcher that nobody looks at."""

    def step(self, name: str, detail: str) -> None:
        """Show nothing."""

    def ended(self, record: CycleRecord) -> None:
        """Show nothing."""

    def warn(self, event: str, detail: str) -> None:
        """Show nothing."""


class App:
    """The bot as configured; close it, or use it in a `with`.

    Args:
        loaded: The config.
        env: The environment.
        clock: Returns the present moment, in UTC.
        random_hex: Returns eight hex digits.
        is_cancelled: Whether a signal asked for an end.
    """

    def __init__(
        self,
        loaded: Loaded,
        env: Mapping[str, str],
        *,
        clock: Callable[[], datetime] = utc_now,
        random_hex: Callable[[], str] = lambda: secrets.token_hex(_RANDOM_BYTES),
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self.settings = loaded.settings
        self.config_path = loaded.path
        self.env = env
        self.clock = clock
        self._random_hex = random_hex
        self.is_cancelled = is_cancelled
        data_dir = self.settings.data_dir
        self.index = Index(data_dir / "bot.sqlite3")
        self.records = Records(data_dir)
        self.ledger = Ledger(data_dir / "ledger", self.settings.zone, clock)
        self.redactor = Redactor(known_values(self.settings, env))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.index.close()

    @cached_property
    def git_env(self) -> "GitEnv":
        """The environment of every git command, made from the person's configuration."""
        from bot.workspace.gitconfig import GitEnv

        return GitEnv.make(self.settings.data_dir, self.env)

    @cached_property
    def owner(self) -> "Owner | None":
        """Who untrusted code runs as, when the bot is root."""
        from bot.sandbox.owner import sandbox_owner

        return sandbox_owner()

    @cached_property
    def sandbox(self) -> "Sandbox":
        """The sandbox, started once to see that it works.

        Raises:
            SandboxUnavailable: Untrusted code can't be confined here.
        """
        from bot.sandbox.bwrap import open_sandbox
        from bot.sandbox.redacted import RedactedSandbox

        hidden = (self.settings.data_dir,)
        opened = open_sandbox(self.settings.sandbox, owner=self.owner, hidden=hidden)
        return RedactedSandbox(opened, self.redactor.text)

    def repos(self, name: str | None) -> Sequence[RepoSettings]:
        """Return the repository of this name, or all of them.

        Raises:
            ConfigError: There is no such repository, or none at all.
        """
        if name is not None:
            return (self.settings.repo_named(name),)
        if not self.settings.repo:
            raise ConfigError(
                f"{self.config_path} has no [[repo]]: `bot init PATH` prints one"
            )
        return self.settings.repo

    def one_repo(self, name: str | None) -> RepoSettings:
        """Return the repository that a command is about.

        Raises:
            ConfigError: There are several and none was named.
        """
        repos = self.repos(name)
        if len(repos) > 1:
            names = ", ".join(repo.name for repo in repos)
            raise ConfigError(f"there are several repositories: add --repo ({names})")
        return repos[0]

    def rooms(
        self,
        repo: RepoSettings,
        options: Options | None = None,
        watcher: Watcher | None = None,
    ) -> Rooms:
        """Build what a cycle of this repository works with; opens nothing."""
        folder = self.settings.data_dir / repo.name
        observer = self.settings.observer
        builder = _Builder(self, repo, folder)
        rooms = Rooms(
            settings=self.settings,
            repo=repo,
            config_path=self.config_path,
            folder=folder,
            checkout=checkout_of(repo),
            clock=self.clock,
            new_id=lambda: new_cycle_id(self.clock(), self._random_hex()),
            watcher=watcher or Silent(),
            is_cancelled=self.is_cancelled,
            index=self.index,
            records=self.records,
            journal=Journal(folder / "journal"),
            unpublished=Unpublished(folder / "unpublished"),
            outbox=Outbox(self.settings.data_dir / "outbox") if observer.url else None,
            ledger=self.ledger,
            redactor=self.redactor,
            resumable=ResumableStore(folder / "resumable"),
            has_replies=lambda cycle_id: has_replies(folder / "replies", cycle_id),
            calls=builder.calls,
            models=self.settings.models.proposer if is_paid(repo) else (),
            secret=self.secret,
            reindex=self.reindex,
            git_env=lambda: self.git_env,
            clone=builder.clone,
            tree=builder.tree,
            recipe_tree=builder.recipe_tree,
            sandbox=lambda: self.sandbox,
            set_up=builder.set_up,
            baselines=builder.baselines,
            forge=builder.forge,
            can_spend=builder.can_spend,
            proposer=builder.proposer,
            options=options or Options(),
        )
        builder.rooms = rooms
        return rooms

    def secret(self, name: str) -> str | None:
        """Return a secret by its name; None where there is none.

        Raises:
            Misconfigured: Its file can't be read.
        """
        try:
            return read_secret(name, self.env)
        except ConfigError as error:  # in mid-cycle it is no fault of a command line
            raise Misconfigured(str(error)) from error

    def reindex(self) -> Counts:
        """Rebuild the index from the files alone."""
        data_dir = self.settings.data_dir
        return reindex(data_dir, self.index, repo_folders(data_dir))

    def reindex_if_due(self) -> None:
        """Rebuild the index when it was lost or damaged, so that answers are whole."""
        if self.settings.data_dir.is_dir() and self.index.was_rebuilt:
            self.reindex()

    def resume(self, name: str | None) -> tuple[Path, ...]:
        """Remove every pause file that applies and return those that were there."""
        data_dir = self.settings.data_dir
        files: dict[Path, None] = {data_dir / FILE_NAME: None}
        for repo in self.repos(name) if name or self.settings.repo else ():
            places = pause_files(data_dir, data_dir / repo.name, checkout_of(repo))
            files.update(dict.fromkeys(places))
        held = tuple(path for path in files if path.is_file() or path.is_symlink())
        for path in held:
            remove(path)
        return held

    def wake_models(self) -> tuple[str, ...]:
        """Let every model that rests be asked again; return which."""
        folder = self.settings.data_dir / "models"
        if not folder.is_dir():
            return ()
        from bot.llm.rests import Rests

        return Rests(folder, self.clock).clear()


def is_paid(repo: RepoSettings) -> bool:
    """Whether models are asked for this repository."""
    return repo.proposer == "model"


def has_replies(folder: Path, cycle_id: str) -> bool:
    """Whether replies of a cycle are stored."""
    return any((folder / cycle_id).glob("*.json"))


def checkout_of(repo: RepoSettings) -> Path | None:
    """Return the folder when `path` is a person's checkout, not a bare repository."""
    if repo.is_url:
        return None
    path = Path(repo.path)
    return path if (path / ".git").exists() else None


class _Builder:
    """Makes one repository's doors at their first use, and each only once."""

    rooms: Rooms

    def __init__(self, app: App, repo: RepoSettings, folder: Path) -> None:
        self._app = app
        self._repo = repo
        self._folder = folder
        self.clone = cache(self._clone)
        self.tree = cache(lambda: self._tree("cycle"))
        self.recipe_tree = cache(lambda: self._tree("recipe"))
        self.set_up = cache(self._set_up)
        self.baselines = cache(self._baselines)
        self.forge = cache(self._forge)
        self.gateway = cache(self._gateway)
        self.proposer = cache(self._proposer)

    def _clone(self) -> "Clone":
        from bot.workspace.clone import Clone

        return Clone.open(self._repo, self._folder, self._app.git_env)

    def _tree(self, name: str) -> "Tree":
        from bot.workspace.trees import Tree

        path = self._folder / "trees" / name
        return Tree.open(self.clone(), path, self._app.owner)

    def _forge(self) -> "Forge":
        from bot.cycle.document import is_ticked
        from bot.forge.local import LocalForge

        return LocalForge(
            self._folder / "pulls",
            self._repo.name,
            self._app.index,
            self.clone(),
            lambda base_sha, gap_id: is_ticked(self.rooms, base_sha, gap_id),
            self._app.clock,
        )

    def _binds(self, base_sha: str) -> "Sequence[Bind]":
        """Return the results of the set-up of a base that a cycle prepared before."""
        from bot.checks.setup import SetUpResult
        from bot.cycle.runs import set_up

        ready = set_up(self.rooms, base_sha)
        return ready.binds if isinstance(ready, SetUpResult) else ()

    def _set_up(self) -> "SetUp":
        from bot.checks.setup import SetUp

        return SetUp(
            self._folder / "setup",
            self._repo.setup,
            self._app.sandbox,
            self._app.settings.sandbox,
            owner=self._app.owner,
            git_dir=self.clone().path,
            secret=self._app.secret,
            cancel=self._app.is_cancelled,
        )

    def _baselines(self) -> "Baselines":
        from bot.checks.baseline import Baselines

        app = self._app
        return Baselines(self._folder / "cache", app.settings.sandbox, app.clock)

    def can_spend(self) -> bool:
        """Whether an answer could cost money."""
        if not is_paid(self._repo):
            return False
        from bot.cycle.models import can_spend

        return can_spend(self.rooms)

    def calls(self, cycle_id: str) -> "tuple[CallRecord, ...]":
        """Return the model calls that a cycle was charged for."""
        return self.gateway().calls(cycle_id) if is_paid(self._repo) else ()

    def _gateway(self) -> "Gateway":
        from bot.cycle.models import open_gateway

        return open_gateway(self.rooms)

    def _proposer(self) -> "Proposer":
        if not is_paid(self._repo):
            return self._command()
        from bot.cycle.models import model_proposer
        from bot.propose.tagged import TaggedProposer

        model = model_proposer(self.rooms, self.gateway())
        return TaggedProposer(model, self._command())

    def _command(self) -> "Proposer":
        from bot.propose.command import CommandProposer

        defaults = self._app.settings.sandbox
        return CommandProposer(
            self._repo.recipe,
            self.recipe_tree(),
            self._app.sandbox,
            self._binds,
            timeout_s=defaults.timeout,
            silence_s=defaults.silence,
            git_dir=self._folder / "clone.git",
            cancel=self._app.is_cancelled,
        )
