"""A first prompt while it is filled, section by section, as long as there is room."""

from bot.llm.values import Message, ModelFailed
from bot.propose.prompt.code import NO_ROOM, RANKED, Code, choose
from bot.propose.prompt.fence import Fence
from bot.propose.prompt.named import named_files
from bot.propose.prompt.names import MAX_SHOWN_BYTES
from bot.propose.prompt.plain import plain
from bot.propose.prompt.room import PER_MESSAGE, Room, cut, estimate, estimate_all
from bot.propose.prompt.secret import masked
from bot.propose.prompt.values import Prompt, Question
from bot.propose.prompt.view import CodeView

CODE_TOKENS = 40_000
"""The most that code takes, by estimate: models lose their way in more."""

_GUIDES = (
    *("agents.md", "contributing.md", "contributing.rst", "contributing.txt"),
    *("contributing", ".github/contributing.md", "docs/contributing.md"),
)
# Of the room behind the gap, so that no section takes it from those behind.
_GUIDE_SHARE, _CHECKS_SHARE, _MEMORY_SHARE, _SKILLS_SHARE = 8, 8, 8, 4
_NOTE_TOKENS = 120
_FENCE_TOKENS = 120  # the lines around a section, at most
_CUT = "[the rest is left out]\n"


class Draft:
    """Fills the sections in their fixed order; what stands last has room last."""

    def __init__(self, question: Question, code: CodeView, fence: Fence) -> None:
        self._question = question
        self._code = code
        self._fence = fence
        self._sections: list[str] = []
        self._dropped: list[str] = []
        self._room = Room(question.room_tokens - 2 * PER_MESSAGE - _NOTE_TOKENS)

    def prompt(self) -> Prompt:
        """Return the prompt.

        Raises:
            ModelFailed: Not even the instructions and the gap fit.
            MarkTaken: A text holds the mark.
        """
        question = self._question
        system = f"{question.instructions}\n\n{self._fence.rule()}"
        self._put_gap(system)
        whole = self._room.left
        self._put_guides(whole // _GUIDE_SHARE)
        checks = "\n".join(" ".join(check.split()) for check in question.checks)
        self._put(
            "checks", "Checks that judge the change", checks, whole // _CHECKS_SHARE
        )
        self._put("memory", "Earlier attempts", question.memory, whole // _MEMORY_SHARE)
        skills = "\n\n".join(question.skills)
        self._put("skills", "Skills", skills, whole // _SKILLS_SHARE)
        chosen = self._put_code()
        user = "\n".join((*self._sections, *self._note(chosen)))
        messages = (Message("system", system), Message("user", user))
        told = tuple(f"{path}: {why}" for path, why in chosen.left_out.items())
        rest = (f"{chosen.unlisted} files of the map",) if chosen.unlisted else ()
        return Prompt(
            messages,
            tuple(chosen.shown),
            (*self._dropped, *told, *rest),
            estimate_all(messages),
        )

    def _put_gap(self, system: str) -> None:
        gap = self._question.gap
        facts = [f"file: {gap.path}", f"section: {gap.section or 'none'}"]
        if gap.fix:
            facts.append("kind: a fault; a new test must fail without the change")
        text = masked(plain("\n".join((*facts, "", gap.text))))
        block = f"# The gap to close\n\n{self._fence.around('gap', text)}\n"
        if not (self._room.take(system) and self._room.take(block)):
            raise ModelFailed(
                f"the instructions and gap {gap.id} alone need about "
                f"{estimate(system) + estimate(block)} tokens, and there is room for "
                f"{self._question.room_tokens}: use a model with a larger context"
            )
        self._sections.append(block)

    def _put_guides(self, tokens: int) -> None:
        by_name = {path.lower(): path for path in self._code.paths()}
        for path in (by_name[name] for name in _GUIDES if name in by_name):
            if (self._code.size(path) or 0) > MAX_SHOWN_BYTES:
                self._dropped.append(path)
                continue
            content = self._code.read(path) or b""
            text = content.decode("utf-8", "replace").replace("\0", "")
            self._put(path, f"Conventions of the repository: {path}", text, tokens)

    def _put(self, name: str, title: str, raw: str, tokens: int) -> None:
        """Put a section, cut to its share of the room, or leave it out."""
        text = masked(plain(raw)).strip("\n")
        if not text:
            return
        share = min(tokens, self._room.left) - _FENCE_TOKENS - estimate(title + name)
        if estimate(text) > share:
            text = cut(text, share - estimate(_CUT))
            self._dropped.append(f"{name} (cut)" if text else name)
            text += _CUT if text else ""
        block = f"# {title}\n\n{self._fence.around(name, text)}\n"
        if text and self._room.take(block):
            self._sections.append(block)

    def _put_code(self) -> Code:
        gap, code = self._question.gap, self._code
        text = "\n".join((gap.title, gap.section or "", gap.text, *gap.notes))
        # Of all files the requirements fit the gap best, and say nothing new.
        named = [p for p in named_files(text, code.paths()) if p != gap.path]
        ranked = [p for p in code.rank(text, RANKED) if p != gap.path]
        room = Room(min(self._room.left - 2 * _FENCE_TOKENS, CODE_TOKENS))
        chosen = choose(code, named, ranked, room, self._fence)
        if chosen.files:
            self._sections.append("# Files\n\n" + "\n".join(chosen.files) + "\n")
        if chosen.map:
            block = self._fence.around("map", "\n".join(chosen.map))
            self._sections.append(
                f"# Other files (path: names it defines)\n\n{block}\n"
            )
        return chosen

    def _note(self, chosen: Code) -> tuple[str, ...]:
        """Return the line that tells the model what is missing; bounded."""
        no_room = sum(why == NO_ROOM for why in chosen.left_out.values())
        counted = (
            (len(self._dropped), "sections, whole or in part"),
            (no_room, "files that may matter"),
            (chosen.unlisted, "names of other files"),
        )
        parts = [f"{number} {what}" for number, what in counted if number]
        return (f"Left out for lack of room: {', '.join(parts)}.\n",) if parts else ()
