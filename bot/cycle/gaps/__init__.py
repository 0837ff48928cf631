"""The gaps of a requirements document: read, identify, fault, tick, cache."""

from bot.cycle.gaps.cache import GapCache
from bot.cycle.gaps.document import Document, read_document, read_gaps
from bot.cycle.gaps.source import PrdFile, decode
from bot.cycle.gaps.tick import tick, tick_by_id

__all__ = [
    "Document",
    "GapCache",
    "PrdFile",
    "decode",
    "read_document",
    "read_gaps",
    "tick",
    "tick_by_id",
]
