"""The answer format: its instructions, and the reading of what a model answered."""

from bot.propose.answer.format import INSTRUCTIONS, choose_mark, instructions
from bot.propose.answer.parse import parse_answer
from bot.propose.answer.values import (
    Answer,
    Decline,
    Delete,
    Malformed,
    Operation,
    Rename,
    Replace,
    WantsFiles,
    WholeFile,
)

__all__ = [
    "INSTRUCTIONS",
    "Answer",
    "Decline",
    "Delete",
    "Malformed",
    "Operation",
    "Rename",
    "Replace",
    "WantsFiles",
    "WholeFile",
    "choose_mark",
    "instructions",
    "parse_answer",
]
