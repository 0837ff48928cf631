"""The one place where a git process is started, through GitPython.

GitPython adds to the inherited environment and never takes away from it, so names that
git must not see are taken away by `env -u`, which then becomes git.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from bot.errors import Misconfigured

_SLICE_S = 0.5
_NOT_FOUND = 127


@dataclass(frozen=True, slots=True)
class Answer:
    """How a git process ended.

    Attributes:
        code: Its exit status, negative for a signal.
        stdout: Everything it wrote, unchanged.
        stderr: What it said, decoded leniently.
        timed_out: Whether it was killed because its time was over.
    """

    code: int
    stdout: bytes
    stderr: str
    timed_out: bool = False


def execute(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    stdin: bytes | None = None,
    timeout_s: float,
) -> Answer:
    """Run `git argv...` with exactly this environment and wait for its end.

    Raises:
        Misconfigured: There is no git program.
    """
    with _input(stdin) as source:
        process = _start(argv, env, source)
    try:
        answer = _converse(process, time.monotonic() + timeout_s)
    finally:
        _put_down(process)
    if answer.code == _NOT_FOUND and "env:" in answer.stderr:
        raise Misconfigured("git was not found on PATH: install git 2.38 or newer")
    return answer


@contextlib.contextmanager
def _input(content: bytes | None) -> Iterator[BinaryIO | None]:
    """Give what the process reads as a file.

    A pipe would have to be fed while the output is read, and Popen does not go on
    feeding one after a time-out of `communicate`.
    """
    if content is None:
        yield None
        return
    with os.fdopen(os.memfd_create("git-input"), "w+b") as file:
        file.write(content)
        file.seek(0)
        yield file


def _start(argv: Sequence[str], env: Mapping[str, str], source: BinaryIO | None) -> Any:
    try:
        from git import cmd, exc  # noqa: PLC0415 - 0.16 s, not paid by a paused tick
    except ImportError as error:
        raise Misconfigured(
            "git was not found on PATH: install git 2.38 or newer"
        ) from error
    unwanted = [name for name in os.environ if name not in env]
    strip = ["env", *(part for name in unwanted for part in ("-u", name))]
    command = [*(strip if unwanted else ()), "git", *argv]
    try:
        # "/" because GitPython falls back to the current folder, without a word, when
        # its working folder can't be entered; `git -C` fails instead.
        started = cmd.Git("/").execute(
            command,
            istream=source,
            as_process=True,
            env=dict(env),
            shell=False,
            # No controlling terminal: ssh and credential helpers can't prompt on it.
            start_new_session=True,
        )
    except exc.GitCommandNotFound as error:
        raise Misconfigured(
            "git was not found on PATH: install git 2.38 or newer"
        ) from error
    process = started.proc
    started.proc = None  # its destructor would signal a process that we own
    return process


def _converse(process: Any, deadline: float) -> Answer:
    from git import cmd  # noqa: PLC0415 - loaded by _start already

    expired = cmd.subprocess.TimeoutExpired  # type: ignore[attr-defined]  # the class of the one Popen that GitPython uses
    is_last_look = False
    while True:
        left = max(0.0, min(_SLICE_S, deadline - time.monotonic()))
        try:
            out, err = process.communicate(timeout=left)
        except expired as late:
            out, err = late.output or b"", late.stderr or b""
        else:
            break
        if is_last_look or time.monotonic() >= deadline:
            break
        # A grandchild that went to the background may hold the pipes for hours: once
        # git itself is gone, one more look takes what it left in them.
        is_last_look = process.poll() is not None
    ended = process.poll()
    return Answer(
        code=-signal.SIGKILL if ended is None else ended,
        stdout=out,
        stderr=err.decode("utf-8", "replace"),
        timed_out=ended is None,
    )


def _put_down(process: Any) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    process.wait()
