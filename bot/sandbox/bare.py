"""Jobs without confinement, only where the config says `kind = "none"`.

Time, output and the kernel's limits are bounded as in the sandbox; network, files and
everything else of the user who runs it are open to the job.
"""

import os
import signal
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from bot.errors import SandboxUnavailable
from bot.sandbox.chain import chain
from bot.sandbox.job import SHELL, Ended, Finished, Job, never
from bot.sandbox.limits import Watch
from bot.sandbox.owner import Owner
from bot.sandbox.proc import with_cookie
from bot.sandbox.process import Bounds, run_process
from bot.sandbox.staging import is_reachable
from bot.settings.model import SandboxSettings

_COOKIE = "GAPWRIGHT_JOB"
_GONE_S = 10.0
_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"


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
        mark = f"{_COOKIE}={self.cookie}".encode()
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

        Binds are not made, and the network is always there.

        Raises:
            SandboxUnavailable: The job's user can't reach the tree.
        """
        tree = job.tree.resolve()
        if not is_reachable(tree, self._owner):
            raise SandboxUnavailable(
                f"The jobs' user can't reach {tree}. Put the data folder where "
                "everyone may walk to, or run the bot as a user of its own."
            )
        cookie = uuid.uuid4().hex
        found = run_process(
            (
                *chain(self._settings, self._owner),
                "sh",
                "-c",
                SHELL,
                job.cwd,
                job.command,
            ),
            env=self._env(job) | {_COOKIE: cookie},
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

    def _env(self, job: Job) -> dict[str, str]:
        tools = [
            str(t / "bin" if (t / "bin").is_dir() else t) for t in self._settings.tools
        ]
        return {
            "PATH": ":".join((*tools, _PATH)),
            "HOME": os.environ.get("HOME", "/"),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "dumb",
            "CI": "true",
            **job.env,
        }
