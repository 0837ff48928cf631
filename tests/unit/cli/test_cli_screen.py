"""Untrusted text on a terminal."""

import io
import json
import os
import pty
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import pytest

from bot.cli.main import cli, run
from bot.cli.screen import (
    aligned,
    columns,
    hush,
    one_line,
    safe,
    safe_json,
    standard_stream,
    width_of_terminal,
)
from bot.cli.session import Session
from bot.errors import BotError, ConfigError

HOSTILE = [
    "\x1b[2J\x1b]0;title\x07",
    "two\nlines\r\x0b\x0c\x85\u2028\u2029",
    "\x9b31m and \u202egnitirw",
    "\udc80 half a pair",
]


@contextmanager
def terminal(columns: int = 80) -> Iterator[tuple[TextIO, int]]:
    """Give a terminal to write to, and the descriptor that shows what was written."""
    shown, written = pty.openpty()
    os.environ["COLUMNS"] = "1"  # what a shell exports is not what the terminal has
    try:
        import fcntl
        import struct
        import termios

        size = struct.pack("HHHH", 24, columns, 0, 0)
        fcntl.ioctl(written, termios.TIOCSWINSZ, size)
        with os.fdopen(written, "w", buffering=1) as stream:
            yield stream, shown
    finally:
        del os.environ["COLUMNS"]
        os.close(shown)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_acts_on_the_terminal(text: str):
    """What could move the cursor or break the line becomes a space."""
    assert safe(text).isprintable()
    assert len(text) == len(safe(text))


def test_harmless_text_stays():
    """Letters of any script, their accents and signs stay as they are."""
    text = "Grüße, 世界 🎉 e\u0301"

    assert text == safe(text)


def test_one_line_squeezes_white_space():
    """White space of any kind and length becomes one space."""
    assert "a b c" == one_line("  a\t\n b\u00a0\u3000c \x1b")


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("世界世", 6, "世界世"),
        ("世界世", 5, "世界…"),
        ("世界世", 4, "世…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
    ],
)
def test_one_line_cuts_by_columns(text: str, limit: int, expected: str):
    """A limit counts columns, and the sign that something is left out is one of them."""
    found = one_line(text, limit)

    assert expected == found
    assert columns(found) <= limit


@pytest.mark.parametrize("text", HOSTILE)
def test_json_escapes_what_acts_on_a_terminal(text: str):
    """JSON says the same when it is read, and shows only printable characters."""
    written = json.dumps({"a": [text]}, indent=2, ensure_ascii=False)

    shown = safe_json(written)

    assert {"a": [text]} == json.loads(shown)
    assert shown.replace("\n", "").isprintable()


def test_json_keeps_readable_text():
    """JSON without such characters is left alone."""
    text = '{\n  "a": "世界"\n}'

    assert text == safe_json(text)


def test_table_lines_up_whatever_is_in_it():
    """Each row is one line, and columns stand below each other, wide letters too."""
    rows = [("a", "x" * 500, "end"), ("世界", "b\n\x1b[0mc", "世界\nzwei")]

    lines = list(aligned(("A", "B", "LAST"), rows, 0))

    assert 3 == len(lines)
    assert all(line.isprintable() for line in lines)
    starts = [
        columns(line[: line.index(last)])
        for line, last in zip(lines, ("LAST", "end", "世界 zwei"), strict=True)
    ]
    assert [4 + 2 + 72 + 2] * 3 == starts


def test_table_leaves_the_last_column_whole_without_a_terminal():
    """What is read by a program or a file is not cut."""
    lines = list(aligned(("A", "T"), [("a", "t" * 500)], 0))

    assert "a  " + "t" * 500 == lines[1]


@pytest.mark.parametrize(("width", "room"), [(40, 37), (10, 20)])
def test_table_cuts_the_last_column_to_the_terminal(width: int, room: int):
    """The last column takes what the terminal leaves, but never less than 20 columns."""
    lines = list(aligned(("A", "T"), [("a", "t" * 500)], width))

    assert "a  " + "t" * (room - 1) + "…" == lines[1]


def test_width_of_a_terminal():
    """The terminal itself is asked for its width, not the environment."""
    with terminal(columns=57) as (stream, _):
        assert 57 == width_of_terminal(stream)


def test_width_where_there_is_no_terminal(tmp_path):
    """A file and a text in memory have no width."""
    with (tmp_path / "file").open("w") as file:
        assert 0 == width_of_terminal(file)
    assert 0 == width_of_terminal(file)
    assert 0 == width_of_terminal(io.StringIO())


def test_closed_stream_is_replaced(monkeypatch: pytest.MonkeyPatch):
    """Where a stream was closed before the start, what is written goes nowhere."""
    monkeypatch.setattr("sys.stdout", None)

    with standard_stream("stdout") as stream:
        assert 5 == stream.write("hello")


