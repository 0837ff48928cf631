"""The branch that the bot works on and for, and what is in the way of its own."""

from collections.abc import Iterator
from pathlib import Path

from bot.report.doctor.finding import Finding, fail, ok, warn
from bot.report.doctor.subject import Subject, look_at_remote
from bot.workspace.checkout import base_is_checked_out
from bot.workspace.diagnose import without_credentials
from bot.workspace.fetch import tip_or_complain
from bot.workspace.git import Git


def base(subject: Subject) -> Iterator[Finding]:
    """Look whether the base is there.

    Raises:
        Misconfigured: It is not, or the remote refuses.
        Deferred: The remote is out of reach.
    """
    repo = subject.repo
    if not repo.is_url and subject.place is None:
        return  # told by the look at the path
    if not subject.may_look:
        yield _last_fetched(subject)
        return
    there = look_at_remote(subject)
    if repo.base is None:
        yield _by_default(there)
        return
    tip = there.get(f"refs/heads/{repo.base}")
    if tip is None:
        tip = tip_or_complain(Git(None, subject.git_env()), repo.path, repo.base)
    yield ok("base", f"{repo.base} is at {tip[:12]}")


def _last_fetched(subject: Subject) -> Finding:
    where = subject.repo.base or "the default branch"
    if subject.base is None:
        return ok("base", f"{where}, never fetched yet", "bot gaps --fetch")
    return ok("base", f"{where} was at {subject.base[1][:12]} when last fetched")


def _by_default(there: dict[str, str]) -> Finding:
    if "HEAD" in there:
        return ok("base", f"the remote's default branch, at {there['HEAD'][:12]}")
    return fail("base", "the remote has no default branch", "set `base`")


def branches(subject: Subject) -> Iterator[Finding]:
    """Look for a branch of somebody's that has the name of the bot's folder."""
    there = subject.remote
    if there is None:
        return
    repo = subject.repo
    own = {f"refs/heads/{repo.base}", "HEAD"}
    clashing = sorted(ref.removeprefix("refs/heads/") for ref in there.keys() - own)
    if clashing:
        yield warn(
            "branches",
            f"a branch is named {clashing[0]}, so those of the bot under "
            f"{repo.prefix}/ get a longer name",
            "rename it, or choose another `prefix`",
        )
    else:
        yield ok("branches", f"nothing is in the way of {repo.prefix}/")


def merging(subject: Subject) -> Iterator[Finding]:
    """Say how pull requests get merged here."""
    repo = subject.repo
    if subject.place is None or repo.base is None:
        return
    if base_is_checked_out(Path(repo.path), repo.base, subject.git_env()):
        detail = f"{repo.base} is checked out: merge there with git, as `bot pulls merge` says"
        yield ok("merging", detail)
    else:
        where = without_credentials(repo.path)
        yield ok("merging", f"`bot pulls merge` moves {repo.base} of {where}")
