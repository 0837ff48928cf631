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

from bot.sandbox.process import Leash, is_dead

_CHUNK = 16 * 1024
_TICK_S = 0.2
_NOT_STARTED = 127
_SIZE_BYTES = 8


def interactive(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    leash: Leash,
    pass_fds: Sequence[int] = (),
    stdin: int | None = None,
    stdout: int | None = None,
) -> int:
    """Run a program on a terminal of its own until it ends; return its wait status.

    Args:
        argv: The program and its arguments.
        env: Its whole environment.
        leash: What is swept up after it.
        pass_fds: Descriptors that it inherits.
        stdin: What the person types on; None is the process's own.
        stdout: Where they read; None is the process's own.
    """
    typed = sys.stdin.fileno() if stdin is None else stdin
    shown = sys.stdout.fileno() if stdout is None else stdout
    pid, master = pty.fork()
    if not pid:  # pragma: no cover - the child is measured by what it prints
        _become(argv, env, pass_fds)
    try:
        with _raw(typed):
            _relay(pid, master, typed, shown)
    finally:
        if not is_dead(pid):
            leash.kill(pid)
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        leash.sweep(pid)
        os.close(master)
        status = os.waitpid(pid, 0)[1]
    return status


def _become(
    argv: Sequence[str], env: Mapping[str, str], pass_fds: Sequence[int]
) -> None:  # pragma: no cover - as above
    try:
        for fd in pass_fds:
            os.set_inheritable(fd, True)
        os.chdir("/")
        os.execvpe(argv[0], list(argv), dict(env))  # noqa: S606  # no shell is wanted
    finally:
        os._exit(_NOT_STARTED)


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
        tty.setraw(fd)
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)
