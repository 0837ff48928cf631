"""Running git commands: one environment, bounded time, errors that mean something."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from bot.errors import Deferred, Misconfigured
from bot.workspace.diagnose import NETWORK_COMMANDS, diagnose, without_credentials
from bot.workspace.door import Answer, execute
from bot.workspace.gitconfig import GitEnv

__all__ = ["Answer", "Git", "GitEnv", "check_ref", "git_version"]

LOCAL_TIMEOUT_S = 600.0
NETWORK_TIMEOUT_S = 1800.0
OLDEST_GIT = (2, 38)

_FORBIDDEN_IN_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)")


class Git:
    """Git commands on one repository.

    Args:
        git_dir: The repository; None lets git find the one around `work_tree`.
        env: The environments that `GitEnv.make` prepared.
        work_tree: The folder that commands run in; with `git_dir` it is the working
            tree, whatever a `.git` inside it says.
        personal: Whether the whole configuration of the person counts; only for reading
            a person's checkout.

    Attributes:
        folder: Where commands run.
    """

    def __init__(
        self,
        git_dir: Path | None,
        env: GitEnv,
        work_tree: Path | None = None,
        *,
        personal: bool = False,
    ) -> None:
        self.git_dir = git_dir
        self.work_tree = work_tree
        self.env = env
        self.folder = work_tree or git_dir or Path("/")
        self._variables = dict(env.personal if personal else env.own)
        if git_dir is not None:
            self._variables["GIT_DIR"] = str(git_dir)
        if git_dir is not None and work_tree is not None:
            self._variables["GIT_WORK_TREE"] = str(work_tree)

    def run(
        self,
        *args: str,
        input: bytes | None = None,  # noqa: A002 - the name that Popen gives it
        timeout: float | None = None,
        ok: Collection[int] = (0,),
        env: Mapping[str, str] | None = None,
    ) -> bytes:
        """Run `git args...` and return what it wrote.

        Args:
            args: The command and its arguments.
            input: What it reads on standard input; nothing when None.
            timeout: Seconds; 600 without, 1800 for commands that talk to a remote.
            ok: The exit statuses that are no failure.
            env: More variables for this one command.

        Raises:
            GitFailed: Any other exit status that has no better name.
            Deferred: Out of time, a remote out of reach, a lock held by another program.
            Misconfigured: A remote that refuses or doesn't exist; no git program.
            DataFolderUnusable: No room left.
        """
        answer = self.call(*args, input=input, timeout=timeout, env=env)
        self.check(args, answer, ok)
        return answer.stdout

    @staticmethod
    def check(args: Sequence[str], answer: Answer, ok: Collection[int] = (0,)) -> None:
        """Raise what `run` would for the way that `git args...` ended."""
        if answer.code not in ok:
            raise diagnose(args, answer.code, answer.stderr)

    def text(
        self,
        *args: str,
        input: bytes | None = None,  # noqa: A002 - the name that Popen gives it
        timeout: float | None = None,
        env: Mapping[str, str] | None = None,
    ) -> str:
        """Run as `run` does and return the output as text without white space around."""
        out = self.run(*args, input=input, timeout=timeout, env=env)
        return out.decode("utf-8", "surrogateescape").strip()

    def code(self, *args: str, timeout: float | None = None) -> int:
        """Run `git args...` and return its exit status, whatever that is."""
        return self.call(*args, timeout=timeout).code

    def call(
        self,
        *args: str,
        input: bytes | None = None,  # noqa: A002 - the name that Popen gives it
        timeout: float | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Answer:
        """Run `git args...` and return how it ended; only running out of time raises."""
        limit = timeout or _time_limit(args)
        answer = execute(
            ("-C", str(self.folder), *args),
            env={**self._variables, **(env or {})},
            stdin=input,
            timeout_s=limit,
        )
        if answer.timed_out:
            shown = without_credentials(" ".join(args))
            raise Deferred(f"git {shown} was stopped after {limit:g} seconds")
        return answer


def check_ref(name: str) -> str:
    """Return the branch name (without `refs/heads/`) when git can hold it.

    Raises:
        Misconfigured: It is no branch name, or it could be read as an option.
    """
    is_odd = name in {"", "@", "HEAD"} or name.startswith(("-", "/", "."))
    if is_odd or name.endswith(("/", ".")) or _FORBIDDEN_IN_REF.search(name):
        raise Misconfigured(f"{name!r} can't be the name of a branch")
    return name


def git_version(env: GitEnv) -> tuple[int, ...]:
    """Return the version of the git program."""
    said = Git(None, env).text("version")
    found = re.search(r"\d+(?:\.\d+)+", said)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def _time_limit(args: tuple[str, ...]) -> float:
    return NETWORK_TIMEOUT_S if args[0] in NETWORK_COMMANDS else LOCAL_TIMEOUT_S
