"""The one place that starts processes: bounded in time and output, ended for sure.

Time is the supervisor's own monotonic clock, and a program is over when its process
is, not when its output ends: a daemon that keeps the pipe open is no hang.
"""

import codecs
import contextlib
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.sandbox.job import Ended, never
from bot.sandbox.output import Output, plain

_CHUNK = 64 * 1024
_TICK_S = 0.1
_TICK_WITHOUT_PIDFD_S = 0.02
_DRAIN_S = 0.5


@dataclass(frozen=True, slots=True)
class Bounds:
    """When a process is ended from outside.

    Attributes:
        timeout_s: Wall time.
        silence_s: Time without output; None for no such limit.
        cancel: Asked ten times a second.
        overrun: Asked as often with the process id; names the limit that is broken.
    """

    timeout_s: float
    silence_s: float | None = None
    cancel: Callable[[], bool] = never
    overrun: Callable[[int], Ended | None] = lambda _pid: None


class Leash(Protocol):
    """How everything that a process started is ended."""

    def kill(self, pid: int) -> None:
        """Kill a process that still runs, and all below it."""
        ...

    def sweep(self, pid: int) -> None:
        """Leave nothing of a process that is dead but not yet waited for."""
        ...


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended; a negative code is the signal that killed it."""

    code: int
    ended: Ended
    duration_ms: int
    output: str


def run_process(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    bounds: Bounds,
    leash: Leash,
    on_output: Callable[[str], None] | None = None,
    pass_fds: Sequence[int] = (),
    cwd: str = "/",
) -> Exit:
    """Run a program to its end, whoever brings that about.

    Args:
        argv: The program and its arguments; no shell is put between.
        env: Its whole environment.
        bounds: When it is ended from outside.
        leash: How it is ended, and what is swept up after it.
        on_output: Called with plain text as it comes.
        pass_fds: Descriptors that it inherits beside its output.
        cwd: Its working directory.

    Raises:
        OSError: The program can't be started.
    """
    started = time.monotonic()
    read, write = os.pipe()
    try:
        child = start(argv, env=env, output=write, pass_fds=pass_fds, cwd=cwd)
    except BaseException:
        os.close(read)
        raise
    finally:
        os.close(write)
    os.set_blocking(read, False)
    stream = _Stream(read, on_output)
    try:
        ended = _supervise(child, stream, bounds, started)
    finally:
        end(child, leash)
        stream.drain()
        stream.close()
    took = time.monotonic() - started
    if ended is Ended.EXIT and child.returncode < 0:
        ended = Ended.KILLED
    return Exit(child.returncode, ended, int(took * 1000), stream.output.text())


def start(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    output: int,
    stdin: int = subprocess.DEVNULL,
    pass_fds: Sequence[int] = (),
    cwd: str = "/",
) -> "subprocess.Popen[bytes]":
    """Start a program in a session of its own, both output streams to one descriptor.

    Raises:
        OSError: It can't be started.
    """
    return subprocess.Popen(  # noqa: S603  # the callers build argv, no shell
        list(argv),
        stdin=stdin,
        stdout=output,
        stderr=output,
        cwd=cwd,
        env=dict(env),
        pass_fds=tuple(pass_fds),
        start_new_session=True,
        umask=0o022,
    )


class _Stream:
    """The reading end of the pipe that both output streams go to."""

    def __init__(self, fd: int, on_output: Callable[[str], None] | None) -> None:
        self.fd = fd
        self.output = Output()
        self.last_at = time.monotonic()
        self.is_open = True
        self._on_output = on_output
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self) -> bool:
        """Take what is there; False when that is nothing (for now or for ever)."""
        try:
            chunk = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self.is_open = False
            return False
        self.last_at = time.monotonic()
        self.output.add(chunk)
        if self._on_output:
            self._on_output(plain(self._decoder.decode(chunk)))
        return True

    def drain(self) -> None:
        """Take what a dead program left in the pipe, and no more than that."""
        self._on_output = None
        until = time.monotonic() + _DRAIN_S
        while self.read() and time.monotonic() < until:
            pass

    def close(self) -> None:
        os.close(self.fd)


def _supervise(
    child: "subprocess.Popen[bytes]", stream: _Stream, bounds: Bounds, started: float
) -> Ended:
    with _selector(child.pid, stream.fd) as (selector, tick_s):
        while True:
            ready = {key.fd for key, _ in selector.select(tick_s)}
            if stream.fd in ready and not stream.read() and not stream.is_open:
                selector.unregister(stream.fd)
            if is_dead(child.pid):
                return Ended.EXIT
            ended = _verdict(child.pid, stream, bounds, started)
            if ended:
                return ended


@contextlib.contextmanager
def _selector(pid: int, fd: int) -> Iterator[tuple[selectors.DefaultSelector, float]]:
    with selectors.DefaultSelector() as selector, contextlib.ExitStack() as stack:
        selector.register(fd, selectors.EVENT_READ)
        try:
            pidfd = os.pidfd_open(pid)
        except OSError:  # kernels before 5.3
            yield selector, _TICK_WITHOUT_PIDFD_S
            return
        stack.callback(os.close, pidfd)
        selector.register(pidfd, selectors.EVENT_READ)
        yield selector, _TICK_S


def is_dead(pid: int) -> bool:
    """Tell whether a child has ended, without reaping it: its id stays taken."""
    found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return found is not None


def _verdict(pid: int, stream: _Stream, bounds: Bounds, started: float) -> Ended | None:
    now = time.monotonic()
    if bounds.cancel():
        return Ended.CANCELLED
    if now - started >= bounds.timeout_s:
        return Ended.TIMEOUT
    if bounds.silence_s is not None and now - stream.last_at >= bounds.silence_s:
        return Ended.SILENCE
    return bounds.overrun(pid)


def first_line(argv: Sequence[str], timeout_s: float = 10.0) -> str:
    """Return the first line that a trusted program prints, or nothing if it fails."""
    try:
        done = subprocess.run(  # noqa: S603  # the callers build argv, no shell
            list(argv),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode(errors="replace").partition("\n")[0].strip()


def end(child: "subprocess.Popen[bytes]", leash: Leash) -> None:
    """Leave nothing of a child, whether it runs or is dead."""
    try:
        if not is_dead(child.pid):
            leash.kill(child.pid)
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        leash.sweep(child.pid)
    finally:
        child.kill()
        child.wait()
