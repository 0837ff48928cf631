"""A stored patch as a person reads it on a terminal."""

from collections.abc import Iterator
from itertools import dropwhile

_COLOURS = (
    ("diff --git ", "1"),
    ("--- ", "1"),
    ("+++ ", "1"),
    ("@@ ", "36"),
    ("+", "32"),
    ("-", "31"),
)


def diff_lines(patch: bytes, *, colour: bool) -> Iterator[str]:
    """Yield the diff of a patch in mail form, without the mail's head and object ids.

    The patch is untrusted: characters that would act on the terminal become `?`.
    """
    lines = patch.decode("utf-8", "replace").rstrip("\n").split("\n")
    for line in dropwhile(lambda line: not line.startswith("diff --git "), lines):
        if not line.startswith("index "):
            yield _painted(line) if colour else _inert(line)


def _inert(line: str) -> str:
    return "".join(c if c.isprintable() or c == "\t" else "?" for c in line)


def _painted(line: str) -> str:
    code = next((code for start, code in _COLOURS if line.startswith(start)), None)
    return f"\x1b[{code}m{_inert(line)}\x1b[0m" if code else _inert(line)
