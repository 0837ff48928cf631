"""What goes to a model's server and how the exchange can end; no SDK here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bot.llm.target import Target
from bot.llm.values import Message, TokenUsage

NO_KEY = "none"  # an SDK without a key would look for one in the environment


@dataclass(frozen=True, slots=True)
class WireCall:
    """One request.

    Attributes:
        target: Where it goes.
        key: The server's key; never shown.
        messages: The conversation.
        max_output: Most tokens of the answer.
    """

    target: Target
    key: str | None
    messages: tuple[Message, ...]
    max_output: int

    def __repr__(self) -> str:
        return f"WireCall({self.target.name}, {len(self.messages)} messages)"


@dataclass(frozen=True, slots=True)
class Answered:
    """The model answered; `usage` is None where the server told none."""

    text: str
    usage: TokenUsage | None
    finish_reason: str | None


@dataclass(frozen=True, slots=True)
class HttpFault:
    """The server answered with an error; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True, slots=True)
class NotSent:
    """The request never left: no name, no route, nobody listens, no TLS."""

    reason: str


@dataclass(frozen=True, slots=True)
class Lost:
    """The request left, and no answer that can be read came back."""

    reason: str


WireAnswer: TypeAlias = Answered | HttpFault | NotSent | Lost


class Wire(Protocol):
    """Sends one request and waits for its end; it never tries again by itself."""

    def __call__(
        self, call: WireCall, is_cancelled: Callable[[], bool], /
    ) -> WireAnswer:
        """Return how the exchange ended.

        Raises:
            Misconfigured: The packages for this provider are not installed.
        """
        ...
