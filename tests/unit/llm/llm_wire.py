"""A wire without a network, for what is about money and order, not about HTTP."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.llm.values import TokenUsage
from bot.llm.wire import Answered, WireAnswer, WireCall


@dataclass
class ScriptedWire:
    """Ends one exchange after the other as it was told; notes who was asked."""

    script: list[WireAnswer] = field(default_factory=list)
    calls: list[WireCall] = field(default_factory=list)

    def __call__(
        self, call: WireCall, is_cancelled: Callable[[], bool], /
    ) -> WireAnswer:
        self.calls.append(call)
        return self.script.pop(0)

    @property
    def asked(self) -> list[str]:
        return [call.target.name for call in self.calls]


def said(text: str = "Done.", tokens: tuple[int, int] = (50, 20)) -> Answered:
    """Return an answer with its usage."""
    return Answered(text, TokenUsage(*tokens), "stop")
