"""Ends everything in a job's process namespace, and knows how bubblewrap ended."""

import json
import os
import select
import signal
from contextlib import suppress
from dataclasses import dataclass, field

from bot.errors import SandboxUnavailable
from bot.sandbox.proc import children

_GONE_S = 10.0
_STATUS_BYTES = 64 * 1024


@dataclass(slots=True)
class NamespaceLeash:
    """Kills bubblewrap and, with the first process of its namespace, everything in it.

    Attributes:
        status_fd: Reading end of bubblewrap's `--json-status-fd`; not blocking.
        status: What bubblewrap told there.
    """

    status_fd: int
    status: dict[str, int] = field(default_factory=dict)

    def kill(self, pid: int) -> None:
        """Kill bubblewrap and its children; the kernel takes what is below them."""
        for victim in (*children(pid), pid):
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)

    def sweep(self, pid: int) -> None:
        """Wait until the namespace is empty.

        Raises:
            SandboxUnavailable: Something in it can't be ended (it hangs in the kernel).
        """
        del pid
        self._read_status()
        first = self.status.get("child-pid")
        if first is not None and not _ended(first):
            raise SandboxUnavailable(
                f"Process {first} of a finished job can't be ended; it hangs in the "
                "kernel, as on a dead network disk. Nothing more is run beside it."
            )

    @property
    def exit_code(self) -> int | None:
        """The command's exit status; None when bubblewrap never came to run it."""
        return self.status.get("exit-code")

    def _read_status(self) -> None:
        with suppress(BlockingIOError):
            for line in os.read(self.status_fd, _STATUS_BYTES).splitlines():
                told = json.loads(line)
                self.status |= {k: v for k, v in told.items() if isinstance(v, int)}


def _ended(pid: int) -> bool:
    """Kill the first process of a namespace; the kernel ends all others before it."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        return bool(select.select([pidfd], [], [], _GONE_S)[0])
    finally:
        os.close(pidfd)
        # Where the bot is process 1 of a container, orphans are its to reap.
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
