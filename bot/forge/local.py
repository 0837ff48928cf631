"""The local forge: pull requests are files under the data folder.

The files are the truth; the rows of the index only save reading them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from bot.domain.pull import Pull, PullDraft, PullState
from bot.errors import BotError, PushRejected
from bot.forge.drafts import CLOSED_BY, newest, number_of, opened, updated
from bot.forge.looked import Looked
from bot.forge.merged import LOOKUP_FAILED, History, MergeLook, Ticked
from bot.forge.protocol import Closer
from bot.forge.pullfolder import PullFolder
from bot.store.jsonfile import UnreadableError


class PullRows(Protocol):
    """What is asked of the index."""

    def put_pull(self, repo: str, pull: Pull, /) -> None:
        """Insert or replace the row of a pull request."""
        ...

    def pulls(
        self,
        repo: str | None = None,
        state: PullState | None = None,
        since: datetime | None = None,
        /,
    ) -> tuple[Pull, ...]:
        """Return rows, those created at or after `since`."""
        ...

    def pull_of_gap(self, repo: str, gap_id: str, /) -> Pull | None:
        """Return the newest row of a gap."""
        ...


class LocalForge:
    """Pull requests of one repository, kept in a folder.

    One process at a time opens them (the repository lock); numbers are safe without it.

    Args:
        folder: `<data>/<repo>/pulls`, absolute.
        repo: The repository's name in the index.
        rows: The index.
        history: Looks at git.
        ticked: Says whether a gap's line is ticked in a base.
        clock: Returns the present moment, aware.
    """

    def __init__(
        self,
        folder: Path,
        repo: str,
        rows: PullRows,
        history: History,
        ticked: Ticked,
        clock: Callable[[], datetime],
    ) -> None:
        self._files = PullFolder(folder)
        self._repo = repo
        self._rows = rows
        self._history = history
        self._ticked = ticked
        self._clock = clock
        self._looked = Looked(folder / "looked.json")

    def find(self, gap_id: str, cycle_id: str | None = None) -> Pull | None:
        """Return the newest pull request with this marker, in any state."""
        self._adopt()
        last = self._rows.pull_of_gap(self._repo, gap_id)
        if last is None or cycle_id in {None, last.cycle_id}:
            return last and self._as_filed(last)
        return newest(
            pull
            for pull in self._rows.pulls(self._repo)
            if (pull.gap_id, pull.cycle_id) == (gap_id, cycle_id)
        )

    def open(self, draft: PullDraft) -> Pull:
        """Find or create: a gap never gets a second open pull request.

        Raises:
            PushRejected: The branch holds a commit by someone else.
            DataFolderUnusable: The files can't be written.
        """
        known = self.find(draft.gap_id, draft.cycle_id) or self._open_of(draft.gap_id)
        if known is None:
            return self._create(draft)
        if known.state is not PullState.OPEN or known.branch != draft.branch:
            return known
        return self._update(known, draft)

    def listing(self, state: PullState | None = None) -> tuple[Pull, ...]:
        """Return the pull requests by number."""
        return tuple(sorted(self._rows.pulls(self._repo, state), key=number_of))

    def opened_since(self, moment: datetime) -> int:
        """Count the pull requests opened at or after the moment."""
        return len(self._rows.pulls(self._repo, None, moment))

    def close(self, number: int, by: Closer, comment: str) -> Pull:
        """Close an open pull request; one that has ended stays as it is.

        Raises:
            BotError: There is no such pull request.
        """
        pull = self._get(number)
        if pull.state is not PullState.OPEN:
            return pull
        return self._end(pull, CLOSED_BY[by], comment)

    def set_merged(self, number: int, sha: str) -> Pull:
        """Note that a pull request was merged as this commit.

        Raises:
            BotError: There is no such pull request.
        """
        pull = self._get(number)
        if pull.state is PullState.MERGED:
            return pull
        return self._end(pull, PullState.MERGED, f"merged as {sha}")

    def refresh(self, base_sha: str) -> tuple[Pull, ...]:
        """Look which open pull requests have ended, and return those.

        Where the base is the one looked at before, only the branches are looked at.
        """
        look = MergeLook(self._history, self._ticked, base_sha)
        rows = self.listing(PullState.OPEN)
        tips = self._tips(rows)
        pulls = [self._look_at(row, look, tips) for row in rows]
        still_open = {p.number for p in pulls if p.state is PullState.OPEN}
        self._looked.save(still_open)
        return tuple(p for p in pulls if p.state is not PullState.OPEN)

    def _tips(self, pulls: Sequence[Pull]) -> Mapping[str, str] | None:
        """Return where their branches and bases stand, in one look; None if it failed."""
        branches = {pull.branch for pull in pulls} | {pull.base for pull in pulls}
        try:
            return self._history.remote_tips(sorted(branches)) if branches else {}
        except LOOKUP_FAILED:
            return None

    def _look_at(
        self, row: Pull, look: MergeLook, tips: Mapping[str, str] | None
    ) -> Pull:
        pull = self._as_filed(row)
        if pull.state is not PullState.OPEN:  # a kill came between the file and its row
            self._rows.put_pull(self._repo, pull)
            return pull
        seen = self._looked.at(pull.number)
        if seen != look.base_sha:
            verdict = look.verdict(pull, seen or pull.base_sha)
            if verdict.how:
                return self._end(pull, PullState.MERGED, verdict.how)
            self._looked.set(pull.number, look.base_sha if verdict.sure else None)
            if not verdict.sure:
                return pull
        # Gone, while the base is where it was looked for: nothing was proven otherwise.
        if tips and pull.branch not in tips and tips.get(pull.base) == look.base_sha:
            comment = f"its branch {pull.branch} was deleted without a merge"
            return self._end(pull, PullState.CLOSED_BY_PERSON, comment)
        return pull

    def _open_of(self, gap_id: str) -> Pull | None:
        rows = self._rows.pulls(self._repo, PullState.OPEN)
        pulls = (self._as_filed(row) for row in rows if row.gap_id == gap_id)
        return newest(pull for pull in pulls if pull.state is PullState.OPEN)

    def _create(self, draft: PullDraft) -> Pull:
        number = self._files.claim(after=self._highest())
        url = self._files.url(number)
        return self._write(opened(draft, number, url, self._now()), draft)

    def _update(self, known: Pull, draft: PullDraft) -> Pull:
        if known.head_sha == draft.head_sha:
            return known
        tip = self._history.remote_tip(known.branch)
        if tip not in {None, known.head_sha, draft.head_sha}:
            raise PushRejected(
                f"pull request {known.number} was left alone: its branch {known.branch} "
                f"stands at {tip}, which the bot did not push; merge or close it"
            )
        return self._write(updated(known, draft), draft)

    def _end(self, pull: Pull, state: PullState, comment: str) -> Pull:
        ended = replace(pull, state=state, ended_at=self._now())
        self._files.end(ended, comment)
        self._rows.put_pull(self._repo, ended)
        return ended

    def _write(self, pull: Pull, draft: PullDraft) -> Pull:
        self._files.write(pull, draft.body, draft.patch)
        self._rows.put_pull(self._repo, pull)
        return pull

    def _now(self) -> datetime:
        """Return the moment as precise as files keep it."""
        moment = self._clock()
        return moment.replace(microsecond=moment.microsecond // 1000 * 1000)

    def _adopt(self) -> None:
        """Give files their rows that a kill kept from them."""
        for pull in self._files.above(self._highest()):
            self._rows.put_pull(self._repo, pull)

    def _highest(self) -> int:
        return max(map(number_of, self._rows.pulls(self._repo)), default=0)

    def _as_filed(self, row: Pull) -> Pull:
        try:
            return self._files.read(row.number)
        except UnreadableError:  # a look-up that failed proves nothing
            return row

    def _get(self, number: int) -> Pull:
        for row in self._rows.pulls(self._repo):
            if row.number == number:
                return self._as_filed(row)
        raise BotError(
            f"repository {self._repo!r} has no pull request {number}; "
            "`bot pulls list` shows those there are"
        )
