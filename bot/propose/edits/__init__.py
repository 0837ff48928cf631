"""The edit layer: an answer laid over the base, exactly or not at all."""

from bot.propose.edits.apply import to_edits
from bot.propose.edits.symbols import symbols
from bot.propose.edits.values import Limits, Misfit, Texts

__all__ = ["Limits", "Misfit", "Texts", "symbols", "to_edits"]
