"""What a prompt is made of and what comes out."""

from dataclasses import dataclass

from bot.domain.gap import Gap
from bot.llm.values import Message


@dataclass(frozen=True, slots=True)
class Question:
    """What a prompt is made of.

    Attributes:
        gap: What is to be closed; untrusted.
        instructions: The rules and the answer format; the only text that is trusted.
        checks: The commands that will judge the change.
        memory: What earlier cycles on this gap tried; empty for nothing.
        skills: Texts of skills, the most fitting first.
        room_tokens: Most tokens of the whole prompt, by `estimate`.
        nonce: What no one who wrote a file can know.
    """

    gap: Gap
    instructions: str
    checks: tuple[str, ...]
    memory: str
    skills: tuple[str, ...]
    room_tokens: int
    nonce: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt and what it holds.

    Attributes:
        messages: The first is the system's: the instructions and the rule about data,
            and nothing from outside.
        files_shown: Paths whose text is in it, the most important first.
        dropped: What was left out or cut, in words, in the order of the sections.
        estimate: Tokens, by `estimate`; at most the room.
    """

    messages: tuple[Message, ...]
    files_shown: tuple[str, ...]
    dropped: tuple[str, ...]
    estimate: int
