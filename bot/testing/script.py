"""What a scripted model server can answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

_BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as the server got it.

    Attributes:
        path: Of the address; it tells the protocol.
        headers: Names in lower case.
        body: The JSON that was sent.
    """

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def dialect(self) -> str:
        """Whose protocol it speaks: `openai`, `anthropic` or `google`."""
        if self.path.endswith("/messages"):
            return "anthropic"
        return "google" if ":generateContent" in self.path else "openai"

    @property
    def text(self) -> str:
        """All text of the conversation, one message after the other."""
        return "\n".join(_texts(self.body))

    @property
    def tokens(self) -> int:
        """A plausible count of its prompt's tokens."""
        return max(1, len(self.text.encode()) // _BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Says:
    """An answer with its usage.

    Attributes:
        text: What the model says.
        finish: `stop`, or `length` for an answer that was cut off.
        input_tokens: Of the prompt; None counts them.
        output_tokens: Of the answer; None counts them.
        cached: Those of the prompt that came from a cache.
        reasoning: Those of the answer that were thinking.
        has_usage: Whether it tells the usage at all.
        after_s: How long it takes.
    """

    text: str
    finish: str = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached: int = 0
    reasoning: int = 0
    has_usage: bool = True
    after_s: float = 0.0

    @property
    def written(self) -> int:
        """The tokens of the answer."""
        if self.output_tokens is not None:
            return self.output_tokens
        return max(1, len(self.text.encode()) // _BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Refuses:
    """The model says in the protocol's own way that it won't."""

    text: str = "I can't help with that."


@dataclass(frozen=True, slots=True)
class Fails:
    """An HTTP error; `message` and `code` stand in its JSON body."""

    status: int = 500
    message: str = "the server had an error"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def RateLimited(retry_after: str | None = "1") -> Fails:  # noqa: N802  reads as the others
    """Answer 429 with a `Retry-After`."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Fails(429, "Rate limit reached", "rate_limit_exceeded", headers)


def QuotaUsedUp() -> Fails:  # noqa: N802  as above
    """Answer 429 as OpenAI does when an account has nothing left."""
    text = (
        "You exceeded your current quota, please check your plan and billing details."
    )
    return Fails(429, text, "insufficient_quota")


@dataclass(frozen=True, slots=True)
class Malformed:
    """A good status with a body that is no answer."""

    body: str = "<html>no JSON</html>"


@dataclass(frozen=True, slots=True)
class Hangs:
    """No answer, until the other side or the server ends."""

    longest_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Drops:
    """The connection is closed without an answer once the request is read."""


Answer: TypeAlias = Says | Refuses | Fails | Malformed | Hangs | Drops
Step: TypeAlias = Answer | Callable[[Seen], Answer]


def _texts(value: object) -> list[str]:
    """Return the text parts of a body of any of the protocols, in order."""
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    if not isinstance(value, Mapping):
        return []
    found: list[str] = []
    for key in ("system", "systemInstruction", "messages", "contents", "parts"):
        inner = value.get(key)
        found += [inner] if isinstance(inner, str) else _texts(inner)
    for key in ("content", "text"):
        inner = value.get(key)
        found += [inner] if isinstance(inner, str) else _texts(inner)
    return found
