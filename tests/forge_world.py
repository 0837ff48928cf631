"""Both sides of a forge: the bot's, and the one where people merge and delete."""

import os
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Protocol

from bot.domain.pull import Pull, PullDraft
from bot.forge.local import LocalForge
from bot.forge.protocol import Forge
from bot.store.index import Index
from bot.testing import FakeForge
from bot.workspace.clone import Clone
from bot.workspace.git import Git
from bot.workspace.gitconfig import GitEnv

MORNING = datetime(2026, 11, 30, 8, 20, tzinfo=UTC)


class World(Protocol):
    """A forge, and what happens on its other side."""

    forge: Forge
    now: datetime

    def pushed(self, gap_id: str, cycle_id: str = "cycle-1") -> PullDraft:
        """Push a commit for a gap and return the draft of its pull request."""

    def person_merges(self, pull: Pull) -> None:
        """Merge on the other side."""

    def person_deletes_branch(self, pull: Pull) -> None:
        """Delete the branch on the other side."""

    def base(self) -> str:
        """Fetch the base."""


class FakeWorld:
    """The fake; its person is part of it."""

    def __init__(self) -> None:
        self.now = MORNING
        self.forge = FakeForge(clock=lambda: self.now)
        self.person_merges = lambda pull: self.forge.person_merges(pull.number)
        self.person_deletes_branch = lambda pull: self.forge.person_deletes_branch(
            pull.number
        )

    def pushed(self, gap_id: str, cycle_id: str = "cycle-1") -> PullDraft:
        return draft(gap_id, cycle_id, f"bot/{gap_id}", f"{gap_id}-{cycle_id}", "base")

    def base(self) -> str:
        return "base"


class LocalWorld:
    """The local forge on a real clone of a real repository, with a real index."""

    def __init__(self, folder: Path) -> None:
        self.now = MORNING
        self.folder = folder
        env = GitEnv.make(folder, os.environ)
        self.remote = folder / "remote"
        Git(None, env).run("init", "-q", "-b", "main", str(self.remote))
        self.there = Git(self.remote / ".git", env, self.remote)
        self.there.run("config", "user.name", "A Person")
        self.there.run("config", "user.email", "person@example.org")
        self.commit({"PRD.md": "- [ ] one\n"}, "Start")
        source = SimpleNamespace(
            name="repo", path=str(self.remote), is_url=False, base="main", prefix="bot"
        )
        self.clone = Clone.open(source, folder / "repo", env)
        self.index = Index(folder / "bot.sqlite3")
        self.ticked: set[str] = set()
        self.forge = self.opened()

    def opened(self) -> LocalForge:
        """Return the forge as another process opens it."""
        return LocalForge(
            folder=self.folder / "repo" / "pulls",
            repo="repo",
            rows=self.index,
            history=self.clone,
            ticked=lambda _base, gap_id: gap_id in self.ticked,
            clock=lambda: self.now,
        )

    def commit(self, files: dict[str, str], message: str) -> str:
        """Commit on the branch that the person has checked out."""
        for name, text in files.items():
            (self.remote / name).write_text(text)
        self.there.run("add", "-A")
        self.there.run("commit", "-q", "-m", message)
        return self.there.text("rev-parse", "HEAD")

    def pushed(self, gap_id: str, cycle_id: str = "cycle-1") -> PullDraft:
        base = self.base()
        branch = f"bot/{gap_id}"
        message = f"Close\n\nWhy.\n\nBot-Gap: {gap_id}\nBot-Cycle: {cycle_id}"
        self.there.run("checkout", "-q", "-B", branch, "main")
        edits = self.commit({f"{gap_id}.txt": f"{cycle_id}\n"}, "edits only")
        self.there.run("fetch", "-q", str(self.remote), branch)
        self.there.run("reset", "-q", "--soft", "main")
        ticked = {f"{gap_id}.txt": f"{cycle_id}\n", "PRD.md": "- [x] one\n"}
        sha = self.commit(ticked, message)
        self.there.run("checkout", "-q", "main")
        for commit in (edits, sha):
            self.clone.git.run("fetch", "-q", str(self.remote), commit)
        self.clone.keep(f"refs/bot/edits/{cycle_id}", edits)
        return draft(gap_id, cycle_id, branch, sha, base)

    def person_merges(self, pull: Pull) -> None:
        self.there.run("merge", "-q", "--no-ff", "-m", "Merge", pull.branch)

    def person_deletes_branch(self, pull: Pull) -> None:
        self.there.run("branch", "-q", "-D", pull.branch)

    def base(self) -> str:
        return self.clone.fetch_base().sha


def draft(
    gap_id: str, cycle_id: str, branch: str, head_sha: str, base_sha: str
) -> PullDraft:
    """Return a draft."""
    return PullDraft(
        gap_id=gap_id,
        cycle_id=cycle_id,
        branch=branch,
        head_sha=head_sha,
        base="main",
        base_sha=base_sha,
        title="bot: close it",
        body="Body",
        patch=b"patch",
        labels=("bot",),
    )
