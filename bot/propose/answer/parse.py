"""A model's text read as an answer, a refusal, a wish for files, or none of these."""

import re
from collections.abc import Mapping

from bot.propose.answer.blocks import Blocks
from bot.propose.answer.format import MAX_QUESTIONS, MAX_WANTED
from bot.propose.answer.head import Head, read_head
from bot.propose.answer.marks import Unreadable, clean_path, split_lines
from bot.propose.answer.values import (
    Answer,
    Decline,
    DeclineKind,
    Malformed,
    Operation,
    Rename,
    WantsFiles,
)

_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_WITHHELD = frozenset({"content_filter", "safety", "recitation", "refusal", "error"})
_THOUGHT = re.compile(
    r"^[ \t]*<(think|thinking|thought)>", re.IGNORECASE | re.MULTILINE
)
_SIDE = re.compile(r"[ab]/")  # the sides of a diff, which some put before a path
_SUMMARY = 200  # characters; a longer one is cut
_KINDS: Mapping[str, DeclineKind] = {
    "unclear": "unclear",
    "too_big": "too_big",
    "already_done": "already_done",
}
_NEEDED = {"unclear": "questions", "too_big": "split", "already_done": "evidence"}


def parse_answer(
    text: str, finish_reason: str | None, mark: str
) -> Answer | Decline | WantsFiles | Malformed:
    """Read a model's text; nothing in it is guessed.

    Args:
        text: As the model gave it, perhaps with its thoughts in front.
        finish_reason: The provider's; None when it gave none.
        mark: The one that the prompt gave for this answer.
    """
    reason = (finish_reason or "").lower()
    if reason in _CUT_OFF:
        return Malformed(
            f"the answer was cut off (finish reason {reason}): it must be shorter, with "
            "`edit` blocks instead of whole files, or the gap is too_big"
        )
    if reason in _WITHHELD:
        return Malformed(f"the answer ended with {reason} before it was complete")
    try:
        blocks = Blocks(mark)
        blocks.read(split_lines(_without_thoughts(text, mark)))
        return _joined(blocks, mark, text)
    except Unreadable as unreadable:
        return Malformed(str(unreadable), unreadable.quote)


def _without_thoughts(text: str, mark: str) -> str:
    """Drop what a reasoning model thinks before it answers."""
    begun = _THOUGHT.search(text, 0, _first(text, mark))
    if begun:
        closing = f"</{begun[1].lower()}>"
        end = text.lower().find(closing, begun.end())
        if end >= 0:
            return text[: begun.start()] + "\n" + text[end + len(closing) :]
        if not text[: begun.start()].strip():
            raise Unreadable(f"the answer was cut off inside {begun[0].strip()}")
    # Some servers swallow the opening tag; files may hold the closing one.
    before, found, after = text.partition("</think>")
    return after if found and mark not in before else text


def _first(text: str, mark: str) -> int:
    at = text.find(mark)
    return len(text) if at < 0 else at


def _joined(
    blocks: Blocks, mark: str, text: str
) -> Answer | Decline | WantsFiles | Malformed:
    if blocks.head is None:
        start = " ".join(text.split())[:160]
        what = "no marker lines" if blocks.is_empty else "no head"
        return Malformed(f"the answer has {what} with the mark {mark}", start)
    head = read_head(blocks.head)
    operations = tuple(blocks.operations)
    if head.text("decline") or head.items("need"):
        return _without_change(head, operations)
    _check_complete(head, operations, is_done=blocks.is_done)
    summary = " ".join(head.text("summary").split())
    if not summary:
        return Malformed("the head has no `summary`")
    return Answer(
        summary=summary if len(summary) <= _SUMMARY else summary[: _SUMMARY - 1] + "…",
        rationale=head.text("rationale"),
        tests_added=head.items("tests"),
        skills_used=head.items("skills"),
        operations=operations,
        removes=tuple(name.strip("`() ") for name in head.items("removes")),
    )


def _without_change(
    head: Head, operations: tuple[Operation, ...]
) -> Decline | WantsFiles | Malformed:
    wish = "decline" if head.text("decline") else "need"
    if operations:
        return Malformed(f"the head has `{wish}`, and yet the answer changes files")
    if wish == "decline" and head.items("need"):
        return Malformed("the head has both `decline` and `need`")
    if wish == "need":
        paths = dict.fromkeys(clean_path(path) for path in head.items("need"))
        return WantsFiles(tuple(path for path in paths if path)[:MAX_WANTED])
    return _decline(head)


def _decline(head: Head) -> Decline | Malformed:
    said = head.text("decline").strip("`\"' .").lower().replace(" ", "_")
    kind = _KINDS.get(said.replace("-", "_"))
    if kind is None:
        return Malformed(
            f"`decline` is {said[:40]!r}; it must be one of {', '.join(_KINDS)}"
        )
    if not head.items(_NEEDED[kind]):
        return Malformed(f"`decline: {kind}` needs a list `{_NEEDED[kind]}`")
    reason = head.text("reason") or head.text("rationale") or head.text("summary")
    return Decline(
        kind=kind,
        reason=reason or "no reason was given",
        questions=head.items("questions")[:MAX_QUESTIONS],
        split=head.items("split"),
        evidence=head.items("evidence"),
    )


def _check_complete(
    head: Head, operations: tuple[Operation, ...], *, is_done: bool
) -> None:
    """Refuse an answer without change, and one that may have been cut between blocks."""
    if not operations:
        raise Unreadable("the answer changes no file, declines nothing, asks for none")
    files = head.items("files")
    paths = [path for operation in operations for path in _paths(operation)]
    missing = [item for item in files if not any(_names(item, path) for path in paths)]
    if missing:
        raise Unreadable(
            "the head names files of which the answer has no block", ", ".join(missing)
        )
    if not files and not is_done:
        raise Unreadable(
            "the answer has neither a final `done` nor `files` in its head, so it can't "
            "be told whether it is complete"
        )


def _paths(operation: Operation) -> tuple[str, ...]:
    if isinstance(operation, Rename):
        return operation.old, operation.new
    return (operation.path,)


def _names(item: str, path: str) -> bool:
    """Return whether an entry of the head's `files` speaks of the path."""
    listed, plain = _plain(clean_path(item)), _plain(path)
    found = re.search(rf"(?<![\w/.-]){re.escape(plain)}(?![\w/-])", listed)
    return found is not None


def _plain(path: str) -> str:
    side = _SIDE.match(path)
    return path[side.end() :] if side else path
