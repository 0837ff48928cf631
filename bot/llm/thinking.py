"""Takes a model's spoken thinking off the front of its answer, and nothing else."""

import re

_OPEN = re.compile(r"\s*<(think|thinking)>", re.IGNORECASE)
_CLOSE = "</think>"
_LONE_CLOSE = re.compile(
    r"(?:(?!```|~~~|<<<<|<think).)*?</think>[ \t]*(?:\n\s*|$)", re.DOTALL
)


def without_thinking(text: str) -> str:
    """Return the text without a block of thinking at its start.

    Only a leading block is thinking: the tags may well stand in a file further down.
    Where a server swallowed the opening tag, all up to a closing tag that ends its
    line is taken off, unless a fence or an edit begins before it.
    """
    opened = _OPEN.match(text)
    if opened is None:
        lone = _LONE_CLOSE.match(text) if _CLOSE in text else None
        return text[lone.end() :] if lone else text
    close = f"</{opened[1].lower()}>"
    end = text.lower().find(close, opened.end())
    if end < 0:  # cut off while it was still thinking
        return ""
    return text[end + len(close) :].lstrip()
