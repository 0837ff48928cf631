"""The text of a requirements document, its lines, and the places of its markers.

Before Markdown is parsed, the word inside every `[bot-eligible]` and `[bot-done]` is
replaced by a word of its own. So a parsed text says which of them it holds, to the
column, and no link reference of that name can catch one.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from bot.cycle.gaps.front_matter import front_matter_end
from bot.errors import Misconfigured

ELIGIBLE = "bot-eligible"
DONE = "bot-done"
_BOM = "\ufeff"
# CommonMark's line ends: U+2028, form feed and the like are ordinary characters.
_LINE_END = re.compile(r"\r\n|\r|\n")
_MARKER = re.compile(rf"(?<=\[)(?:{ELIGIBLE}|{DONE})(?=\])")
# Private-use characters: neither white space nor punctuation for Markdown.
MASK_START = "\ue000"
_SALTED, _CLOSE = "\ue001", "\ue002"


@dataclass(frozen=True, slots=True)
class PrdFile:
    """One requirements document; a BOM stays in `text`, so that it can be kept."""

    path: str
    text: str


def decode(path: str, data: bytes) -> PrdFile:
    """Decode a document from UTF-8, with or without a BOM.

    Raises:
        Misconfigured: It is not UTF-8; the message names the file and the byte.
    """
    try:
        return PrdFile(path, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Misconfigured(
            f"{path} is not UTF-8: byte 0x{data[error.start]:02x} at offset"
            f" {error.start} ({error.reason}); save the file as UTF-8"
        ) from error


@dataclass(frozen=True, slots=True)
class Mark:
    """One `[bot-eligible]` or `[bot-done]` as it stands in the source.

    Attributes:
        line: Index of its line, from 0.
        column: Where the word inside the brackets starts.
        word: That word.
    """

    line: int
    column: int
    word: str


@dataclass(frozen=True, slots=True)
class Source:
    """A document in lines, ready for Markdown.

    Attributes:
        bom: The byte order mark, or nothing.
        lines: The lines without their ends.
        ends: The end of each line, as it was.
        masked: The lines with each marker's word replaced; front matter is blank.
        marks: The markers; the replacement word number n stands for `marks[n]`.
        mask: Matches a replacement word; its group is n.
    """

    bom: str
    lines: tuple[str, ...]
    ends: tuple[str, ...]
    masked: tuple[str, ...]
    marks: tuple[Mark, ...]
    mask: re.Pattern[str]

    @property
    def markdown(self) -> str:
        """The text for the parser: LF only, no NUL, as CommonMark wants it."""
        return "\n".join(self.masked).replace("\0", "\ufffd")

    def unmask(self, text: str) -> str:
        """Put the markers' own words back."""
        return self.mask.sub(lambda m: self.marks[int(m[1])].word, text)

    def with_line(self, index: int, line: str) -> str:
        """Return the whole text with one line replaced and nothing else changed."""
        lines = (*self.lines[:index], line, *self.lines[index + 1 :])
        pairs = zip(lines, self.ends, strict=True)
        return self.bom + "".join(text + end for text, end in pairs)


def has_marker(text: str) -> bool:
    """Whether the text can hold a gap at all; a cheap look before any parsing."""
    return f"[{ELIGIBLE}]" in text or f"[{DONE}]" in text


def read_source(text: str) -> Source:
    """Cut a text into lines, leave front matter out and mask the markers."""
    bom = _BOM if text.startswith(_BOM) else ""
    body = text[len(bom) :]
    ends = (*_LINE_END.findall(body), "")
    lines = tuple(_LINE_END.split(body))
    salt = next(n for n in count() if f"{MASK_START}{n}{_SALTED}" not in text)
    prefix = f"{MASK_START}{salt}{_SALTED}"
    first = front_matter_end(lines)
    marks: list[Mark] = []
    masked = [""] * first
    for index in range(first, len(lines)):
        line = lines[index]
        if has_marker(line):
            line = _MARKER.sub(_replacing(index, prefix, marks), line)
        masked.append(line)
    mask = re.compile(rf"{prefix}(\d+){_CLOSE}")
    return Source(bom, lines, ends, tuple(masked), tuple(marks), mask)


def _replacing(
    index: int, prefix: str, marks: list[Mark]
) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        marks.append(Mark(index, match.start(), match[0]))
        return f"{prefix}{len(marks) - 1}{_CLOSE}"

    return replace
