"""A piece of inline Markdown as people see it, line by line, with its markers and tags.

Text inside code spans, links, images and HTML is never a marker or a tag.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from bot.cycle.gaps.markdown import SOURCE, Env, parse_inline
from bot.cycle.gaps.source import Source

_TAG = re.compile(
    r"\[(?:(?P<flag>p[0-3]|fix)|(?P<name>id|depends|recipe):(?P<value>[^\[\]]*))\]"
)
_UNREADABLE = re.compile(r"\[(?:id|depends|recipe):")
_BREAK = re.compile(r"<br[\s/>]", re.IGNORECASE)


@dataclass(slots=True)
class SeenLine:
    """One source line of a piece, as rendered.

    Attributes:
        texts: What a reader sees, in order, without markers and tags.
        marks: Numbers of the markers that count.
        tags: Tags that count, as (name, value); `p0` and `fix` stand as their name.
        unreadable: Starts of tags that never became one.
    """

    texts: list[str] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    tags: list[tuple[str, str]] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text with white space collapsed."""
        return " ".join("".join(self.texts).split())


def read_inline(text: str, source: Source, env: Env) -> list[SeenLine]:
    """Read a piece of masked inline Markdown into its lines."""
    reader = _Reader(source)
    for token in parse_inline(text, env):
        reader.take(token)
    return reader.lines


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._marker = re.compile(rf"\[{source.mask.pattern}\]")
        self._links: list[int] = []  # how many lines there were when each opened
        self.lines = [SeenLine()]

    def take(self, token: Token) -> None:
        match token.type:
            case "text" if not self._links:
                self._take_text(token.content)
            case "text" | "text_special":
                self._add(token.content)
            case "code_inline":
                width = len(token.markup)
                self._add_lines(token.meta[SOURCE][width:-width])
            case "html_inline" | "softbreak" | "hardbreak":
                self._take_break(token)
            case "link_open":
                self._links.append(len(self.lines))
            case "link_close":
                self._leave_link(token)
            case "image":
                self._skip_lines(token.meta[SOURCE].count("\n"))

    def _take_text(self, text: str) -> None:
        line = self.lines[-1]
        line.marks.extend(int(found[1]) for found in self._marker.finditer(text))
        text = self._marker.sub("", text)
        line.tags.extend(_tags(text))
        text = _TAG.sub("", text)
        line.unreadable.extend(_UNREADABLE.findall(text))
        self._add(text)

    def _take_break(self, token: Token) -> None:
        if token.type != "html_inline":
            self.lines.append(SeenLine())
            return
        if _BREAK.match(token.content):
            self._add(" ")
        self._skip_lines(token.content.count("\n"))

    def _add(self, text: str) -> None:
        self.lines[-1].texts.append(self._source.unmask(text))

    def _add_lines(self, text: str) -> None:
        first, *others = text.split("\n")
        self._add(first)
        for other in others:
            self.lines.append(SeenLine())
            self._add(other)

    def _leave_link(self, token: Token) -> None:
        # An autolink has no source here and holds no line end.
        lines = token.meta.get(SOURCE, "").count("\n")
        self._skip_lines(lines - (len(self.lines) - self._links.pop()))

    def _skip_lines(self, number: int) -> None:
        self.lines.extend(SeenLine() for _ in range(number))


def joined(lines: Sequence[SeenLine]) -> SeenLine:
    """Make one line of several, with white space between."""
    return SeenLine(
        [text for line in lines for text in (*line.texts, " ")],
        [mark for line in lines for mark in line.marks],
        [tag for line in lines for tag in line.tags],
        [start for line in lines for start in line.unreadable],
    )


def _tags(text: str) -> Iterator[tuple[str, str]]:
    for found in _TAG.finditer(text):
        yield found["flag"] or found["name"], found["value"] or ""
