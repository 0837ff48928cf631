"""Untrusted text in Markdown: it notifies nobody, closes and hides nothing.

A zero-width space breaks what a forge would act on; a person sees no difference.
"""

import re

_BREAK = "\N{ZERO WIDTH SPACE}"  # breaks what a forge would act on, invisible to people
_LINE_END = re.compile(r"\r\n|\r|\n")
_ACTED_ON = re.compile(
    r"@(?=[^\s\u200b])"  # mentions
    r"|#(?=\d)|\bGH-(?=\d)"  # references, which closing keywords need
    r"|/(?:issues|pulls?|discussions|merge_requests|work_items)/(?=\d)"
    r"|<(?=[a-z/!?])|&(?=[a-z#])"  # HTML, comments, entities
    r"|!(?=\[)",  # images
    re.IGNORECASE,
)
_TICKS = re.compile(r"`+")


def neutral(text: str) -> str:
    """Return untrusted prose so that a forge acts on nothing in it.

    Mentions, references (and with them closing keywords), images, HTML and invisible
    characters are made plain; what a person reads stays the same, also in code spans.
    Doing it twice changes nothing.
    """
    return _ACTED_ON.sub(_broken, _visible(text))


def one_line(text: str) -> str:
    """Return untrusted prose as one neutral line."""
    return neutral(" ".join(text.split()))


def code(text: str) -> str:
    """Return untrusted text as one line of code."""
    line = _literal(" ".join(text.split()))
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def fenced(text: str) -> str:
    """Return untrusted text as a block of code that nothing inside can end."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{_literal(text).rstrip(chr(10))}\n{fence}"


def _visible(text: str) -> str:
    """Replace control, direction and zero-width characters; keep lines and tabs."""
    return "".join(map(_seen, _LINE_END.sub("\n", text)))


def _seen(char: str) -> str:
    if char in f"\n\t{_BREAK}" or char.isprintable():
        return char
    return " " if char.isspace() else "\N{REPLACEMENT CHARACTER}"


def _literal(text: str) -> str:
    """Keep text as it is inside code, but let no HTML comment begin there."""
    return _visible(text).replace("<!--", f"<!{_BREAK}--")


def _broken(found: re.Match[str]) -> str:
    return f"{found[0]}{_BREAK}"


def _longest_run(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)
