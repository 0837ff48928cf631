"""Nothing of a job is alive after it, also when the bot itself is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.sandbox.bwrap import find_bwrap
from bot.sandbox.leftovers import MARK, end_leftovers, mark_of
from bot.sandbox.proc import children, processes

_DAEMON = """
import os, time
os.setsid()
if os.fork(): os._exit(0)
os.setsid()
for fd in range(3): os.close(fd)
time.sleep({mark})
"""
_WAYS = {
    "setsid": "setsid sleep {mark} & echo started",
    "nohup": "nohup sleep {mark} >/dev/null 2>&1 & echo started",
    "double fork": "/usr/bin/python3 -c '" + _DAEMON + "'; echo started",
    "no environment": "setsid env -i sleep {mark} </dev/null >/dev/null & echo started",
}


def alive(mark: str) -> list[int]:
    """Return the processes with a mark on their command line."""
    found = []
    for pid in processes():
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if mark.encode() in line and pid != os.getpid():
            found.append(pid)
    return found


@pytest.mark.parametrize("way", _WAYS)
def test_daemon_is_gone_when_the_job_is_back(run, way: str):
    """However a process leaves its parent, it is gone with the job."""
    mark = f"86400.{os.getpid()}{len(way)}"
    finished = run(_WAYS[way].format(mark=mark))
    assert (finished.output, finished.exit_code) == ("started\n", 0)
    assert alive(mark) == []


def test_everything_is_gone_after_a_timeout(run):
    """A job that is ended takes its daemons with it."""
    mark = f"86401.{os.getpid()}"
    run(_WAYS["setsid"].format(mark=mark) + "; sleep 1000", timeout_s=0.4)
    assert alive(mark) == []


_BOT = """
import os, sys
from pathlib import Path
from bot.sandbox.bwrap import open_sandbox
from bot.sandbox.job import Job
from bot.settings.model import SandboxSettings
job = Job(sys.argv[2], Path(sys.argv[1]), 600.0)
open_sandbox(SandboxSettings()).run(job, lambda text: print(text, end="", flush=True))
"""


def test_killed_bot_leaves_nothing(sandbox, tree: Path):
    """When the bot is killed the kernel ends its job, daemons included."""
    mark = f"86402.{os.getpid()}"
    command = _WAYS["setsid"].format(mark=mark) + f"; sleep {mark}1"
    with subprocess.Popen(
        [sys.executable, "-c", _BOT, str(tree), command], stdout=subprocess.PIPE
    ) as bot:
        assert bot.stdout is not None
        assert bot.stdout.readline() == b"started\n"
        assert alive(mark)
        bot.send_signal(signal.SIGKILL)
    until = time.monotonic() + 10
    while alive(mark) and time.monotonic() < until:
        time.sleep(0.02)
    assert alive(mark) == []


def test_a_sandbox_whose_building_was_cut_off_is_ended(sandbox, tmp_path: Path):
    """Bubblewrap's inner process outlives its outer one only until it is looked for."""
    found = find_bwrap()
    assert found
    tree = tmp_path / "trees" / "cycle"
    tree.mkdir(parents=True)
    never_told, told = os.pipe()
    heard, info = os.pipe()
    argv = (
        *(str(found.path), "--unshare-all", "--unshare-user", "--die-with-parent"),
        *("--userns-block-fd", str(never_told), "--info-fd", str(info)),
        *("--ro-bind", "/", "/", "--", "true"),
    )
    outer = subprocess.Popen(
        argv,
        env={MARK: mark_of(tree)},
        pass_fds=[never_told, info],
        stdin=subprocess.DEVNULL,
    )
    until = time.monotonic() + 10
    while not (inner := children(outer.pid)) and time.monotonic() < until:
        time.sleep(0.01)
    outer.kill()
    outer.wait()
    assert inner[0] in processes()

    assert () == end_leftovers(tmp_path / "tree")
    assert inner == end_leftovers(tmp_path / "trees")

    while inner[0] in processes() and time.monotonic() < until:
        time.sleep(0.01)
    assert inner[0] not in processes()
    for fd in (never_told, told, heard, info):
        os.close(fd)


def test_job_of_a_dead_bot_is_not_started(tree: Path):
    """A job whose bot died before the job was tied to it runs nothing."""
    from bot.sandbox.chain import chain
    from bot.settings.model import SandboxSettings

    argv = list(chain(SandboxSettings(), None))
    argv[argv.index(str(os.getpid()))] = "1"
    assert (
        subprocess.run([*argv, "touch", str(tree / "ran")], check=False).returncode
        == 125
    )
    assert not (tree / "ran").exists()


def test_no_mount_stays_behind(run, tree: Path):
    """What was mounted for a job is gone with it."""
    before = Path("/proc/self/mountinfo").read_text()
    run("true")
    assert before == Path("/proc/self/mountinfo").read_text()
