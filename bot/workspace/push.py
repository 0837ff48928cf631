"""Pushing the bot's branches: never by plain force, never anything else, read back."""

import hashlib
import re
from dataclasses import dataclass

from bot.errors import BotError, Deferred, PushRejected
from bot.workspace.diagnose import diagnose
from bot.workspace.fetch import remote_refs, remote_tip
from bot.workspace.git import Answer, Git, check_ref

_CLASH = re.compile(r"'[^'\n]*' exists; cannot create '[^'\n]*'")
_BUSY = re.compile(r"\.lock': File exists")
_HOOK_WORDS = 2000


class RefClash(PushRejected):
    """A branch on the remote is in the way of this name; `push_name` gives another."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where the bot's branches go.

    Attributes:
        git: The clone.
        remote: The repository that is pushed to.
        prefix: The first part of every name.
        base: The branch that is never pushed to, whatever the prefix.
    """

    git: Git
    remote: str
    prefix: str
    base: str


def push(target: Target, branch: str, sha: str, expected: str | None) -> None:
    """Let the branch name the commit, if it is still where it was seen."""
    _refuse_foreign(target, branch)
    _put(target, branch, sha, expected or "")


def advance(target: Target, sha: str, expected: str) -> None:
    """Let the base name a commit on top of where it was seen; only for a person's merge."""
    if target.git.code("merge-base", "--is-ancestor", expected, sha) != 0:
        raise PushRejected(
            f"refused to move {target.base} to {sha[:12]}, which is not on top of "
            f"{expected[:12]}"
        )
    _put(target, target.base, sha, expected)


def _put(target: Target, branch: str, sha: str, expected: str) -> None:
    answer = _send(target, branch, sha, expected)
    if answer.code != 0:
        raise _why(target, branch, answer)
    # A server may take a push and drop it, or another may have been quicker.
    tip = remote_tip(target.git, target.remote, branch)
    if tip != sha:
        raise PushRejected(
            f"the push of {sha[:12]} to {branch} was taken, "
            f"but the branch is at {tip and tip[:12]} now"
        )


def delete(target: Target, branch: str, expected: str) -> None:
    """Delete the branch, if it is still where it was seen; gone is fine."""
    _refuse_foreign(target, branch)
    if remote_tip(target.git, target.remote, branch) is None:
        return
    answer = _send(target, branch, "", expected)
    if answer.code != 0:
        raise _why(target, branch, answer)


def push_name(target: Target, branch: str) -> str:
    """Return the branch, with four hex digits where another one is in its way."""
    parts = check_ref(branch).split("/")
    above = ["/".join(parts[:end]) for end in range(1, len(parts))]
    looked = [f"refs/heads/{name}" for name in above]
    there = remote_refs(target.git, target.remote, *looked, f"refs/heads/{branch}/*")
    for index, ref in enumerate(looked):
        if ref in there:
            return "/".join(
                [*parts[:index], _marked(parts[index]), *parts[index + 1 :]]
            )
    if any(ref.startswith(f"refs/heads/{branch}/") for ref in there):
        return _marked(branch)
    return branch


def _marked(name: str) -> str:
    """Return the name with digits that are the same each time, so it is found again."""
    return f"{name}-{hashlib.sha256(name.encode()).hexdigest()[:4]}"


def _refuse_foreign(target: Target, branch: str) -> None:
    check_ref(branch)
    parts = target.prefix.split("/")
    allowed = [target.prefix] + [
        "/".join([*parts[:index], _marked(part), *parts[index + 1 :]])
        for index, part in enumerate(parts)
    ]
    is_ours = any(branch.startswith(f"{prefix}/") for prefix in allowed)
    if branch == target.base or not is_ours:
        raise PushRejected(
            f"refused to push to {branch!r}: the bot only ever writes to branches "
            f"under {target.prefix}/, and never to the base"
        )


def _send(target: Target, branch: str, sha: str, expected: str) -> Answer:
    ref = f"refs/heads/{branch}"
    return target.git.call(
        "push",
        "--quiet",
        "--porcelain",
        "--no-verify",
        "--no-follow-tags",
        "--no-recurse-submodules",
        f"--force-with-lease={ref}:{expected}",
        "--",
        target.remote,
        f"{sha}:{ref}",
    )


def _why(target: Target, branch: str, answer: Answer) -> BotError:
    verdict = next(
        (
            line.rpartition("\t")[2]
            for line in answer.stdout.decode("utf-8", "replace").splitlines()
            if line.startswith("!\t")
        ),
        None,
    )
    if verdict is None:
        return diagnose(("push", branch), answer.code, answer.stderr)
    words = _words(answer.stderr)
    if _CLASH.search(words):
        return RefClash(f"{branch} can't be made on the remote: {words}")
    if _BUSY.search(words):
        return Deferred(f"the remote is busy with {branch}: {words}")
    if "stale info" in verdict or "fetch first" in verdict:
        return PushRejected(
            f"{branch} is not where it was seen: {_whose(target, branch)}; "
            "it is left alone"
        )
    said = f": {words}" if words else ""
    return PushRejected(f"the remote refused {branch}, {verdict}{said}")


def _words(stderr: str) -> str:
    lines = (line.removeprefix("remote:").strip() for line in stderr.splitlines())
    own = (
        line for line in lines if line and not line.startswith("error: failed to push")
    )
    return " / ".join(own)[:_HOOK_WORDS]


def _whose(target: Target, branch: str) -> str:
    try:
        tip = remote_tip(target.git, target.remote, branch)
        if tip is None:
            return "it was deleted there"
        arguments = (
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
        )
        target.git.run("fetch", *arguments, "--", target.remote, f"refs/heads/{branch}")
        by = target.git.text("show", "-s", "--format=%an <%ae>, committed by %cn", tip)
    except BotError as error:
        return f"who moved it can't be told ({error})"
    return f"it holds {tip[:12]} by {by}"
