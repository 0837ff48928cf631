"""The git program."""

from collections.abc import Iterator, Mapping

from bot.report.doctor.finding import Finding, fail, ok
from bot.workspace.git import OLDEST_GIT, Git, git_version
from bot.workspace.gitconfig import GitEnv


def program(env: Mapping[str, str]) -> Iterator[Finding]:
    """Look whether git is there and new enough.

    Raises:
        Misconfigured: There is no git program.
    """
    own = {name: env[name] for name in ("PATH", "HOME") if name in env}
    plain = GitEnv(own={**own, "LC_ALL": "C.UTF-8"}, personal={})
    yield version(git_version(plain), Git(None, plain).text("version"))


def version(found: tuple[int, ...], said: str) -> Finding:
    """Judge a version of git."""
    if found >= OLDEST_GIT:
        return ok("git", said)
    oldest = ".".join(map(str, OLDEST_GIT))
    return fail("git", f"{said} is too old", f"install git {oldest} or newer")