def test_stream_takes_what_its_encoding_lacks(monkeypatch: pytest.MonkeyPatch):
    """What an encoding can't hold is written as an escape."""
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, "ascii"))

    stream = standard_stream("stdout")
    stream.write("é\udc80…")
    stream.flush()

    assert b"\\xe9\\udc80\\u2026" == raw.getvalue()


def test_stream_of_another_kind_is_left_alone(monkeypatch: pytest.MonkeyPatch):
    """A stream that some program put there is used as it is."""
    memory = io.StringIO()
    monkeypatch.setattr("sys.stderr", memory)

    assert memory is standard_stream("stderr")


def test_hush_makes_a_stream_harmless():
    """After it a stream whose reader is gone can be flushed."""
    reader, writer = os.pipe()
    os.close(reader)
    stream = os.fdopen(writer, "w")
    stream.write("text")

    hush(stream)

    stream.close()


def test_hush_of_a_text_in_memory():
    """A stream without a descriptor needs no care."""
    hush(io.StringIO())


def test_progress_is_shown_on_a_terminal_and_taken_away():
    """What is under way stands on one line until the next one is written."""
    with terminal() as (stream, shown):
        session = Session({}, out=stream, err=stream)
        session.progress("looking at\nthe sandbox")
        session.line("found")

        written = b""
        while not written.endswith(b"\n"):
            written += os.read(shown, 1000)

    expected = "\r\x1b[Klooking at the sandbox …\r\x1b[Kfound\r\n"
    assert expected == written.decode()


def test_progress_goes_nowhere_else():
    """A file never gets it."""
    memory = io.StringIO()
    session = Session({}, out=memory, err=memory)

    session.progress("looking")
    session.clear_progress()

    assert "" == memory.getvalue()


def test_nobody_listens_to_what_is_said():
    """A message that can't be delivered ends nothing: a cycle must go on."""
    reader, writer = os.pipe()
    os.close(reader)
    stream = os.fdopen(writer, "w")

    Session({}, err=stream).say("half\nway")

    hush(stream)
    stream.close()


def test_said_lines_are_safe():
    """Messages may have several lines, each of them safe."""
    memory = io.StringIO()

    Session({}, err=memory).say("one\x1b[2J\ntwo")

    assert "one [2J\ntwo\n" == memory.getvalue()


def test_answer_that_nobody_can_take():
    """A broken pipe stays what it is, for the end of the program."""
    reader, writer = os.pipe()
    os.close(reader)
    stream = os.fdopen(writer, "w")
    session = Session({}, out=stream)
    session.line("text")

    with pytest.raises(BrokenPipeError):
        session.flush()

    hush(stream)
    stream.close()


def test_answer_that_finds_no_room():
    """A full disk behind the answer is told in words."""
    with open("/dev/full", "w") as stream:  # noqa: PTH123 - a device
        session = Session({}, out=stream)
        session.line("text")

        with pytest.raises(BotError, match="No space left on device"):
            session.flush()


def test_block_keeps_its_lines():
    """A block keeps its lines, and each is safe."""
    memory = io.StringIO()

    Session({}, out=memory).block("one\n\n\x1btwo\n")

    assert "one\n\n two\n" == memory.getvalue()


def test_first_signal_asks_for_an_end():
    """A signal sets the wish to stop, and the handlers are put back afterwards."""
    kept = signal.getsignal(signal.SIGTERM)
    session = Session({})

    with session.signals():
        os.kill(os.getpid(), signal.SIGTERM)

    assert session.stop.is_set()
    assert kept is signal.getsignal(signal.SIGTERM)


def test_second_signal_ends_at_once():
    """Who asks twice doesn't wait for the next safe point."""
    pid = os.fork()
    if pid == 0:
        with Session({}).signals():
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
        os._exit(0)

    assert 130 == os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class Interrupting(io.StringIO):
    """A stream on which a person presses Ctrl-C while it is flushed."""

    def flush(self) -> None:
        """Be interrupted."""
        raise KeyboardInterrupt


def test_interrupted(monkeypatch: pytest.MonkeyPatch):
    """An interrupted command ends with 130 and no traceback."""
    monkeypatch.setattr("sys.stdout", Interrupting())

    assert 130 == run(["--version"], {})


def test_reader_that_left(monkeypatch: pytest.MonkeyPatch):
    """A reader that left before the answer came makes no noise."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stream:
        monkeypatch.setattr("sys.stdout", stream)

        assert 1 == run(["--version"], {})


def test_command_of_another_program():
    """The commands need what `run` gives them."""
    with pytest.raises(ConfigError, match="not started by `bot`"):
        cli(["gaps"], standalone_mode=False)
