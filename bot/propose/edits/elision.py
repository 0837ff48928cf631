"""Lines that stand for text which the answer left out.

They are told by what they say, whatever marks the comment: nothing but an ellipsis, or
only words like "rest", "code", "unchanged". Lines that the old text has as well are
none, as long as nothing is missing between them.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.propose.edits.elision_words import (
    ALONE,
    CODE,
    FILLER,
    HELD,
    NOUN,
    PART,
    PHRASES,
    REST,
    STATE,
    THING,
)
from bot.propose.edits.languages import language_of
from bot.propose.edits.lines import common_start

_MAX_WIDTH = 200  # characters; no one leaves out code in a longer line
_MUCH = 250_000  # pairs of lines to compare
_MAX_PHRASE = 40
_MAX_WORDS = 12
_UNKNOWN = 2  # words of a name, as in "rest of TreeView unchanged"

_COMMENT = re.compile(
    r"(?:\#+|//+!?|/\*+|\*+/?|--+\[*|;+|%+|<!--+|\{/\*|\{\#|\(\*|\"\"\"|'''|"
    r"['\"!](?=\s)|rem\b|dnl\b|\.\.(?=\s\w))[ \t]*",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"[\[({<]+[ \t]*")
_CLOSING = re.compile(r"[ \t]*(?:\*+/\}?|--+>|\#\}|\*\)|\"\"\"|'''|[\])}>]+)[;,]?\Z")
_TRAILING = re.compile(r"[ \t](\#|//|/\*|<!--|--[ \t])|[{(;](//|/\*)")
_ELLIPSIS = re.compile(r"\.{3,}|…")
_SPREAD = re.compile(r"(?:\.{3}|…)[\w$.()\[\]]+,?")  # `...rest` of JavaScript
_WORD = re.compile(r"[^\W\d_]+")
_ODD = re.compile(r"[^\s\w.,…:;!()\[\]'\u2019\"`/-]|\w[(\[]")
_HINT = re.compile(r"\.{3}|…|[^\x00-\x7f]|[a-z]{4}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Said:
    """What a line says once its comment marks are off."""

    text: str
    is_comment: bool
    is_bracketed: bool


def find_elision(path: str, new: Sequence[str], old: Sequence[str]) -> int | None:
    """Return the first line of the new text that stands for something left out.

    Args:
        path: Where it stands; an ellipsis means other things in other languages.
        new: The lines of the new text.
        old: The lines in whose place it stands; empty for a new file.
    """
    # In a new text for people nothing can be lost, and much is only spoken of.
    is_new_prose = not old and language_of(path) == "text"
    suspects = [
        at
        for at, line in enumerate(new)
        if _is_suspect(path, new, at, line, is_lax=is_new_prose)
    ]
    if is_new_prose:
        suspects = [at for at in suspects if _WORD.search(new[at])]
    if not suspects or _has_all(new, old, {new[at].strip() for at in suspects}):
        return None
    return suspects[0]


def _has_all(new: Sequence[str], old: Sequence[str], said: AbstractSet[str]) -> bool:
    """Return whether the old text has these lines too, and no less between them."""
    before, after = _pieces(old, said), _pieces(new, said)
    return [head for head, _ in before] == [head for head, _ in after] and all(
        _keeps(piece, other)
        for (_, piece), (_, other) in zip(before, after, strict=True)
    )


def _pieces(
    lines: Sequence[str], said: AbstractSet[str]
) -> list[tuple[str, list[str]]]:
    """Return what stands after the start and after each of the lines, up to the next."""
    pieces: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        text = line.strip()
        if text in said:
            pieces.append((text, []))
        elif text:
            pieces[-1][1].append(text)
    return pieces


def _keeps(old: list[str], new: list[str]) -> bool:
    """Return whether at no place lines are gone for which there are not as many."""
    start = common_start(old, new)
    end = common_start(old[start:][::-1], new[start:][::-1])
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if not old or len(old) * len(new) > _MUCH:
        return not old
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return all(j - i <= last - first for _, i, j, first, last in matcher.get_opcodes())


def _is_suspect(
    path: str, lines: Sequence[str], at: int, line: str, *, is_lax: bool
) -> bool:
    if len(line) > _MAX_WIDTH or not _HINT.search(line):
        return False
    said = _said(line)
    if said.text and not _ELLIPSIS.sub("", said.text).strip(" .,"):
        return _is_bare_ellipsis(path, lines, at, said)
    is_prose = language_of(path) == "text"
    if _speaks_of_rest(said, is_prose=is_prose, is_lax=is_lax):
        return True
    trailing = None if is_prose else _TRAILING.search(line)
    if trailing is None:
        return False
    end = _said(line[trailing.start() + 1 :])
    is_bare = not _ELLIPSIS.sub("", end.text).strip(" .,")
    return not is_bare and len(end.text.split()) > 1 and _speaks_of_rest(end)


def _said(line: str) -> _Said:
    text, is_comment, is_bracketed = line.strip(), False, False
    for _ in range(4):
        comment, bracket = _COMMENT.match(text), _BRACKET.match(text)
        found = comment or bracket
        if not found:
            break
        is_comment = is_comment or comment is not None
        is_bracketed = is_bracketed or bracket is not None
        text = text[found.end() :]
    for _ in range(3):
        text = _CLOSING.sub("", text)
    return _Said(text.strip(), is_comment, is_bracketed)


def _speaks_of_rest(
    said: _Said, *, is_prose: bool = False, is_lax: bool = False
) -> bool:
    text = said.text
    has_ellipsis = _ELLIPSIS.search(text) is not None
    is_aside = said.is_comment or (is_prose and said.is_bracketed)
    if not (is_aside or has_ellipsis) or not text:
        return False
    if len(text) <= _MAX_PHRASE and any(phrase in text for phrase in PHRASES):
        return True
    if _SPREAD.fullmatch(text) and not said.is_comment:
        return False
    if _ODD.search(text):
        return False
    words = [word.lower() for word in _WORD.findall(text)]
    return len(words) <= _MAX_WORDS and _means_rest(
        frozenset(words), has_ellipsis=has_ellipsis, needs_more=is_lax
    )


def _means_rest(words: frozenset[str], *, has_ellipsis: bool, needs_more: bool) -> bool:
    state, part = bool(words & STATE), bool(words & PART)
    noun = bool(words & NOUN)
    unknown = len(words - STATE - PART - NOUN - FILLER)
    if unknown:
        says_much = part and noun and (state or has_ellipsis)
        return unknown <= _UNKNOWN and (says_much or (part and state))
    if has_ellipsis or (state and (part or noun)):
        return state or part or noun
    if needs_more:
        return False
    if words & ALONE:
        return words <= STATE | FILLER
    return bool((words & REST and words & THING) or (words & HELD and words & CODE))


def _is_bare_ellipsis(path: str, lines: Sequence[str], at: int, said: _Said) -> bool:
    """Tell whether a line that is only an ellipsis is no code."""
    if said.is_comment:
        return True
    language, line = language_of(path), lines[at]
    above = next((x for x in reversed(lines[:at]) if x.strip()), "")
    if language == "yaml":
        return line.rstrip() != "..."  # the end of a document
    if language == "c":
        return not above.rstrip().endswith(("(", ","))
    if language == "python" and line.strip() == "...":
        return not _opens_body(path, line, above)
    return True


def _opens_body(path: str, line: str, above: str) -> bool:
    """Tell whether `...` is the whole body of what stands above it."""
    said = above.strip()
    is_deeper = len(line) - len(line.lstrip()) > len(above) - len(above.lstrip())
    ends_doc = said.endswith(('"""', "'''"))
    is_doctest = said.startswith((">>>", "... "))
    return path.endswith(".pyi") or is_deeper or ends_doc or is_doctest
