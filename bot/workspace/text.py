"""Text in the convention of the file that it replaces: encoding, line ends, BOM."""

import codecs
import re
from collections import Counter
from dataclasses import dataclass

from bot.workspace.linediff import kept_pairs

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_ENDS = ("\r\n", "\n", "\r")
_BOM = "\ufeff"
_MARKS = (  # UTF-32 first: its little-endian mark starts with that of UTF-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a file's bytes are text: the byte order mark in front, then the codec."""

    mark: bytes
    codec: str


def encoding_of(content: bytes) -> Encoding:
    """Tell the encoding: by its mark, else UTF-8, else Latin-1, which fits any bytes."""
    for mark, codec in _MARKS:
        if content.startswith(mark) and _fits(content[len(mark) :], codec):
            return Encoding(mark, codec)
    return Encoding(b"", "utf-8" if _fits(content, "utf-8") else "latin-1")


def decode(content: bytes) -> str:
    """Return a file's text without its byte order mark, line ends as they are."""
    encoding = encoding_of(content)
    return content[len(encoding.mark) :].decode(encoding.codec)


def split_lines(text: str) -> list[str]:
    """Split at LF, CRLF and CR only, keeping the ends."""
    return _LINE.findall(text)


def conform(old: bytes, new_text: str) -> bytes:
    """Return new text as bytes in the convention of the old file.

    The byte order mark, the encoding, the line ends and the presence of a final line
    end stay as they were. Where the old file mixes line ends, a line that stays keeps
    its own and a new one gets the most frequent. An old file without content has no
    convention, and one without a line end none for line ends.

    Raises:
        ValueError: A character can't be written in the old file's encoding.
    """
    text = new_text.removeprefix(_BOM)
    encoding = encoding_of(old)
    old_lines = split_lines(old[len(encoding.mark) :].decode(encoding.codec))
    if old_lines and text:
        text = _with_ends(old_lines, split_lines(text))
    try:
        return encoding.mark + text.encode(encoding.codec)
    except UnicodeEncodeError as error:
        odd = ascii(text[error.start])
        raise ValueError(
            f"the file is {encoding.codec} and can't hold the character {odd}; "
            "leave that character out"
        ) from error


def _fits(content: bytes, codec: str) -> bool:
    try:
        content.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _end(line: str) -> str:
    return next((end for end in _ENDS if line.endswith(end)), "")


def _bare(line: str) -> str:
    return line.rstrip("\r\n")


def _with_ends(old_lines: list[str], new_lines: list[str]) -> str:
    ends = Counter(_end(line) for line in old_lines if _end(line))
    has_final = bool(_end(old_lines[-1]))
    usual = ends.most_common(1)[0][0] if ends else "\n"
    bare = [_bare(line) for line in new_lines]
    chosen = [usual] * len(bare)
    if len(ends) > 1:
        for i, j in kept_pairs([_bare(line) for line in old_lines], bare):
            chosen[j] = _end(old_lines[i]) or usual
    for j in range(1, len(bare)):
        if chosen[j - 1] == "\r" and not bare[j] and chosen[j] == "\n":
            chosen[j] = "\r"  # else the two would be read as one CRLF
    text = "".join(line + end for line, end in zip(bare, chosen, strict=True))
    return text if has_final else text.rstrip("\r\n")
