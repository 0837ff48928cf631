"""What the bot was at: paused, waiting, interrupted, or ended so that a person must act."""

import shlex
from collections.abc import Iterator

from bot.cycle.limits import day_start
from bot.cycle.pause import find_pause, pause_files
from bot.domain.outcome import Outcome
from bot.domain.pull import PullState
from bot.report.doctor.finding import Finding, ok, warn
from bot.report.doctor.subject import Subject
from bot.workspace.locks import is_in_use

_FOR_A_PERSON = {
    Outcome.MISCONFIGURED: "the other lines here may say why",
    Outcome.BASELINE_FAILED: "bot check --repo {repo}",
    Outcome.PR_FAILED: "bot show {cycle}",
    Outcome.CRASHED: "report it with the output of `bot show {cycle}`",
}
_LOCKS = ("*.lock", "worktrees/*/*.lock")


def pauses(subject: Subject) -> Iterator[Finding]:
    """Look for pause files that hold."""
    rooms = subject.rooms
    files = pause_files(rooms.settings.data_dir, rooms.folder, rooms.checkout)
    held = [p for file in files if (p := find_pause([file], rooms.clock()))]
    for pause in held:
        yield warn("pause", str(pause), _command("bot resume --repo {repo}", subject))
    if not held:
        yield ok("pause", "not paused")


def limits(subject: Subject) -> Iterator[Finding]:
    """Look at the limits on pull requests, and at what is left of them."""
    rooms = subject.rooms
    limit = rooms.settings.limits_of(rooms.repo)
    if not limit.max_open_prs or not limit.prs_per_day:
        detail = "max_open_prs or prs_per_day is 0, so no pull request is ever opened"
        yield warn("limits", detail, "raise it, or pause the repository instead")
        return
    name, index = rooms.repo.name, rooms.index
    today = day_start(rooms.clock(), rooms.settings.zone)
    is_open = len(index.pulls(name, PullState.OPEN)) if subject.has_index else 0
    opened = len(index.pulls(name, since=today)) if subject.has_index else 0
    yield ok(
        "limits",
        f"{is_open} of {limit.max_open_prs} pull requests open, "
        f"{opened} of {limit.prs_per_day} opened today",
    )


def budget(subject: Subject) -> Iterator[Finding]:
    """Look at the money that is left, where anything costs money."""
    rooms = subject.rooms
    if not rooms.can_spend():
        yield ok("budget", "recipes ask no model and cost nothing")
        return
    left = rooms.ledger.left(rooms.caps(), rooms.repo.name)
    if left.used_up:
        yield warn("budget", left.used_up, "wait, or raise it under [budget]")
    else:
        yield ok("budget", "money is left")


def waiting(subject: Subject) -> Iterator[Finding]:
    """Look at finished commits that no pull request carries yet."""
    unpublished = subject.rooms.unpublished
    commits = unpublished.all()
    refused = [commit for commit in commits if commit.refused]
    for commit in refused:
        detail = f"the finished commit for {commit.gap.id} can't be published: {commit.refused}"
        again = f"bot cycle --repo {{repo}} --gap {commit.gap.id}"
        yield warn("finished", detail, _command(again, subject))
    for path in unpublished.unreadable():
        detail = f"a finished commit can't be read: {path}"
        yield warn("finished", detail, "a newer gapwright may have written it")
    others = len(commits) - len(refused)
    if others:
        yield ok("finished", f"{others} finished commits wait for the next cycle")


def last_cycle(subject: Subject) -> Iterator[Finding]:
    """Look how the last cycle ended."""
    last = None
    if subject.has_index:
        last = subject.rooms.index.last_cycle(subject.repo.name)
    if last is None:
        yield ok("last cycle", "none yet", _command("bot cycle --repo {repo}", subject))
        return
    detail = f"{last.cycle_id} ended as {last.outcome}: {last.reason}"
    advice = _FOR_A_PERSON.get(last.outcome)
    if advice is None:
        yield ok("last cycle", detail)
    else:
        advice = _command(advice.replace("{cycle}", last.cycle_id), subject)
        yield warn("last cycle", detail, advice)


def locks(subject: Subject) -> Iterator[Finding]:
    """Look for git locks that a kill left behind in the bot's own clone."""
    clone = subject.rooms.folder / "clone.git"
    left = sorted(lock for place in _LOCKS for lock in clone.glob(place))
    if left and not is_in_use(clone):
        detail = f"a killed git left {left[0]}"
        yield warn("locks", detail, "the next cycle that it stops removes it")


def _command(text: str, subject: Subject) -> str:
    return text.replace("{repo}", shlex.quote(subject.repo.name))
