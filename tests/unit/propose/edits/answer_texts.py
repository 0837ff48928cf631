"""Writes answers as models do, for the tests of this folder."""

from dataclasses import dataclass, field

MARK = "7f3a9c"


def line(*words: str) -> str:
    """Return a marker line."""
    return f"==== {MARK} {' '.join(words)}\n"


def head(*more: str, summary: str = "Change it") -> str:
    """Return a head with further lines."""
    said = [f"summary: {summary}", "rationale: it was asked for", *more]
    return line("head") + "".join(f"{text}\n" for text in said) + line("end")


def whole(path: str, text: str, verb: str = "whole") -> str:
    """Return a file's whole text as a block."""
    return line(verb, path) + text + line("end")


def new(path: str, text: str) -> str:
    """Return a new file as a block."""
    return whole(path, text, "new")


def edit(path: str, *pairs: tuple[str, str]) -> str:
    """Return pieces of a file as a block."""
    parts = "".join(line("search") + a + line("replace") + b for a, b in pairs)
    return line("edit", path) + parts + line("end")


def answer(*blocks: str, removes: str = "") -> str:
    """Return a complete answer."""
    more = [f"removes: {removes}"] if removes else []
    return head(*more) + "".join(blocks) + line("done")


@dataclass(frozen=True)
class Case:
    """An answer, its base, and what must come of both.

    Attributes:
        name: Unique; it is the test's id.
        files: The base.
        text: What the model answered.
        want: The changed files (None for one that goes), or words of the reason.
        finish_reason: What the provider said.
        asked: The gap's text.
    """

    name: str
    files: dict[str, bytes]
    text: str
    want: dict[str, bytes | None] | str
    finish_reason: str | None = "stop"
    asked: str = ""
    quote: str = field(default="")
