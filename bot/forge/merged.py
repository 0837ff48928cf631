"""Whether a pull request's change is in the base, however it got there."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from bot.domain.pull import Pull
from bot.errors import Deferred, GitFailed, Misconfigured

LOOKUP_FAILED = (GitFailed, Deferred, Misconfigured)
"""What a look at git raises when it could not see; it proves nothing."""

PATCHES_COMPARED = 500
"""Newest new commits of the base whose patch ids are computed; each costs a process."""

_TRAILER = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9-]*: .*|\(cherry picked from commit .*\)|\s.*"
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")

Ticked = Callable[[str, str], bool]
"""Says whether the line of a gap (second) is ticked in a base (first)."""


class BaseCommit(Protocol):
    """What is read of a commit of the base."""

    @property
    def sha(self) -> str:
        """Its name."""

    @property
    def body(self) -> str:
        """Its whole message."""


class History(Protocol):
    """What is asked of git; every look may raise one of `LOOKUP_FAILED`."""

    def is_ancestor(self, ancestor: str, descendant: str, /) -> bool:
        """Say whether a commit is in the history of another."""
        ...

    def commits_between(self, old: str, new: str, /) -> Iterable[BaseCommit]:
        """Return the commits of `new` that `old` lacks, newest first."""
        ...

    def patch_id(self, commit: str, /) -> str:
        """Return what identifies a commit's change; empty for one without a change."""
        ...

    def remote_tips(self, branches: Sequence[str], /) -> Mapping[str, str]:
        """Return where branches stand on the remote now; those not there are left out."""
        ...

    def remote_tip(self, branch: str, /) -> str | None:
        """Return where a branch stands on the remote now; None when it is not there."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a look found.

    Attributes:
        how: How the change came into the base; None when it is not seen there.
        sure: Whether every look succeeded, so that not seen means not there.
    """

    how: str | None
    sure: bool = True


class MergeLook:
    """Looks at one base for several pull requests and reads each commit once."""

    def __init__(self, history: History, ticked: Ticked, base_sha: str) -> None:
        self._history = history
        self._ticked = ticked
        self.base_sha = base_sha
        self._commits: dict[str, tuple[BaseCommit, ...]] = {}
        self._patch_ids: dict[str, str] = {}

    def verdict(self, pull: Pull, since: str) -> Verdict:
        """Look for the change in what the base gained after `since`, cheap looks first."""
        sure = True
        for look in (self._by_commit, self._by_tick, self._by_trailer, self._by_patch):
            try:
                how = look(pull, since)
            except LOOKUP_FAILED:
                sure = False
                continue
            if how:
                return Verdict(how)
        return Verdict(None, sure=sure)

    def _by_commit(self, pull: Pull, _since: str) -> str | None:
        is_in = self._history.is_ancestor(pull.head_sha, self.base_sha)
        return f"its commit {pull.head_sha[:12]} is in the base" if is_in else None

    def _by_tick(self, pull: Pull, _since: str) -> str | None:
        is_ticked = self._ticked(self.base_sha, pull.gap_id)
        return "the gap's line is ticked in the base" if is_ticked else None

    def _by_trailer(self, pull: Pull, since: str) -> str | None:
        for commit in self._new(since):
            if names_cycle(commit.body, pull.cycle_id):
                return f"commit {commit.sha[:12]} of the base names its cycle"
        return None

    def _by_patch(self, pull: Pull, since: str) -> str | None:
        new = self._new(since)
        wanted = self._own_patch_id(pull) if new else ""
        if not wanted:
            return None
        for commit in islice(new, PATCHES_COMPARED):
            if self._patch_id(commit.sha) == wanted:
                return f"commit {commit.sha[:12]} of the base is the same change"
        return None

    def _own_patch_id(self, pull: Pull) -> str:
        try:
            return self._patch_id(f"refs/bot/edits/{pull.cycle_id}")
        except GitFailed:  # the ref may be gone; then there is nothing to compare
            return ""

    def _patch_id(self, commit: str) -> str:
        if commit not in self._patch_ids:
            self._patch_ids[commit] = self._history.patch_id(commit)
        return self._patch_ids[commit]

    def _new(self, since: str) -> tuple[BaseCommit, ...]:
        if since not in self._commits:
            found = self._history.commits_between(since, self.base_sha)
            self._commits[since] = tuple(found)
        return self._commits[since]


def names_cycle(message: str, cycle_id: str) -> bool:
    """Say whether a commit message carries the trailer of this cycle.

    Only a last paragraph that holds nothing but trailers counts, never the subject or
    prose that quotes one.
    """
    text = message.replace("\r\n", "\n").strip()
    *before, last = _BLANK_LINE.split(text)
    lines = last.splitlines()
    if not before or not all(_TRAILER.fullmatch(line) for line in lines):
        return False
    return f"Bot-Cycle: {cycle_id}" in _stripped(lines)


def _stripped(lines: Iterable[str]) -> Iterator[str]:
    return (line.rstrip() for line in lines)
