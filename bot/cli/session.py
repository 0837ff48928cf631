"""What every command shares: the global options, and how answers reach the person."""

import json
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from bot.cli.screen import (
    aligned,
    hush,
    safe,
    safe_json,
    standard_stream,
    width_of_terminal,
)
from bot.errors import BotError, ConfigError

if TYPE_CHECKING:
    from bot.app import App
    from bot.domain.record import CycleRecord

Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="PATH",
        help="Config file; else $BOT_CONFIG, ./config/bot.toml, ./bot.toml.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="JSON alone on standard output.")]
Repo = Annotated[
    str | None,
    typer.Option("--repo", metavar="NAME", help="Only this repository."),
]


@dataclass(slots=True)
class Session:
    """One run of the command line.

    Attributes:
        env: The environment.
        config: `--config`, wherever it stood.
        json: Whether JSON was asked for.
        out: Where the answer goes.
        err: Where everything else goes.
        stop: Set by a signal; a running cycle ends at its next safe point.
    """

    env: Mapping[str, str]
    config: Path | None = None
    json: bool = False
    out: TextIO = field(default_factory=lambda: standard_stream("stdout"))
    err: TextIO = field(default_factory=lambda: standard_stream("stderr"))
    stop: threading.Event = field(default_factory=threading.Event)
    _progress: bool = False

    def with_options(self, config: Path | None, *, as_json: bool) -> "Session":
        """Take in the global options that stood behind a command."""
        self.config = config or self.config
        self.json = as_json or self.json
        return self

    @contextmanager
    def app(self) -> Iterator["App"]:
        """Load the config and build what the commands work with.

        Raises:
            ConfigError: There is no config, or it is wrong.
        """
        from bot.app import App
        from bot.settings.load import find_config, load_settings

        cwd = Path.cwd()
        loaded = load_settings(find_config(self.config, self.env, cwd), self.env, cwd)
        for warning in loaded.warnings:
            self.say(f"warning: {warning}")
        with App(loaded, self.env, is_cancelled=self.stop.is_set) as app:
            yield app

    def say(self, text: str) -> None:
        """Tell the person something that is no part of the answer.

        Never fails: nobody may be listening, and a cycle must not end over that.
        """
        self.clear_progress()
        with suppress(OSError, ValueError):
            print("\n".join(map(safe, text.split("\n"))), file=self.err, flush=True)

    def progress(self, text: str) -> None:
        """Show on a terminal what is under way, until the next line is written."""
        if not self.err.isatty():
            return
        with suppress(OSError, ValueError):
            self.err.write(f"\r\033[K{safe(text)} …")
            self.err.flush()
            self._progress = True

    def clear_progress(self) -> None:
        """Take away what `progress` shows."""
        if self._progress:
            self._progress = False
            with suppress(OSError, ValueError):
                self.err.write("\r\033[K")
                self.err.flush()

    def line(self, text: str = "") -> None:
        """Write one line of the answer for people; it stays one line, whatever it is."""
        self.clear_progress()
        self._write(safe(text))

    def block(self, text: str) -> None:
        """Write several lines of the answer for people."""
        for line in text.rstrip("\n").split("\n"):
            self.line(line)

    def verbatim(self, text: str) -> None:
        """Write text as it is: JSON, or a line whose colours are ours."""
        self.clear_progress()
        self._write(text)

    def answer(self, value: Any) -> None:
        """Write the answer as JSON: numbers stay numbers, text stays readable."""
        self.verbatim(safe_json(json.dumps(value, indent=2, ensure_ascii=False)))

    def record(self, record: "CycleRecord") -> None:
        """Write a cycle's record as its file has it."""
        from bot.store.jsonfile import dump

        self.verbatim(safe_json(dump(record).decode().rstrip("\n")))

    def listing(self, noun: str, entries: Sequence[Mapping[str, Any]]) -> None:
        """Write a list in the shape that all lists have."""
        self.answer({"schema_version": 1, noun: list(entries)})

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write aligned columns; the last one takes what the terminal leaves."""
        if rows:
            for text in aligned(headings, rows, width_of_terminal(self.out)):
                self.line(text)

    def flush(self) -> None:
        """Hand the answer over to whoever reads it.

        Raises:
            BotError: It can't be written.
        """
        self._write("", end="", flush=True)

    def _write(self, text: str, end: str = "\n", *, flush: bool = False) -> None:
        try:
            print(text, file=self.out, end=end, flush=flush)
        except BrokenPipeError:
            raise
        except OSError as error:
            hush(self.out)
            raise BotError(f"the answer can't be written: {error.strerror}") from error

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Let SIGINT and SIGTERM stop the work at its next safe point, a second at once."""

        def stop(number: int, _frame: object) -> None:
            if self.stop.is_set():
                os._exit(128 + number)
            self.stop.set()

        kept = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in kept.items():
                signal.signal(number, handler)


def session_of(context: typer.Context) -> Session:
    """Return the session that `run` made."""
    session = context.find_root().obj
    if not isinstance(session, Session):
        raise ConfigError("the command line was not started by `bot`")
    return session
