"""The bot's private bare clone of a repository: made once, then only fetched into."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol, Self, TypeVar

from bot.errors import Deferred, GitFailed, Misconfigured
from bot.store.files import make_folder, usable
from bot.store.locks import turn
from bot.workspace import fetch, history, locks, push
from bot.workspace.fetch import BASE_REF, BaseState
from bot.workspace.git import NETWORK_TIMEOUT_S, Git, GitEnv, check_ref
from bot.workspace.history import BlobFile, CommitInfo
from bot.workspace.push import Target

__all__ = ["BaseState", "BlobFile", "Clone", "CommitInfo", "Source", "remote_of"]

_COMMITS = "refs/bot/commits/"
_T = TypeVar("_T")


class Source(Protocol):
    """What the settings of a repository say about where it is."""

    @property
    def name(self) -> str:
        """The repository's name in the config."""
        ...

    @property
    def path(self) -> str:
        """A local path or a URL."""
        ...

    @property
    def is_url(self) -> bool:
        """Whether `path` is a URL."""
        ...

    @property
    def base(self) -> str | None:
        """The branch that the bot works on."""
        ...

    @property
    def prefix(self) -> str:
        """The first part of the bot's branches."""
        ...


def remote_of(source: Source) -> str:
    """Return what git is to fetch from and push to."""
    return source.path


