"""A job that takes too much of anything is ended, and says why."""

import os
import time
from pathlib import Path

import pytest

from bot.sandbox.job import Ended, Job, Sandbox
from bot.sandbox.limits import Watch, prlimit_args
from bot.sandbox.output import HEAD_BYTES, TAIL_BYTES
from bot.settings.model import SandboxSettings


def test_hang_ends_at_the_timeout(run):
    """A job that never ends is ended by the clock, with what it printed."""
    finished = run("echo begun; sleep 1000", timeout_s=0.4)
    assert (
        finished.ended,
        finished.exit_code,
        finished.output,
    ) == (Ended.TIMEOUT, None, "begun\n")
    assert 400 <= finished.duration_ms < 5000


def test_ignored_signals_help_nobody(run):
    """A job that ignores every signal it can is ended all the same."""
    finished = run(
        "trap '' TERM INT HUP QUIT; while :; do sleep 1; done", timeout_s=0.4
    )
    assert Ended.TIMEOUT is finished.ended


def test_silence_ends_a_job(run):
    """A job that prints nothing is ended, one that prints goes on."""
    silent = run("echo begun; sleep 1000", silence_s=0.4)
    assert (silent.ended, silent.output) == (Ended.SILENCE, "begun\n")
    chatty = "for n in 1 2 3 4 5 6 7 8; do echo $n; sleep 0.1; done"
    assert Ended.EXIT is run(chatty, silence_s=0.7).ended


def test_kept_pipe_is_no_hang(run):
    """A daemon that holds the output open doesn't make a finished job wait."""
    started = time.monotonic()
    finished = run("(sleep 1000 &) ; echo done")
    assert (
        finished.ended,
        finished.exit_code,
        finished.output,
    ) == (Ended.EXIT, 0, "done\n")
    assert time.monotonic() - started < 5


def test_flood_of_output_is_cut_and_no_failure(run):
    """A job that prints a gigabyte is green, and its first and last words are kept."""
    finished = run(
        "echo first; head -c 1000000000 /dev/zero | tr '\\0' x; echo; echo last"
    )
    assert finished.exit_code == 0
    assert finished.output.startswith("first\nxxx")
    assert finished.output.endswith("x\nlast\n")
    missing = 1_000_000_012 - HEAD_BYTES - TAIL_BYTES
    assert f"\n[... {missing} bytes left out ...]\n" in finished.output
    assert len(finished.output) < HEAD_BYTES + TAIL_BYTES + 100


def test_output_comes_as_it_is_printed(sandbox: Sandbox, tree: Path):
    """Who waits for a job sees its output before it ends."""
    seen: list[str] = []
    job = Job("echo one; sleep 1000", tree, 30.0)
    finished = sandbox.run(job, seen.append, lambda: seen == ["one\n"])
    assert Ended.CANCELLED is finished.ended
    assert seen == ["one\n"]


def test_cancel_ends_a_job_soon(sandbox: Sandbox, tree: Path):
    """A job is gone within a moment of being cancelled."""
    started = time.monotonic()
    finished = sandbox.run(Job("sleep 1000", tree, 30.0), cancel=lambda: True)
    assert (finished.ended, finished.exit_code) == (Ended.CANCELLED, None)
    assert time.monotonic() - started < 3


def test_exception_in_a_callback_leaves_nothing(sandbox: Sandbox, tree: Path):
    """A bug in who watches the output ends the job, and the bug is seen."""

    def broken(text: str) -> None:
        raise ValueError(text)

    with pytest.raises(ValueError, match="hello"):
        sandbox.run(Job("echo hello; sleep 4711.5", tree, 30.0), broken)
    assert not _alive("4711.5")


def _alive(mark: str) -> bool:
    found = False
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found |= mark.encode() in path.read_bytes()
        except OSError:
            continue
    return found


def test_memory_hog_is_killed(run):
    """Processes that together hold more than the memory limit are ended."""
    hog = "import time; x = b'x' * 100_000_000; time.sleep(30)"
    finished = run(f'for n in 1 2 3 4; do /usr/bin/python3 -c "{hog}" & done; wait')
    assert (finished.ended, finished.exit_code) == (Ended.MEMORY, None)


def test_one_process_can_not_outrun_the_memory_limit(run):
    """One process gets no more memory than the limit, however fast it asks."""
    finished = run("/usr/bin/python3 -c \"x = b'x' * 400_000_000\"")
    assert (finished.ended, finished.exit_code) == (Ended.EXIT, 1)
    assert "MemoryError" in finished.output


def test_reserved_address_space_is_no_memory(run):
    """A runtime that reserves far more addresses than it uses is left alone."""
    reserve = "import mmap; mmap.mmap(-1, 1 << 36, prot=0, flags=34)"
    assert run(f'/usr/bin/python3 -c "{reserve}"').exit_code == 0


def test_fork_bomb_is_bounded(run):
    """Processes end where the limit is, and the bomb with its job."""
    bomb = (
        "import os, time\n"
        "made = 0\n"
        "try:\n"
        "    while made < 500:\n"
        "        if not os.fork(): time.sleep(60); os._exit(0)\n"
        "        made += 1\n"
        "except OSError: print(made)\n"
    )
    finished = run(f'/usr/bin/python3 -c "{bomb}"', env={})
    # What the same user runs besides is added to the limit of 64.
    assert 30 < int(finished.output) < 300


def test_large_file_is_bounded(run, tree: Path):
    """A file stops growing at the disk limit."""
    finished = run("head -c 100M /dev/zero > big; ls -l big | cut -d' ' -f5")
    assert finished.output.split()[-1] == "8388608"


@pytest.mark.parametrize("floor", [(1 << 60, 0), (0, 1 << 60)])
def test_full_disk_ends_a_job(tmp_path: Path, floor: tuple[int, int]):
    """A job is ended before the disk of its tree is full, of bytes or of files."""
    watch = Watch(memory=1 << 40, tree=tmp_path)
    assert watch(os.getpid()) is None
    watch = Watch(memory=1 << 40, tree=tmp_path)
    watch._floor = floor
    assert Ended.DISK is watch(os.getpid())


def test_watch_looks_now_and_then(tmp_path: Path):
    """Looking is not repeated at once, so that it costs next to nothing."""
    watch = Watch(memory=1, tree=tmp_path)
    assert Ended.MEMORY is watch(os.getpid())
    assert watch(os.getpid()) is None


def test_processor_time_is_bounded(tree: Path, sandbox: Sandbox):
    """A job with a limit on processor time is ended by it."""
    from bot.sandbox.bwrap import open_sandbox

    bounded = open_sandbox(SandboxSettings(cpu="1s", memory="256MB"))
    finished = bounded.run(Job("while :; do :; done", tree, 30.0))
    assert (finished.ended, finished.exit_code) == (Ended.EXIT, 128 + 9)


def test_limits_stay_within_the_bots_own(monkeypatch: pytest.MonkeyPatch):
    """No job is given more than the bot itself has, which would be refused."""
    monkeypatch.setattr("resource.getrlimit", lambda _which: (7, 7))
    args = prlimit_args(SandboxSettings(cpu="90s"), uid=1000)
    assert {"--nofile=7", "--data=7", "--core=0", "--cpu=7"} <= set(args)
