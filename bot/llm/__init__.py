"""The only door to language models: money, waits, cascades and stored replies."""

from bot.llm.gateway import Gateway
from bot.llm.replay import Replay
from bot.llm.replies import ReplyStore
from bot.llm.values import CallScope, Message, ModelFailed, Reply, TokenUsage

__all__ = [
    "CallScope",
    "Gateway",
    "Message",
    "ModelFailed",
    "Replay",
    "Reply",
    "ReplyStore",
    "TokenUsage",
]
