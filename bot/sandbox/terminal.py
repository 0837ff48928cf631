"""Runs a program for a person: their terminal is passed through one of our own.

The program never holds the person's terminal, so it can't type into it (TIOCSTI).
"""

import fcntl
import os
import pty
import select
import sys
import termios
import tty
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from bot.sandbox.job import Job
from bot.sandbox.process import Leash, end, is_dead, start

ON_TERMINAL = ("setsid", "--ctty", "--wait")
"""What a shell is started by: a session of its own, so that it can stop and resume what
runs in it."""

_CHUNK = 16 * 1024
_TICK_S = 0.2
_SIZE_BYTES = 8


def on_terminal(job: Job) -> Job:
    """Return a job that knows what kind of terminal the person has."""
    kind = os.environ.get("TERM") or "dumb"
    return replace(job, env={"TERM": kind, **job.env})


def interactive(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    leash: Leash,
    pass_fds: Sequence[int] = (),
    cwd: str = "/",
    stdin: int | None = None,
    stdout: int | None = None,
) -> int:
    """Run a program on a terminal of its own until it ends.

    Args:
        argv: The program and its arguments.
        env: Its whole environment.
        leash: What is swept up after it.
        pass_fds: Descriptors that it inherits.
        cwd: Its working directory.
        stdin: What the person types on; None is the process's own.
        stdout: Where they read; None is the process's own.

    Returns:
        Its exit status; a negative one is the signal that killed it.
    """
    typed = sys.stdin.fileno() if stdin is None else stdin
    shown = sys.stdout.fileno() if stdout is None else stdout
    master, slave = pty.openpty()
    try:
        child = start(
            argv, env=env, output=slave, stdin=slave, pass_fds=pass_fds, cwd=cwd
        )
    except BaseException:
        os.close(master)
        raise
    finally:
        os.close(slave)
    try:
        with _raw(typed):
            _relay(child.pid, master, typed, shown)
    finally:
        end(child, leash)
        os.close(master)
    return child.returncode


def _relay(pid: int, master: int, typed: int, shown: int) -> None:
    sources = [typed, master]
    while True:
        _copy_size(shown, master)
        ready, _, _ = select.select(sources, [], [], _TICK_S)
        if typed in ready and not _pass(typed, master):
            sources.remove(typed)
        if master in ready and not _pass(master, shown):
            return
        if not ready and is_dead(pid):
            return


def _pass(source: int, target: int) -> bool:
    """Hand on what can be read; False at the end of it."""
    try:
        chunk = os.read(source, _CHUNK)
    except OSError:  # how Linux tells that nobody holds the other side
        return False
    while chunk:
        chunk = chunk[os.write(target, chunk) :]
        if not chunk:
            return True
    return False


def _copy_size(source: int, target: int) -> None:
    with suppress(OSError):
        size = fcntl.ioctl(source, termios.TIOCGWINSZ, bytes(_SIZE_BYTES))
        if size != fcntl.ioctl(target, termios.TIOCGWINSZ, bytes(_SIZE_BYTES)):
            fcntl.ioctl(target, termios.TIOCSWINSZ, size)


@contextmanager
def _raw(fd: int) -> Iterator[None]:
    """Let every key through while the program runs, where there is a terminal."""
    if not os.isatty(fd):
        yield
        return
    before = termios.tcgetattr(fd)
    try:
        tty.setraw(fd, termios.TCSADRAIN)
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)