class Clone:
    """A bare clone whose refs are all the bot's own, under `refs/bot/`.

    The remote is named anew in every command, so one that changed in the config is
    followed. Callers hold the repository lock.

    Attributes:
        git: Commands on the clone.
        path: Its folder.
        remote: Where it is fetched from and pushed to.
        removed_locks: Stale lock files that were removed so far, for the log.
    """

    def __init__(self, source: Source, path: Path, env: GitEnv) -> None:
        self._source = source
        self.path = path
        self.remote = remote_of(source)
        self.git = Git(path, env)
        self.removed_locks: tuple[str, ...] = ()

    @classmethod
    def open(cls, source: Source, folder: Path, env: GitEnv) -> Self:
        """Return the clone in `folder`, made on first use; starts no process after that.

        Raises:
            Misconfigured: The repository is not there, is empty or lacks the base.
            Deferred: It is out of reach.
            DataFolderUnusable: No room for it.
        """
        clone = cls(source, folder / "clone.git", env)
        if not clone._is_there():
            # Commands that only look also make it, and they hold no repository lock.
            with turn(folder / "clone.lock", NETWORK_TIMEOUT_S):
                if not clone._is_there():
                    clone._make(env)
        return clone

    @cached_property
    def _base_name(self) -> str:
        if self._source.base is not None:
            return check_ref(self._source.base)
        outside = Git(None, self.git.env)  # the clone may not be there yet
        return fetch.default_branch(outside, self.remote, self._source)

    def base_name(self) -> str:
        """Return the base branch, without `refs/heads/`.

        Raises:
            Misconfigured: None is configured, and the remote names no default branch.
        """
        return self._base_name

    def fetch_base(self) -> BaseState:
        """Bring the base up to date; one git process where it has not moved.

        Raises:
            Misconfigured: The base or the repository is gone, or access is refused.
            Deferred: The remote is out of reach, or a lock is held by another program.
        """
        branch = self.base_name()
        return self.without_stale_locks(
            lambda: fetch.fetch_base(self.git, self.remote, branch)
        )

    def base(self) -> str | None:
        """Return the base as last fetched; None before the first time."""
        return fetch.read_ref(self.git, BASE_REF)

    def clear_stale_locks(self) -> tuple[str, ...]:
        """Remove lock files that a killed git left in the clone and its trees.

        Returns:
            What was removed, for the log; nothing while a git process is at work there.
        """
        removed = locks.clear_stale(self.path)
        self.removed_locks += removed
        return removed

    def without_stale_locks(self, action: Callable[[], _T]) -> _T:
        """Run the action, a second time where only stale locks stopped it.

        Raises:
            Deferred: A lock is held by a living program, or the action says so itself.
        """
        try:
            return action()
        except Deferred:
            if not self.clear_stale_locks():
                raise
        return action()

    def maintain(self) -> None:
        """Pack objects and refs and drop what nothing needs since two weeks."""
        self.git.run("gc", "--quiet", "--prune=2.weeks.ago", timeout=3600)

    # What is read of commits.

    def files(self, sha: str, globs: Sequence[str]) -> tuple[BlobFile, ...]:
        """Return the regular files of a commit that match a glob, in path order."""
        return history.files(self.git, sha, globs)

    def blob(self, blob_id: str) -> bytes:
        """Return the content of a blob."""
        return history.blob(self.git, blob_id)

    def read(self, sha: str, path: str) -> bytes | None:
        """Return a regular file of a commit as git stores it; None when there is none."""
        return history.read(self.git, sha, path)

    def resolve(self, ref: str) -> str:
        """Return the commit that a ref names."""
        return self.git.text(
            "rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}"
        )

    def has(self, sha: str) -> bool:
        """Say whether a commit is there."""
        return self.git.code("cat-file", "-e", f"{sha}^{{commit}}") == 0

    def tree_of(self, sha: str) -> str:
        """Return the tree of a commit."""
        return self.git.text(
            "rev-parse", "--verify", "--end-of-options", f"{sha}^{{tree}}"
        )

    def log(self, revisions: str, layout: str) -> str:
        """Return `git log --format=<layout>` of a revision range, newest first."""
        return history.log(self.git, revisions, layout)

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        """Say whether a commit is in the history of another."""
        return history.is_ancestor(self.git, ancestor, descendant)

    def patch_id(self, sha: str) -> str:
        """Return what identifies a commit's change; empty for one without a change."""
        return history.patch_id(self.git, sha)

    def format_patch(self, sha: str) -> bytes:
        """Return a commit as `git am` takes it, binary files included."""
        return history.format_patch(self.git, sha)

    def commits_between(self, old: str, new: str) -> Iterator[CommitInfo]:
        """Yield the commits of `new` that `old` lacks, newest first."""
        return history.commits_between(self.git, old, new)

    # What is kept, and what is shown to others.

    def keep(self, ref: str, sha: str) -> None:
        """Let a ref of the bot's own name a commit, so that it is never lost."""
        if not ref.startswith("refs/bot/"):
            raise ValueError(f"{ref!r} is not under refs/bot/")
        self.without_stale_locks(lambda: self.git.run("update-ref", ref, sha))

    def drop(self, ref: str) -> None:
        """Let go of a ref of the bot's own; one that isn't there is fine."""
        if not ref.startswith("refs/bot/"):
            raise ValueError(f"{ref!r} is not under refs/bot/")
        self.without_stale_locks(lambda: self.git.run("update-ref", "-d", ref))

    def is_ours(self, sha: str) -> bool:
        """Say whether a commit is one that a cycle made and kept here."""
        kept = self.git.text("for-each-ref", "--format=%(objectname)", _COMMITS)
        return sha in kept.split()

    def push_name(self, branch: str) -> str:
        """Return the name that `branch` can have on the remote: itself, mostly.

        Where a branch there is in the way (`bot` of `bot/x`, or `bot/x/y` of `bot/x`)
        four hex digits that depend on the name alone are added.
        """
        return push.push_name(self._target, branch)

    def push(self, branch: str, sha: str, expected: str | None) -> None:
        """Let a branch of the bot's on the remote name the commit.

        Args:
            branch: Without `refs/heads/`.
            sha: The commit.
            expected: Where the branch was seen to be; None for a new one.

        Raises:
            PushRejected: It is somewhere else, a hook there refused, or it is no
                branch of the bot's; `RefClash` when another branch is in the way.
            Deferred: The remote is out of reach or busy.
            Misconfigured: Access is refused.
        """
        push.push(self._target, branch, sha, expected)

    def advance_base(self, sha: str, expected: str) -> None:
        """Let the base on the remote name a commit, because a person said to merge it.

        Args:
            sha: A commit on top of `expected`.
            expected: Where the base was seen to be.

        Raises:
            PushRejected: The base is somewhere else by now, or a hook there refused.
        """
        push.advance(self._target, sha, expected)

    def remote_tip(self, branch: str) -> str | None:
        """Return where a branch stands on the remote now; None when it is not there."""
        return fetch.remote_tip(self.git, self.remote, branch)

    def remote_tips(self, branches: Sequence[str]) -> dict[str, str]:
        """Return where branches stand on the remote now; those not there are left out."""
        refs = [f"refs/heads/{branch}" for branch in branches]
        found = fetch.remote_refs(self.git, self.remote, *refs)
        return {
            ref.removeprefix("refs/heads/"): found[ref] for ref in refs if ref in found
        }

    def delete_remote(self, branch: str, expected: str) -> None:
        """Delete a branch of the bot's on the remote while it is where it was seen."""
        push.delete(self._target, branch, expected)

    @cached_property
    def _target(self) -> Target:
        return Target(self.git, self.remote, self._source.prefix, self.base_name())

    def _is_there(self) -> bool:
        return (self.path / "HEAD").is_file()

    def _make(self, env: GitEnv) -> None:
        draft = self.path.with_name("clone.git.new")
        with usable(self.path):
            make_folder(self.path.parent)
            shutil.rmtree(draft, ignore_errors=True)
            # Without a HEAD it is the rest of one that was being deleted.
            shutil.rmtree(self.path, ignore_errors=True)
        outside = Git(None, env)
        branch = self._base_name
        fetch.tip_or_complain(outside, self.remote, branch)
        _clone(outside, self.remote, branch, draft)
        inside = Git(draft, env)
        inside.run("update-ref", BASE_REF, f"refs/heads/{branch}")
        inside.run("update-ref", "-d", f"refs/heads/{branch}")
        inside.run("symbolic-ref", "HEAD", "refs/heads/none")
        # The URL can hold a password, and it is given anew each time.
        inside.run("config", "--remove-section", "remote.origin")
        inside.run("config", "core.logAllRefUpdates", "false")
        with usable(self.path):
            draft.rename(self.path)


def _clone(git: Git, remote: str, branch: str, target: Path) -> None:
    options = (
        "clone",
        "--quiet",
        "--bare",
        "--single-branch",
        "--no-tags",
        "--template=",
        "--dissociate",  # objects borrowed from a third repository may vanish with it
        f"--branch={branch}",
    )
    try:
        # A local path is cloned by hard links, or copies across file systems.
        git.run(*options, "--", remote, str(target))
    except (GitFailed, Misconfigured):
        # Objects that are symlinks or vanish in a repack: through the transport then.
        shutil.rmtree(target, ignore_errors=True)
        git.run(*options, "--no-local", "--", remote, str(target))
