"""Bounds on the tokens of a prompt that hold whatever the tokenizer is."""

from collections.abc import Iterable

from bot.llm.values import Message

_PER_MESSAGE = 16
_ASCII = 0x80
_WORDS_ONLY = bytes(
    code if code >= _ASCII or chr(code).isalnum() else 0x20 for code in range(256)
)
_FOREIGN = bytes(range(_ASCII, 256))
_BYTES_PER_TOKEN = (
    24  # eight letters of a script without spaces; no tokenizer packs more
)
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


def is_cut(least: int, input_tokens: int) -> bool:
    """Tell whether a server counted clearly fewer tokens than it was sent.

    A server that reports none is not blamed: some count only what was in no cache.

    Args:
        least: The fewest tokens that the prompt can be.
        input_tokens: What the server counted.
    """
    return least >= _SMALL and 0 < input_tokens < least * _CLEARLY


def _least(text: str) -> int:
    # By tables of bytes: a regex over a large prompt takes as long as the request.
    raw = text.encode("utf-8", "replace")
    foreign = len(raw) - len(raw.translate(None, _FOREIGN))
    return len(raw.translate(_WORDS_ONLY).split()) + foreign // _BYTES_PER_TOKEN
