"""Jobs without confinement, only where the config says `kind = "none"`.

Time, output and the kernel's limits are bounded as in the sandbox; network, files and
everything else of the user who runs it are open to the job.
"""

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bot.errors import SandboxUnavailable
from bot.sandbox.chain import chain
from bot.sandbox.host import PATH
from bot.sandbox.job import HOME, SHELL, Bind, Ended, Finished, Job, never
from bot.sandbox.leftovers import MARK, mark_of
from bot.sandbox.limits import Watch
from bot.sandbox.mountpoints import fits, missing, open_up, place_of, remove_empty
from bot.sandbox.owner import Owner
from bot.sandbox.proc import with_cookie
from bot.sandbox.process import Bounds, run_process
from bot.sandbox.staging import is_reachable
from bot.sandbox.terminal import ON_TERMINAL, interactive, on_terminal
from bot.sandbox.tools import find_tools
from bot.settings.model import SandboxSettings

_GONE_S = 10.0


@dataclass(frozen=True, slots=True)
class CookieLeash:
    """Kills a process group, and what left it by the mark in its environment."""

    cookie: str

    def kill(self, pid: int) -> None:
        """Kill the process and its group."""
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)

    def sweep(self, pid: int) -> None:
        """Kill until nothing with the mark is left.

        Raises:
            SandboxUnavailable: Something can't be ended.
        """
        self.kill(pid)
        mark = f"{MARK}={self.cookie}".encode()
        until = time.monotonic() + _GONE_S
        while left := with_cookie(mark):
            if time.monotonic() > until:
                raise SandboxUnavailable(
                    f"Processes {left} of a finished job can't be ended; end them by "
                    "hand. Nothing more is run beside them."
                )
            for survivor in left:
                with suppress(ProcessLookupError):
                    os.kill(survivor, signal.SIGKILL)
            time.sleep(0.005)


class NoSandbox:
    """Runs jobs with nothing but bounds on time, output and resources.

    Args:
        settings: Limits and tools.
        owner: Who runs the jobs; None is the bot's own user.
    """

    def __init__(self, settings: SandboxSettings, owner: Owner | None) -> None:
        self._settings = settings
        self._owner = owner

    def describe(self) -> str:
        """Return that nothing confines a job."""
        return "none, rlimits, sampled"

    def run(
        self,
        job: Job,
        on_output: Callable[[str], None] | None = None,
        cancel: Callable[[], bool] = never,
    ) -> Finished:
        """Run one job to its end; what it started is ended with it.

        Binds become links while the job runs, and the network is always there.

        Raises:
            SandboxUnavailable: The job's user can't reach the tree.
        """
        tree = self._reached(job.tree)
        cookie = mark_of(tree)
        with self._placed(tree, job, cookie) as env:
            found = run_process(
                (*chain(self._settings, self._owner), *_shell(job)),
                env=env,
                bounds=Bounds(
                    timeout_s=job.timeout_s,
                    silence_s=job.silence_s,
                    cancel=cancel,
                    overrun=Watch(self._settings.memory, tree),
                ),
                leash=CookieLeash(cookie),
                on_output=on_output,
                cwd=str(tree),
            )
        return Finished(
            exit_code=found.code if found.ended is Ended.EXIT else None,
            ended=found.ended,
            duration_ms=found.duration_ms,
            output=found.output,
            sandbox=self.describe(),
        )

    def shell(self, job: Job) -> int:
        """Run a job on the person's terminal, without bounds on time and output.

        Returns:
            The exit status of its command; a negative one is a signal.

        Raises:
            SandboxUnavailable: The job's user can't reach the tree.
        """
        tree = self._reached(job.tree)
        cookie = mark_of(tree)
        with self._placed(tree, on_terminal(job), cookie) as env:
            return interactive(
                (*chain(self._settings, self._owner), *ON_TERMINAL, *_shell(job)),
                env=env,
                leash=CookieLeash(cookie),
                cwd=str(tree),
            )

    def _reached(self, tree: Path) -> Path:
        real = tree.resolve()
        open_up(real)
        if is_reachable(real, self._owner):
            return real
        raise SandboxUnavailable(
            f"The jobs' user can't reach {real}. Put the data folder where everyone "
            "may walk to, or run the bot as a user of its own."
        )

    @contextmanager
    def _placed(self, tree: Path, job: Job, cookie: str) -> Iterator[dict[str, str]]:
        """Put a job's home and links in their places; yield its environment."""
        with self._home(job) as home, _linked(tree, job, home):
            yield {**self._env(), "HOME": str(home), **job.env, MARK: cookie}

    @contextmanager
    def _home(self, job: Job) -> Iterator[Path]:
        """Give the job a home of its own, or the one that it binds."""
        for bind in job.binds:
            if bind.target == HOME:
                yield bind.source
                return
        with tempfile.TemporaryDirectory(
            prefix="gapwright-home-", ignore_cleanup_errors=True
        ) as folder:
            if self._owner:
                os.chown(folder, self._owner.uid, self._owner.gid)
            yield Path(folder)

    def _env(self) -> dict[str, str]:
        tools = find_tools(self._settings.tools).path
        return {
            "PATH": ":".join((*tools, PATH)),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "dumb",
            "CI": "true",
        }


def _shell(job: Job) -> tuple[str, ...]:
    return ("sh", "-c", SHELL, job.cwd, job.command)


@contextmanager
def _linked(tree: Path, job: Job, home: Path) -> Iterator[None]:
    """Put links where binds would lie, and take them away again.

    What a job writes through them stays; nothing but the sandbox can prevent that.
    """
    wanted = [bind for bind in job.binds if fits(tree, bind)]
    made = missing(tree, wanted)
    links: list[Path] = []
    try:
        for bind in wanted:
            place = place_of(tree, bind) or _in_home(home, bind)
            if place and not os.path.lexists(place):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(bind.source)
                links.append(place)
        yield
    finally:
        for link in links:
            if link.is_symlink():
                link.unlink()
        remove_empty(tree, made)


def _in_home(home: Path, bind: Bind) -> Path | None:
    target = PurePosixPath(bind.target)
    if target.is_relative_to(HOME) and str(target) != HOME:
        return home / target.relative_to(HOME)
    return None
