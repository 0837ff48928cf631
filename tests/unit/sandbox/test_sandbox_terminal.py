"""A person can look around inside, on a terminal that isn't theirs."""

import os
import pty
import sys
import tempfile
import termios
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.errors import SandboxUnavailable
from bot.sandbox.bare import CookieLeash, NoSandbox
from bot.sandbox.bwrap import BubblewrapSandbox
from bot.sandbox.job import Job
from bot.sandbox.terminal import interactive
from bot.settings.model import SandboxSettings


@pytest.fixture
def screen():
    """Return a terminal as a person has one: their side and the program's."""
    person, program = pty.openpty()
    yield person, program
    os.close(person)
    os.close(program)


def _shown(person: int) -> str:
    os.set_blocking(person, False)
    seen = b""
    try:
        while chunk := os.read(person, 4096):
            seen += chunk
    except BlockingIOError:
        return seen.decode().replace("\r\n", "\n")
    return seen.decode()


def _sit_at(screen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this process's input and output that terminal."""
    for name in ("stdin", "stdout"):
        monkeypatch.setattr(sys, name, SimpleNamespace(fileno=lambda: screen[1]))


def _interact(screen, *argv: str) -> int:
    env = {"PATH": os.defpath, "TERM": "dumb"}
    leash = CookieLeash("no-such-cookie")
    return interactive(argv, env=env, leash=leash, stdin=screen[1], stdout=screen[1])


def test_typed_lines_reach_the_program(screen):
    """What is typed is read by the program, and its answer is shown."""
    os.write(screen[0], b"hello\n")
    script = "stty -echo; test -t 0 && read line && echo got $line; exit 3"
    status = _interact(screen, "sh", "-c", script)
    assert status == 3
    assert "got hello\n" in _shown(screen[0])


def test_terminal_is_put_back(screen):
    """A person's terminal is as before, and the program's has its size."""
    termios.tcsetwinsize(screen[1], (33, 99))
    before = termios.tcgetattr(screen[1])
    _interact(screen, "sh", "-c", "sleep 0.3; stty size")
    assert termios.tcgetattr(screen[1]) == before
    assert "33 99\n" in _shown(screen[0])


def test_end_of_typing_is_no_end(tmp_path: Path):
    """Without a terminal the program runs to its end all the same."""
    with Path("/dev/null").open() as typed, (tmp_path / "shown").open("wb") as shown:
        status = interactive(
            ("sh", "-c", "sleep 0.05; echo done"),
            env={"PATH": os.defpath},
            leash=CookieLeash("no-such-cookie"),
            stdin=typed.fileno(),
            stdout=shown.fileno(),
        )
    assert status == 0
    assert b"done" in (tmp_path / "shown").read_bytes()


def test_daemon_on_the_terminal_is_no_hang(screen):
    """A program that leaves a daemon on its terminal is over when it ends."""
    assert _interact(screen, "sh", "-c", "trap '' HUP; sleep 3 & exit 0") == 0


def test_missing_program_is_an_error(screen):
    """A program that isn't there is an error."""
    with pytest.raises(FileNotFoundError):
        _interact(screen, "/no/such/program")


def test_closed_screen_ends_the_program(screen):
    """When the person's terminal is gone, so is the program."""
    read, write = os.pipe()
    os.close(read)
    with pytest.raises(BrokenPipeError):
        interactive(
            ("sh", "-c", "echo x; sleep 1000"),
            env={"PATH": os.defpath},
            leash=CookieLeash("no-such-cookie"),
            stdin=screen[1],
            stdout=write,
        )
    os.close(write)


def test_shell_runs_in_the_sandbox(
    sandbox, tree: Path, screen, monkeypatch: pytest.MonkeyPatch
):
    """A shell for a person is confined as a job is."""
    _sit_at(screen, monkeypatch)
    os.write(screen[0], b"pwd; id -un; ls /etc/shadow; exit 7\n")
    assert isinstance(sandbox, BubblewrapSandbox)
    assert sandbox.shell(Job("exec sh -i", tree, 30.0)) == 7
    shown = _shown(screen[0])
    assert "/repo\n" in shown
    assert "bot\n" in shown
    assert "cannot access '/etc/shadow'" in shown


def test_shell_without_a_sandbox(screen, owner, monkeypatch: pytest.MonkeyPatch):
    """Where nothing confines, a person gets a shell in the tree all the same."""
    _sit_at(screen, monkeypatch)
    monkeypatch.setenv("TERM", "vt100")
    os.write(screen[0], b"pwd; echo $TERM; exit 7\n")
    with tempfile.TemporaryDirectory() as tree:
        Path(tree).chmod(0o755)
        bare = NoSandbox(SandboxSettings(kind="none"), owner)
        assert bare.shell(Job("exec sh -i", Path(tree), 30.0)) == 7
        assert f"{tree}\nvt100\n" in _shown(screen[0]).replace("$ ", "")


def test_shell_that_can_not_be_confined_is_refused(
    tree: Path, tmp_path: Path, screen, owner, monkeypatch: pytest.MonkeyPatch
):
    """A shell is not given where the sandbox can't be built."""
    _sit_at(screen, monkeypatch)
    refusing = tmp_path / "bin/bwrap"
    refusing.parent.mkdir()
    refusing.write_text("#!/bin/sh\nexit 1\n")
    refusing.chmod(0o755)
    broken = BubblewrapSandbox(SandboxSettings(), owner, refusing, "0.11.0")
    with pytest.raises(SandboxUnavailable, match="could not be built"):
        broken.shell(Job("true", tree, 30.0))
