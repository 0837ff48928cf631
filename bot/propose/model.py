"""The proposer that asks a language model; its answers are laid over the base exactly."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.domain.change import Declined, FileEdit, NoAnswer, Proposal, Refused
from bot.domain.gap import Gap
from bot.llm.values import Message, ModelFailed, Reply
from bot.propose.answer import (
    Answer,
    Decline,
    Malformed,
    WantsFiles,
    choose_mark,
    instructions,
    parse_answer,
)
from bot.propose.edits import Limits, Misfit, Texts, to_edits
from bot.propose.prompt import CodeView, Prompt, Question, build, with_files
from bot.propose.prompt.fence import Fence, MarkTaken, marks
from bot.propose.prompt.room import cut
from bot.propose.proposer import Feedback, Task

MAX_OUTPUT = 16_000
"""Tokens of an answer that are reserved; a server may allow fewer."""

ROUNDS_OF_FILES = 2
"""How often a model may ask for more files before it answers."""

REPAIR_ROUNDS = 2
"""How often it is told that the checks are red."""

_FAILURE_TOKENS = 4000
_ROLE = """\
You change a repository so that one gap of its requirements document is closed, and
nothing else. Write the smallest change that closes it well, in the style of the files
around it, with a test where the repository has tests. The repository's own checks judge
the change; never weaken, skip or delete a check or a test to make them green.

"""


class Base(Protocol):
    """The commit that an answer is for, as its files lie in a working tree."""

    def read(self, path: str, /) -> bytes | None:
        """Return a file; None where there is none."""
        ...

    def paths(self) -> Collection[str]:
        """Return all paths."""
        ...

    def is_executable(self, path: str, /) -> bool:
        """Whether a file has its x bit."""
        ...


class Ask(Protocol):
    """Asks the models within the caps of the gap's cycle."""

    def __call__(self, messages: Sequence[Message], task: Task, /) -> Reply:
        """Return the answer of the first model that gives one."""
        ...


@dataclass(slots=True)
class _Talk:
    """The conversation of one cycle."""

    task: Task
    mark: str
    room: int
    code: CodeView
    base: Base
    messages: list[Message]
    tokens: int = 0
    rounds_of_files: int = 0
    is_asked_again: bool = False


class ModelProposer:
    """Closes gaps with a language model; it sees text and answers text.

    Args:
        ask: The gateway, bound to the repository's caps.
        room: Returns the tokens of prompt that there is room for.
        code: Returns the files of a commit for the prompt.
        base: Returns the files of a commit that an answer is laid over.
        checks: The commands that will judge the change.
        texts: How contents and text become each other.
    """

    can_spend = True

    def __init__(
        self,
        ask: Ask,
        room: Callable[[], int],
        code: Callable[[str], CodeView],
        base: Callable[[str], Base],
        checks: Sequence[str],
        texts: Texts,
    ) -> None:
        self._ask = ask
        self._room = room
        self._code = code
        self._base = base
        self._checks = tuple(checks)
        self._texts = texts
        self._talk: _Talk | None = None

    def repair_rounds(self, gap: Gap) -> int:  # noqa: ARG002 - the same for each
        """Return how often red checks are told to the model."""
        return REPAIR_ROUNDS

    def propose(
        self, task: Task, feedback: Feedback | None = None
    ) -> Proposal | Declined | NoAnswer | Refused:
        """Ask for a change, or for a better one than the last.

        Raises:
            Deferred: No model can be reached now.
            OverBudget: No model's worst case fits the caps.
            Misconfigured: A key, a price or a server is not right.
            Interrupted: A signal came.
        """
        try:
            if feedback is None or self._talk is None:
                self._talk = self._begin(task)
            else:
                self._talk.messages.append(_red(self._talk, feedback))
                self._talk.is_asked_again = False
            return self._converse(self._talk)
        except ModelFailed as failed:
            return NoAnswer(str(failed))

    def first_prompt(self, task: Task) -> Prompt:
        """Return what a model would be asked first; nobody is."""
        return self._marked(task, self._code(task.base_sha), self._room())[1]

    def _begin(self, task: Task) -> _Talk:
        code, room = self._code(task.base_sha), self._room()
        mark, prompt = self._marked(task, code, room)
        base = self._base(task.base_sha)
        return _Talk(task, mark, room, code, base, list(prompt.messages))

    def _marked(self, task: Task, code: CodeView, room: int) -> tuple[str, Prompt]:
        """Return a prompt with a mark that stands in nothing from outside."""
        number = 0
        while True:
            mark = choose_mark(f"{task.origin}/{number}")
            prompt = self._prompt(task, mark, code, room)
            if not any(mark in m.text for m in prompt.messages if m.role != "system"):
                return mark, prompt
            number += 1

    def _prompt(self, task: Task, mark: str, code: CodeView, room: int) -> Prompt:
        question = Question(
            gap=task.gap,
            instructions=_ROLE + instructions(mark),
            checks=self._checks,
            memory=task.memory,
            skills=(),
            room_tokens=room,
            nonce=task.origin,
        )
        return build(question, code)

    def _converse(self, talk: _Talk) -> Proposal | Declined | NoAnswer | Refused:
        while True:
            reply = self._ask(tuple(talk.messages), talk.task)
            talk.tokens += reply.usage.total
            talk.messages.append(Message("assistant", reply.text or "(nothing)"))
            said = self._read(talk, reply)
            if said is None:
                continue
            if isinstance(said, Proposal | Declined):
                return said
            if talk.is_asked_again:
                return _given_up(said, reply)
            talk.is_asked_again = True
            talk.messages.append(_told(talk, said))

    def _read(
        self, talk: _Talk, reply: Reply
    ) -> Proposal | Declined | Malformed | Misfit | None:
        """Return what the answer comes to; None when files were asked for and given."""
        said = parse_answer(reply.text, reply.finish_reason, talk.mark)
        if isinstance(said, Decline):
            return _declined(said, reply, talk)
        if isinstance(said, WantsFiles):
            return self._give_files(talk, said)
        if isinstance(said, Malformed):
            return said
        edits = self._edits(talk, said)
        return (
            edits if isinstance(edits, Misfit) else _proposal(said, edits, reply, talk)
        )

    def _give_files(self, talk: _Talk, wanted: WantsFiles) -> Malformed | None:
        if talk.rounds_of_files >= ROUNDS_OF_FILES:
            return Malformed("no more files can be asked for: answer with what you saw")
        talk.rounds_of_files += 1
        prompt = with_files(
            talk.messages,
            wanted.paths,
            talk.code,
            room_tokens=talk.room,
            nonce=talk.task.origin,
        )
        talk.messages = list(prompt.messages)
        return None

    def _edits(self, talk: _Talk, answer: Answer) -> tuple[FileEdit, ...] | Misfit:
        return to_edits(
            answer,
            talk.base.read,
            talk.base.paths,
            Limits(),
            self._texts,
            asked=talk.task.gap.text,
            is_executable=talk.base.is_executable,
        )


