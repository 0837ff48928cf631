"""A repository under examination: what several checks need, looked up once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bot.cycle.rooms import Rooms
from bot.errors import BotError
from bot.settings import RepoSettings
from bot.workspace.fetch import BASE_REF, read_ref
from bot.workspace.git import Git
from bot.workspace.gitconfig import GitEnv

LOOK_S = 10.0
"""Seconds that a look at a remote may take."""


@dataclass(frozen=True, slots=True)
class Place:
    """What git says of a local path.

    Attributes:
        git_dir: Where the repository itself lies.
        is_bare: Whether it has no working tree.
        is_shallow: Whether its history is cut off.
        inside: How far below the root of a working tree the path is; empty at it.
    """

    git_dir: Path
    is_bare: bool
    is_shallow: bool
    inside: str


@dataclass(frozen=True)
class Subject:
    """One repository, its doors, and how far one may go.

    Attributes:
        rooms: What a cycle would work with; nothing of it is opened that writes.
        git_env: Makes the environments of git commands.
        has_index: Whether the index may be asked.
        online: Whether a remote by URL may be looked at.
    """

    rooms: Rooms
    git_env: Callable[[], GitEnv]
    has_index: bool
    online: bool

    @property
    def repo(self) -> RepoSettings:
        """Its settings."""
        return self.rooms.repo

    @property
    def may_look(self) -> bool:
        """Whether the remote may be looked at now."""
        return self.online or not self.repo.is_url

    @cached_property
    def place(self) -> Place | None:
        """What git says of its path; None for a URL or where it can't be told."""
        try:
            return None if self.repo.is_url else find_place(self)
        except BotError:
            return None

    @cached_property
    def remote(self) -> dict[str, str] | None:
        """Branches of the remote that matter, by ref; None where it can't be told."""
        try:
            return look_at_remote(self) if self.may_look else None
        except BotError:
            return None

    @cached_property
    def base(self) -> tuple[Git, str] | None:
        """Where the base can be read without fetching, and its commit."""
        try:
            return self._base()
        except BotError:
            return None

    def _base(self) -> tuple[Git, str] | None:
        if self.repo.is_url:
            clone = self.rooms.folder / "clone.git"
            if not (clone / "HEAD").is_file():
                return None
            git, ref = Git(clone, self.git_env()), BASE_REF
        elif self.place is not None and self.repo.base:
            git = Git(self.place.git_dir, self.git_env())
            ref = f"refs/heads/{self.repo.base}"
        else:
            return None
        sha = read_ref(git, ref)
        return (git, sha) if sha else None


def find_place(subject: Subject) -> Place:
    """Return what git says of a local path.

    Raises:
        GitFailed: It is no repository.
    """
    git = Git(None, subject.git_env(), Path(subject.repo.path))
    asked = ("--is-bare-repository", "--is-shallow-repository", "--absolute-git-dir")
    bare, shallow, folder = git.text("rev-parse", *asked).split("\n", 2)
    inside = "" if bare == "true" else git.text("rev-parse", "--show-prefix")
    return Place(Path(folder), bare == "true", shallow == "true", inside)


def look_at_remote(subject: Subject) -> dict[str, str]:
    """Return the remote's base and the branches that could be in the bot's way.

    Raises:
        Misconfigured: It is no repository, or refuses.
        Deferred: It is out of reach.
    """
    repo = subject.repo
    parts = repo.prefix.split("/")
    above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    names = [*above, repo.base] if repo.base else above
    wanted = ["HEAD", *(f"refs/heads/{name}" for name in names)]
    out = Git(None, subject.git_env()).text(
        "ls-remote", "--quiet", "--", repo.path, *wanted, timeout=LOOK_S
    )
    pairs = (line.split("\t", 1) for line in out.splitlines() if "\t" in line)
    # Git matches the ends of names, so also `refs/remotes/origin/HEAD` of a checkout.
    return {ref: sha for sha, ref in pairs if ref in wanted}
