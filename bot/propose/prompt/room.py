"""How many tokens a text takes, without a tokenizer, and the room that is left.

Two bounds are used. The worst case, which is reserved and charged against, is one
token a byte and holds for every tokenizer (`bot.llm.tokens.most_tokens`). The estimate
here is for fitting a prompt into a context: letters and spaces three to a token, other
ASCII characters one each, and two tokens for three bytes of anything else, so two a
Chinese character. Usual tokenizers need 3.5 to 4.5 bytes a token for prose and code,
and one to one and a half tokens a Chinese character; only long runs of random letters
can need more than the estimate.
"""

from bot.llm.values import Message

PER_MESSAGE = 16
"""Tokens that a message costs beside its text."""

_LETTERS = bytes(range(65, 91)) + bytes(range(97, 123)) + b" "
_ABOVE_ASCII = bytes(range(128, 256))


def estimate(text: str) -> int:
    """Return the tokens that a text takes at most, as usual tokenizers go."""
    data = text.encode("utf-8", "replace")
    other = data.translate(None, _LETTERS)
    ascii_only = other.translate(None, _ABOVE_ASCII)
    letters, high = len(data) - len(other), len(other) - len(ascii_only)
    return -(-letters // 3) + len(ascii_only) + -(-2 * high // 3)


def estimate_all(messages: tuple[Message, ...]) -> int:
    """Return the tokens that messages take at most."""
    return sum(estimate(message.text) + PER_MESSAGE for message in messages)


class Room:
    """Tokens that are left.

    Attributes:
        left: How many; never negative.
    """

    def __init__(self, tokens: int) -> None:
        self.left = max(0, tokens)

    def take(self, text: str) -> bool:
        """Take the room of a text with a line end behind it, if it is there."""
        cost = estimate(text) + 1
        if cost > self.left:
            return False
        self.left -= cost
        return True

    def give(self, tokens: int) -> None:
        """Put tokens back that were set aside."""
        self.left += tokens

    def set_aside(self, tokens: int) -> int:
        """Set up to so many tokens aside; return how many."""
        kept = min(self.left, tokens)
        self.left -= kept
        return kept


def cut(text: str, tokens: int) -> str:
    """Return as many whole lines from the start of a text as fit into the tokens."""
    kept: list[str] = []
    for line in text.splitlines(keepends=True):
        tokens -= estimate(line)
        if tokens < 0:
            break
        kept.append(line)
    return "".join(kept)
