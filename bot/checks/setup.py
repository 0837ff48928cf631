"""Runs a repository's set-up on the base and keeps what it made for checks and recipes.

A command that installs things makes files that the repository ignores: an environment,
`node_modules`, a cache in the home. They are moved out of the tree and shown read-only
to every later job, so that a job without network finds them, and can't change them for
the next.
"""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.checks import kept
from bot.checks.env import SecretReader, no_secrets
from bot.checks.run import job_of, why
from bot.errors import Interrupted
from bot.sandbox.job import HOME, Bind, Ended, Sandbox, never
from bot.sandbox.owner import Owner
from bot.sandbox.remove import remove_tree
from bot.settings.model import SandboxSettings, Setup
from bot.store.files import make_folder

_KEPT = 3
_NONE = "none"


class KeyFile(Protocol):
    """A file of the base whose change makes a set-up run again."""

    @property
    def path(self) -> str:
        """Where it lies."""
        ...

    @property
    def blob(self) -> str:
        """Object id of its contents."""
        ...


class SetUpTree(Protocol):
    """The working tree that a set-up runs in."""

    @property
    def path(self) -> Path:
        """Its folder."""
        ...

    def move_to(self, sha: str) -> object:
        """Make it exactly this commit, without anything else in it."""
        ...

    def untracked(self) -> tuple[str, ...]:
        """Return what is in it beside the commit, ignored or not; whole folders once."""
        ...


@dataclass(frozen=True, slots=True)
class SetUpResult:
    """A set-up that is ready.

    Attributes:
        binds: What it made, as jobs are to see it.
        key: Names it; the same key means the same set-up.
        note: One line for the record's step.
    """

    binds: tuple[Bind, ...]
    key: str
    note: str


@dataclass(frozen=True, slots=True)
class SetUpFailed:
    """A set-up command failed on the base.

    Attributes:
        reason: Which one and how.
        output: What it printed.
    """

    reason: str
    output: str


class SetUp:
    """The set-ups of a repository, kept in a folder.

    Args:
        folder: Where they are kept; on the file system of the trees.
        steps: The configured commands, in order.
        sandbox: Where they run.
        settings: Defaults of timeout and silence, limits and tools.
        owner: Who runs the commands when that is not the bot's own user.
        git_dir: The private clone that the trees belong to.
        secret: Gives the value of a secret by name, or None.
        cancel: Asked several times a second; True ends the run.
        on_output: Called with what the commands print, as it comes.
    """

    def __init__(
        self,
        folder: Path,
        steps: Sequence[Setup],
        sandbox: Sandbox,
        settings: SandboxSettings,
        *,
        owner: Owner | None = None,
        git_dir: Path | None = None,
        secret: SecretReader = no_secrets,
        cancel: Callable[[], bool] = never,
        on_output: Callable[[str], None] | None = None,
    ) -> None:
        self._folder = folder
        self._steps = tuple(steps)
        self._sandbox = sandbox
        self._settings = settings
        self._owner = owner
        self._git_dir = git_dir
        self._secret = secret
        self._cancel = cancel
        self._on_output = on_output

    def prepare(
        self,
        base_sha: str,
        tree: SetUpTree,
        files: Callable[[str, Sequence[str]], Sequence[KeyFile]],
    ) -> SetUpResult | SetUpFailed:
        """Return the set-up of a base, made now or kept from before.

        Args:
            base_sha: The commit to set up.
            tree: Moved to the base and back to it when the commands have to run.
            files: Returns the files of a commit that match globs.

        Raises:
            Interrupted: The run was stopped.
            Misconfigured: A secret that a command names is not to be found.
            SandboxUnavailable: A command can't be confined.
        """
        if not self._steps:
            return SetUpResult((), _NONE, "no set-up is configured")
        key = self._key(base_sha, files)
        folder = self._folder / key
        known = kept.load(folder)
        if known:
            os.utime(folder / kept.MANIFEST)
            return SetUpResult(kept.binds_of(folder, known), key, f"{key}, kept")
        self._forget(but=key)
        try:
            made = self._make(folder, base_sha, tree)
        finally:
            tree.move_to(base_sha)
        if isinstance(made, SetUpFailed):
            remove_tree(folder)
            return made
        kept.save(folder, made)
        note = f"{key}, {len(made.tree)} paths and {len(made.home)} of the home"
        return SetUpResult(kept.binds_of(folder, made), key, note)

    def _key(
        self,
        base_sha: str,
        files: Callable[[str, Sequence[str]], Sequence[KeyFile]],
    ) -> str:
        """Return what tells this set-up from others.

        A command without key files depends on everything, so on the base itself.
        """
        parts: list[object] = [self._sandbox.describe()]
        parts.append([str(tool) for tool in self._settings.tools])
        for step in self._steps:
            parts.append(step.model_dump(mode="json"))
            found = files(base_sha, step.key) if step.key else ()
            parts.append(sorted([f.path, f.blob] for f in found) or base_sha)
        whole = json.dumps(parts, sort_keys=True)
        return hashlib.sha256(whole.encode()).hexdigest()[:16]

    def _make(
        self, folder: Path, base_sha: str, tree: SetUpTree
    ) -> kept.Manifest | SetUpFailed:
        remove_tree(folder)
        home = folder / "home"
        make_folder(home)
        if self._owner:
            os.chown(home, self._owner.uid, self._owner.gid)
        tree.move_to(base_sha)
        for step in self._steps:
            failed = self._run(step, tree.path, home)
            if failed:
                return failed
        paths = kept.worth_keeping(tree.untracked())
        parts = kept.home_parts(home)
        if len(paths) + len(parts) > kept.MOST_ENTRIES:
            return SetUpFailed(
                f"the set-up left {len(paths)} separate files and folders among those "
                f"of the repository, and more than {kept.MOST_ENTRIES} can't be shown "
                "to the checks; let it write into one folder",
                "\n".join(paths[: kept.MOST_ENTRIES]),
            )
        moved, left = kept.collect(tree.path, paths, folder / "tree")
        return kept.Manifest(
            base_sha=base_sha, tree=tuple(moved), home=parts, left_out=tuple(left)
        )

    def _run(self, step: Setup, tree: Path, home: Path) -> SetUpFailed | None:
        job = job_of(
            step,
            tree,
            self._settings,
            self._secret,
            binds=(Bind(home, HOME, writable=True),),
            git_dir=self._git_dir,
            network=step.network,
        )
        finished = self._sandbox.run(job, self._on_output, self._cancel)
        if finished.ended is Ended.CANCELLED:
            raise Interrupted(f"the set-up `{step.run}` was stopped")
        if finished.is_green:
            return None
        return SetUpFailed(f"set-up `{step.run}`: {why(finished)}", finished.output)

    def _forget(self, but: str) -> None:
        """Remove set-ups that were never finished, and the oldest beyond the newest."""
        whole: list[Path] = []
        for folder in self._folder.glob("*/"):
            if (folder / kept.MANIFEST).is_file():
                whole.append(folder)
            elif folder.name != but:
                remove_tree(folder)
        whole.sort(key=lambda f: (f / kept.MANIFEST).stat().st_mtime)
        for folder in whole[: -(_KEPT - 1)]:
            remove_tree(folder)
