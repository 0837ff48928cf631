"""Bounds on the tokens of a prompt that hold whatever the tokenizer is."""

import re
from collections.abc import Iterable

from bot.llm.values import Message

_PER_MESSAGE = 16
_WORD = re.compile(r"[^\W_]+")
_LETTERS_PER_TOKEN = 8  # of a script without spaces; no tokenizer packs more on average
_CLEARLY = 0.75
_SMALL = 200


def most_tokens(messages: Iterable[Message]) -> int:
    """Return more tokens than any tokenizer makes: a byte is never more than one."""
    return sum(
        len(message.text.encode("utf-8", "replace")) + _PER_MESSAGE
        for message in messages
    )


def least_tokens(messages: Iterable[Message]) -> int:
    """Return fewer tokens than any usual tokenizer makes: one a word at least."""
    return sum(_least(message.text) for message in messages)


def is_cut(messages: Iterable[Message], input_tokens: int) -> bool:
    """Tell whether a server counted clearly fewer tokens than it was sent.

    A server that reports none is not blamed: some count only what was in no cache.
    """
    least = least_tokens(messages)
    return least >= _SMALL and 0 < input_tokens < least * _CLEARLY


def _least(text: str) -> int:
    return sum(
        1 if word.isascii() else 1 + len(word) // _LETTERS_PER_TOKEN
        for word in _WORD.findall(text)
    )
