"""Writes values as TOML; whatever stands in them, they stay one value or one comment."""

from collections.abc import Iterable, Mapping

_SHORT = {'"': '\\"', "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def quoted(text: str) -> str:
    """Return a basic string.

    Raises:
        UnicodeEncodeError: The text holds bytes that are no UTF-8; TOML can't.
    """
    text.encode("utf-8")
    return '"' + "".join(map(_escaped, text)) + '"'


def array(texts: Iterable[str]) -> str:
    """Return an array of basic strings on one line."""
    return "[" + ", ".join(map(quoted, texts)) + "]"


def inline(table: Mapping[str, str]) -> str:
    """Return an inline table of basic strings."""
    pairs = (f"{quoted(key)} = {quoted(value)}" for key, value in table.items())
    return "{ " + ", ".join(pairs) + " }"


def comment(text: str) -> str:
    """Return one comment line."""
    return "# " + "".join(c if c.isprintable() else "?" for c in text)


def _escaped(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    # Besides the control characters that TOML forbids: what would turn or hide a line.
    if char.isprintable():
        return char
    return f"\\U{ord(char):08x}"
