"""The prompt: what is asked, what is known, and code, within the room of a model."""

from bot.propose.prompt.build import MAX_ASKED, build, with_files
from bot.propose.prompt.names import is_searched
from bot.propose.prompt.room import estimate
from bot.propose.prompt.values import Prompt, Question
from bot.propose.prompt.view import CodeView

__all__ = [
    "MAX_ASKED",
    "CodeView",
    "Prompt",
    "Question",
    "build",
    "estimate",
    "is_searched",
    "with_files",
]
