"""Processes are started, watched and ended."""

import os
import signal
from pathlib import Path

import pytest

from bot.sandbox.bare import CookieLeash
from bot.sandbox.job import Ended
from bot.sandbox.process import Bounds, first_line, run_process

_LEASH = CookieLeash("no-such-cookie")


def _run(*argv: str, **options):
    options = {"env": {"PATH": os.defpath}, "bounds": Bounds(30.0), **options}
    return run_process(argv, leash=_LEASH, **options)


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_both_streams_come_in_order():
    """Standard output and error are one text, as a person would see it."""
    found = _run("sh", "-c", "echo a; echo b >&2; echo c")
    assert (found.output, found.code, found.ended) == ("a\nb\nc\n", 0, Ended.EXIT)


def test_nothing_can_be_typed():
    """A program that asks a question gets the end of input."""
    assert _run("sh", "-c", "read answer || echo end").output == "end\n"


def test_death_by_a_signal_is_told():
    """A program that was killed from outside didn't end by itself."""
    found = _run("sh", "-c", "kill -9 $$")
    assert (found.ended, found.code) == (Ended.KILLED, -signal.SIGKILL)


def test_missing_program_is_an_error():
    """A program that can't be started is an error and leaves nothing open."""
    before = _open_files()
    with pytest.raises(FileNotFoundError):
        _run("/no/such/program")
    assert before == _open_files()


def test_descriptors_are_given_back():
    """A run leaves no descriptor open."""
    _run("true")
    before = _open_files()
    _run("true")
    assert before == _open_files()


def test_closed_output_is_no_end():
    """A program that closes its output runs on to its end."""
    found = _run("sh", "-c", "exec >&- 2>&-; sleep 0.05; exit 3")
    assert (found.code, found.ended) == (3, Ended.EXIT)


def test_old_kernel_is_polled(monkeypatch: pytest.MonkeyPatch):
    """Where the kernel can't tell the end of a process, it is asked for it."""

    def missing(_pid: int) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", missing)
    assert ((found := _run("echo", "x")).code, found.output) == (0, "x\n")


def test_characters_may_come_in_pieces():
    """Who watches sees no broken character where a chunk ends in one."""
    seen: list[str] = []
    script = "printf '\\303'; sleep 0.05; printf '\\251'"
    found = _run("sh", "-c", script, on_output=seen.append)
    assert ("".join(seen), found.output) == ("é", "é")


def test_first_line_is_empty_on_failure():
    """What a program says is nothing when it fails, isn't there or takes too long."""
    assert first_line(("printf", "a\\nb")) == "a"
    assert first_line(("sh", "-c", "echo a; exit 1")) == ""
    assert first_line(("/no/such/program",)) == ""
    assert first_line(("sleep", "10"), timeout_s=0.05) == ""


def test_working_directory_is_the_given(tmp_path: Path):
    """A program starts where it is told to."""
    assert f"{tmp_path}\n" == _run("pwd", cwd=str(tmp_path)).output
