"""The door to markdown-it: CommonMark with tables and footnotes, and nothing more.

Block structure of the whole document first; inline text only where somebody asks, which
keeps large documents fast.
"""

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.parser_inline import RuleFuncInlineType
from markdown_it.rules_inline import StateInline, backtick, image, link
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

# Levels of quotes, lists (two each: list and item) and footnotes. Each costs two Python
# frames, and the interpreter's own limit is 1000.
MAX_LEVEL = 200
_MAX_INLINE_LEVEL = 20
SOURCE = "source"
"""Key in `meta` of a code span, image and link's end: the whole of it as written."""

Env = dict[str, object]


class _CommonMark(MarkdownIt):
    """Reads links as the specification does; the library's web rules drop some."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 -- the library's name
        del url
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802 -- the library's name
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 -- the library's name
        return link


@cache
def _parser(max_level: int) -> MarkdownIt:
    parser = _CommonMark("commonmark", {"maxNesting": max_level})
    parser.enable("table")
    footnote_plugin(parser, inline=False, move_to_end=False)
    for name, rule in (("backticks", backtick), ("link", link), ("image", image)):
        parser.inline.ruler.at(name, _keeping_source(rule))
    return parser


def _keeping_source(rule: RuleFuncInlineType) -> RuleFuncInlineType:
    def wrapped(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 -- rule shape
        start, known = state.pos, len(state.tokens)
        matched = rule(state, silent)
        if matched and len(state.tokens) > known:
            state.tokens[-1].meta = {SOURCE: state.src[start : state.pos]}
        return matched

    return wrapped


def parse_blocks(text: str, env: Env) -> list[Token]:
    """Parse the block structure; `inline` tokens hold their source in `content`."""
    tokens: list[Token] = []
    parser = _parser(MAX_LEVEL)
    parser.block.parse(text, parser, env, tokens)
    return tokens


def parse_inline(text: str, env: Env) -> list[Token]:
    """Parse the source of one `inline` token into a flat list."""
    tokens: list[Token] = []
    parser = _parser(_MAX_INLINE_LEVEL)
    parser.inline.parse(text, parser, env, tokens)
    return tokens
