"""A prompt that fits: what is asked, what is known, and the code that it is about."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from bot.llm.values import Message, ModelFailed
from bot.propose.prompt.code import NO_ROOM, file_block, file_text
from bot.propose.prompt.draft import Draft
from bot.propose.prompt.fence import Fence, MarkTaken, marks
from bot.propose.prompt.names import is_hidden
from bot.propose.prompt.room import PER_MESSAGE, Room, estimate_all
from bot.propose.prompt.secret import masked
from bot.propose.prompt.values import Prompt, Question
from bot.propose.prompt.view import CodeView

MAX_ASKED = 20
"""The most files that are looked at of those that a model asks for at a time."""

_LONGEST_NAME = 200
_REST_TOKENS = 60  # for the line that says how many were not looked at


def build(question: Question, code: CodeView) -> Prompt:
    """Build the first prompt about a gap.

    The sections stand in a fixed order: gap, guides, checks, memory, skills, files
    (named ones first), map. Room is given in that order, so what stands last is left
    out first.

    Raises:
        ModelFailed: Not even the instructions and the gap fit.
    """
    return _unforged(
        question.nonce, lambda fence: Draft(question, code, fence).prompt()
    )


def with_files(
    messages: Sequence[Message],
    files: Sequence[str],
    code: CodeView,
    *,
    room_tokens: int,
    nonce: str,
) -> Prompt:
    """Append the files that the model asked for, within the room that is left.

    Args:
        messages: All so far, the model's own last answer included.
        files: The paths that it asked for; untrusted.
        code: The files of the base.
        room_tokens: Most tokens of the whole prompt, by `estimate`.
        nonce: What no one who wrote a file can know.

    Returns:
        The prompt; its `files_shown` are those of this round.

    Raises:
        ModelFailed: There is no room for a message at all.
    """
    before = tuple(messages)
    left = room_tokens - estimate_all(before) - PER_MESSAGE

    def make(fence: Fence) -> Prompt:
        text, shown, dropped = _answered(files, code, Room(left), fence)
        told = (*before, Message("user", text))
        return Prompt(told, shown, dropped, estimate_all(told))

    return _unforged(nonce, make)


def _unforged(nonce: str, make: Callable[[Fence], Prompt]) -> Prompt:
    """Make the prompt with a mark that stands in none of its texts."""
    candidates = marks(nonce)
    while True:
        with suppress(MarkTaken):
            return make(Fence(next(candidates)))


def _answered(
    files: Sequence[str], code: CodeView, room: Room, fence: Fence
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    head = f"# The files that you asked for\n\n{fence.rule()}\n"
    if not room.take(head) or room.set_aside(_REST_TOKENS) < _REST_TOKENS:
        raise ModelFailed(
            f"no room is left for the files that the model asked for ({len(files)}): "
            "use a model with a larger context"
        )
    parts, shown, dropped = [head], [], []
    asked = tuple(dict.fromkeys(files))
    for path in asked[:MAX_ASKED]:
        text, reason = file_text(code, path)
        block = "" if reason else file_block(path, text, fence)
        if block and room.take(block):
            parts.append(block)
            shown.append(path)
            continue
        dropped.append(f"{path}: {reason or NO_ROOM}")
        line = f"{_name(path)}: {reason or NO_ROOM}"
        if room.take(line):
            parts.append(line)
    rest = len(asked) - len(parts) + 1
    if rest:
        parts.append(f"{rest} more are not shown.")
    return "\n".join(parts) + "\n", tuple(shown), tuple(dropped)


def _name(path: str) -> str:
    """Return what a model called a file, fit for a line outside of any mark."""
    if is_hidden(path):
        return "a file"
    return masked(path[:_LONGEST_NAME])
