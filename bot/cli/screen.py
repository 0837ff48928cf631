"""Untrusted text on a terminal: one line stays one line, and columns stay columns."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Literal, TextIO
from unicodedata import combining, east_asian_width

_LONGEST_CELL = 72
_LEAST_ROOM = 20


def safe(text: str) -> str:
    """Return the text with all that could move the cursor replaced by spaces."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " for c in text)


def safe_json(text: str) -> str:
    """Return JSON with what acts on a terminal written as escapes, inside its strings."""
    if text.replace("\n", "").isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1]
        for char in text
    )


def one_line(text: str, limit: int = 0) -> str:
    """Return untrusted text as one line without runs of white space.

    Args:
        text: Whatever it is.
        limit: Columns that it may take; 0 for any number.
    """
    line = " ".join(safe(text).split())
    return _cut(line, limit) if limit else line


def columns(text: str) -> int:
    """Return how many columns a terminal gives a line."""
    if text.isascii():
        return len(text)
    return sum(_columns_of(char) for char in text)


def aligned(
    headings: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> Iterator[str]:
    """Yield the lines of a table.

    Args:
        headings: Of the columns.
        rows: Their cells, untrusted.
        width: Of the terminal; 0 where there is none, then the last column is whole.
    """
    cells = [
        [*(one_line(cell, _LONGEST_CELL) for cell in row[:-1]), one_line(row[-1])]
        for row in (headings, *rows)
    ]
    widths = [max(columns(row[i]) for row in cells) for i in range(len(headings) - 1)]
    left = sum(widths) + 2 * len(widths)
    room = max(width - left, _LEAST_ROOM) if width else 0
    for row in cells:
        padded = (
            cell + " " * (wide - columns(cell) + 2)
            for cell, wide in zip(row, widths, strict=False)
        )
        yield ("".join(padded) + one_line(row[-1], room)).rstrip()


def width_of_terminal(out: TextIO) -> int:
    """Return how many columns the terminal has; 0 where it is none."""
    try:
        return os.get_terminal_size(out.fileno()).columns if out.isatty() else 0
    except (OSError, ValueError):
        return 0


def standard_stream(name: Literal["stdout", "stderr"]) -> TextIO:
    """Return a standard stream that takes any text, also where it was closed.

    What its encoding can't hold is written as an escape, which JSON reads back.
    """
    stream: TextIO | None = getattr(sys, name)
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - open for the whole run, as it would be
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    return stream


def hush(stream: TextIO) -> None:
    """Let a stream that nobody reads any more end without a word.

    The interpreter flushes it once more when it leaves.
    """
    with suppress(OSError, ValueError):
        descriptor = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


def _cut(line: str, limit: int) -> str:
    if columns(line) <= limit:
        return line
    ends = accumulate(map(_columns_of, line))
    return line[: sum(end < limit for end in ends)] + "…"


def _columns_of(char: str) -> int:
    if combining(char):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1
