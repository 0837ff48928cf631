"""What every command shares: the global options, and how answers reach the person."""

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from bot.errors import ConfigError

if TYPE_CHECKING:
    from bot.app import App

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
        stop: Set by a signal; a running cycle ends at its next safe point.
    """

    env: Mapping[str, str]
    config: Path | None = None
    json: bool = False
    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)
    stop: threading.Event = field(default_factory=threading.Event)

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
        """Tell the person something that is no part of the answer."""
        print(text, file=self.err, flush=True)

    def line(self, text: str = "") -> None:
        """Write one line of the answer for people."""
        print(text, file=self.out)

    def answer(self, value: Any) -> None:
        """Write the answer as JSON: numbers stay numbers, text stays readable."""
        print(json.dumps(value, indent=2, ensure_ascii=False), file=self.out)

    def listing(self, noun: str, entries: Sequence[Mapping[str, Any]]) -> None:
        """Write a list in the shape that all lists have."""
        self.answer({"schema_version": 1, noun: list(entries)})

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write aligned columns; the last one takes what the terminal leaves."""
        if rows:
            for text in _aligned(headings, rows, _width(self.out)):
                self.line(text)

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


def one_line(text: str, limit: int = 0) -> str:
    """Make untrusted text safe for one line of a terminal."""
    line = "".join(c if c.isprintable() else " " for c in text)
    line = " ".join(line.split())
    return line if not limit or len(line) <= limit else f"{line[: limit - 1]}…"


def session_of(context: typer.Context) -> Session:
    """Return the session that `run` made."""
    session = context.find_root().obj
    if not isinstance(session, Session):
        raise ConfigError("the command line was not started by `bot`")
    return session


def _width(out: TextIO) -> int:
    if not out.isatty():
        return 0
    try:
        return os.get_terminal_size(out.fileno()).columns
    except OSError:
        return 0


def _aligned(
    headings: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> Iterator[str]:
    cells = [[one_line(cell) for cell in row] for row in (headings, *rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings) - 1)]
    room = max(width - sum(widths) - 2 * len(widths), 20) if width else 0
    for row in cells:
        left = "".join(f"{cell:<{w}}  " for cell, w in zip(row, widths, strict=False))
        yield (left + one_line(row[-1], room)).rstrip()