def _proposal(
    answer: Answer, edits: tuple[FileEdit, ...], reply: Reply, talk: _Talk
) -> Proposal:
    return Proposal(
        summary=answer.summary,
        rationale=answer.rationale,
        edits=edits,
        model_used=reply.model,
        tokens_used=talk.tokens,
        skills_used=answer.skills_used,
    )


def _declined(said: Decline, reply: Reply, talk: _Talk) -> Declined:
    return Declined(
        kind=said.kind,
        reason=said.reason,
        questions=said.questions or said.split or said.evidence,
        model_used=reply.model,
        tokens_used=talk.tokens,
    )


def _given_up(said: Malformed | Misfit, reply: Reply) -> NoAnswer | Refused:
    """Tell text that was no answer from an answer that doesn't fit."""
    if isinstance(said, Misfit):
        return Refused(f"{reply.model}: the answer doesn't fit the base: {said.reason}")
    return NoAnswer(
        f"{reply.model}: no answer could be read: {said.reason}", reply.text
    )


def _told(talk: _Talk, said: Malformed | Misfit) -> Message:
    """Say what was wrong, with the real text beside it, for one more answer."""
    quote = f"\n\n{_fenced(talk, 'the real text', said.quote)}" if said.quote else ""
    return Message(
        "user",
        f"Your answer can't be used: {said.reason}.{quote}\n\nAnswer once more, whole, "
        f"in the same format with the mark {talk.mark}, about the files as they were "
        "first shown.",
    )


def _red(talk: _Talk, feedback: Feedback) -> Message:
    output = cut(feedback.text, _FAILURE_TOKENS) or feedback.text[-_FAILURE_TOKENS:]
    return Message(
        "user",
        "With your change the repository's checks are red. "
        f"{_fenced(talk, 'what they said', output)}\n\nAnswer once more with the whole "
        f"change, in the same format with the mark {talk.mark}, about the files as they "
        "were first shown, without your last change.",
    )


def _fenced(talk: _Talk, what: str, text: str) -> str:
    for mark in marks(f"{talk.task.origin}/{len(talk.messages)}"):
        try:
            fence = Fence(mark)
            return f"{fence.rule()}\n{fence.around(what, text.replace(talk.mark, ''))}"
        except MarkTaken:
            continue
    raise AssertionError("there is always another mark")
