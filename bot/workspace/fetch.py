"""Looking at the remote's base and fetching it."""

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from bot.errors import Misconfigured
from bot.workspace.diagnose import without_credentials
from bot.workspace.git import Git, check_ref

BASE_REF = "refs/bot/base"
LOOK_TIMEOUT_S = 60.0

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHOWN_BRANCHES = 10


@dataclass(frozen=True, slots=True)
class BaseState:
    """The base as just fetched.

    Attributes:
        sha: Its commit.
        moved: Whether it differs from the time before.
        branch: Its name, without `refs/heads/`.
    """

    sha: str
    moved: bool
    branch: str


class _Source(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def is_url(self) -> bool: ...


def fetch_base(git: Git, remote: str, branch: str) -> BaseState:
    """Fetch the base into `refs/bot/base`, only when the remote's is another."""
    before = read_ref(git, BASE_REF)
    tip = tip_or_complain(git, remote, branch)
    if tip == before:
        return BaseState(tip, moved=False, branch=branch)
    git.run(
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--no-recurse-submodules",
        "--update-shallow",  # a shallow repository may have moved its boundary
        "--force",
        "--",
        remote,
        f"+refs/heads/{branch}:{BASE_REF}",
    )
    # It may have moved again since the look.
    now = git.text("rev-parse", "--verify", BASE_REF)
    return BaseState(now, moved=now != before, branch=branch)


def remote_tip(git: Git, remote: str, branch: str) -> str | None:
    """Return where a branch stands on the remote; None when it is not there."""
    wanted = f"refs/heads/{check_ref(branch)}"
    return remote_refs(git, remote, wanted).get(wanted)


def remote_refs(git: Git, remote: str, *patterns: str) -> dict[str, str]:
    """Return the remote's refs that match, with their commits."""
    out = git.text(
        "ls-remote", "--quiet", "--", remote, *patterns, timeout=LOOK_TIMEOUT_S
    )
    # Not splitlines: a ref may be named with a line separator of Unicode.
    pairs = (line.split("\t", 1) for line in out.split("\n") if "\t" in line)
    return {name: sha for sha, name in pairs}


def tip_or_complain(git: Git, remote: str, branch: str) -> str:
    """Return where the base stands on the remote.

    Raises:
        Misconfigured: It isn't there; the message names the branches that are.
    """
    tip = remote_tip(git, remote, branch)
    if tip is not None:
        return tip
    heads = sorted(
        name.removeprefix("refs/heads/")
        for name in remote_refs(git, remote)
        if name.startswith("refs/heads/")
    )
    if not heads:
        raise Misconfigured(
            f"{without_credentials(remote)} has no commit on any branch yet: commit to {branch!r} first"
        )
    more = ", …" if len(heads) > _SHOWN_BRANCHES else ""
    names = ", ".join(heads[:_SHOWN_BRANCHES]) + more
    raise Misconfigured(
        f"{without_credentials(remote)} has no branch {branch!r}; set `base` to one of: {names}"
    )


def default_branch(git: Git, remote: str, source: _Source) -> str:
    """Return the branch that a URL's HEAD names.

    Raises:
        Misconfigured: It names none, or the remote is a local path: there HEAD is just
            what a person happens to work on.
    """
    if source.is_url:
        out = git.text(
            "ls-remote", "--symref", "--", remote, "HEAD", timeout=LOOK_TIMEOUT_S
        )
        found = re.search(r"^ref: refs/heads/(\S+)\tHEAD$", out, re.MULTILINE)
        if found:
            return check_ref(found[1])
    raise Misconfigured(
        f"repository {source.name!r} has no `base`: "
        "set it to the branch that the bot is to work on"
    )


def read_ref(git: Git, ref: str) -> str | None:
    """Return the commit that a ref of the clone names, mostly without a process."""
    with suppress(OSError, UnicodeDecodeError):
        text = (git.folder / ref).read_text("ascii").strip()
        if _SHA.fullmatch(text):
            return text
    answer = git.call("rev-parse", "--verify", "--quiet", ref)
    return answer.stdout.decode("ascii").strip() or None
