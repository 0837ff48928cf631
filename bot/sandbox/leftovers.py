"""Finds and ends what the jobs of a killed bot left.

The kernel ends a job with its bot, but for two: a sandbox whose building was cut off,
where bubblewrap's inner process waits for ever for a word of its dead outer one, and
what left its parent where nothing confines jobs.
"""

import os
import signal
import uuid
from contextlib import suppress
from pathlib import Path

from bot.sandbox.proc import with_cookie

MARK = "GAPWRIGHT_JOB"
"""The variable by which a job's processes are known, whatever became of their parent."""


def mark_of(tree: Path) -> str:
    """Return a value of `MARK` for one job on a tree."""
    return f"{tree.resolve()}:{uuid.uuid4().hex}"


def end_leftovers(folder: Path) -> tuple[int, ...]:
    """Kill the processes of jobs on trees under a folder and return them.

    Nobody may run a job there meanwhile.
    """
    found = with_cookie(f"{MARK}={folder.resolve()}/".encode())
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return found
