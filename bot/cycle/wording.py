"""Words of reasons: untrusted text on one line, and counted nouns."""


def shown(text: str, limit: int = 200) -> str:
    """Make untrusted text safe for one line of a terminal, a log or a prompt."""
    line = " ".join(text.split())
    line = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def counted(number: int, noun: str) -> str:
    """Name a number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
