"""Cases for how bytes are text: line ends, marks, encodings, final line ends."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from answer_texts import Case, answer, edit, whole

Pairs = list[tuple[str, str]]  # lines and their ends


@dataclass(frozen=True)
class Convention:
    """A way in which the bytes of a file are its lines."""

    name: str
    lines: Pairs
    end: str  # that new lines get
    codec: str = "utf-8"
    mark: bytes = b""

    def content(self, lines: Pairs) -> bytes:
        """Return the bytes of lines."""
        return self.mark + "".join(a + b for a, b in lines).encode(self.codec)


_WORDS = ["alpha = 1", "", "def beta():", "    return 'gamma'", "", "delta = 4"]


def _ended(end: str, last: str | None = None, words: list[str] = _WORDS) -> Pairs:
    pairs = [(word, end) for word in words]
    return pairs if last is None else [*pairs[:-1], (pairs[-1][0], last)]


_ODD = ["alpha = 1", "x = 'é'", "def beta():", "    return 'ÿñ'", "# é", "delta = 4"]
_WIDE = [
    "alpha = 1",
    "x = '名前'",
    "def beta():",
    "    return '🙂'",
    "# ж",
    "delta = 4",
]
_TABS = ["alpha = 1", "\tb", "def beta():", "\treturn 'gamma'", " \t c", "delta = 4"]
_SPACES = [
    "alpha = 1  ",
    "   ",
    "def beta(): \t",
    "    return 'gamma'",
    "",
    "delta = 4 ",
]
_CONTROL = [
    "alpha = 1",
    "\x0c",
    "def beta():",
    "    return '\x0b\x1c'",
    "# \u2028x\x85",
    "d",
]

CONVENTIONS = (
    Convention("lf", _ended("\n"), "\n"),
    Convention("crlf", _ended("\r\n"), "\r\n"),
    Convention("cr", _ended("\r"), "\r"),
    Convention(
        "mixed",
        [*_ended("\r\n")[:4], ("", "\n"), ("delta = 4", "\n")],
        "\r\n",
    ),
    Convention("mixed-lf", [*_ended("\n")[:5], ("delta = 4", "\r\n")], "\n"),
    Convention("bom", _ended("\n"), "\n", mark=b"\xef\xbb\xbf"),
    Convention("bom-crlf", _ended("\r\n"), "\r\n", mark=b"\xef\xbb\xbf"),
    Convention("no-final-end", _ended("\n", ""), "\n"),
    Convention("no-final-end-crlf", _ended("\r\n", ""), "\r\n"),
    Convention("latin-1", _ended("\n", words=_ODD), "\n", "latin-1"),
    Convention("latin-1-crlf", _ended("\r\n", words=_ODD), "\r\n", "latin-1"),
    Convention("latin-1-no-final-end", _ended("\n", "", _ODD), "\n", "latin-1"),
    Convention("wide", _ended("\n", words=_WIDE), "\n"),
    Convention("tabs", _ended("\n", words=_TABS), "\n"),
    Convention("trailing-spaces", _ended("\n", words=_SPACES), "\n"),
    Convention("control-characters", _ended("\n", words=_CONTROL), "\n"),
)

Change = Callable[[list[str]], tuple[int, int, list[str]]]
CHANGES: dict[str, Change] = {
    "first": lambda words: (0, 1, ["alpha = 2"]),
    "middle": lambda words: (3, 4, [words[3] + "  # now", "    # and more"]),
    "last": lambda words: (5, 6, ["delta = 5"]),
    "insert": lambda words: (3, 3, ["    beta = 3"]),
    "append": lambda words: (6, 6, ["epsilon = 6"]),
    "remove": lambda words: (3, 5, []),
}


def cases() -> Iterator[Case]:
    """Yield every change of every convention, as blocks and as a whole text."""
    for convention in CONVENTIONS:
        for name, change in CHANGES.items():
            words = [word for word, _ in convention.lines]
            start, stop, added = change(words)
            yield _case(convention, f"edit-{name}", start, stop, added, _as_edit)
            if name in {"middle", "append"}:
                yield _case(convention, f"whole-{name}", start, stop, added, _as_whole)


def _case(
    convention: Convention,
    name: str,
    start: int,
    stop: int,
    added: list[str],
    write: Callable[[list[str], int, int, list[str]], str],
) -> Case:
    words = [word for word, _ in convention.lines]
    after = [*words[:start], *added, *words[stop:]]
    ends = [end for _, end in convention.lines]
    new_ends = [*ends[:start], *[convention.end for _ in added], *ends[stop:]]
    if not ends[-1]:  # a final line end is there afterwards only if it was before
        new_ends = [end or convention.end for end in new_ends]
        new_ends[-1] = ""
    elif start < len(ends) <= stop:
        new_ends[-1] = convention.end
    pairs = list(zip(after, new_ends, strict=True))
    return Case(
        f"{convention.name}-{name}",
        {"src/x.py": convention.content(convention.lines)},
        answer(write(words, start, stop, added)),
        {"src/x.py": convention.content(pairs)},
    )


def _as_edit(words: list[str], start: int, stop: int, added: list[str]) -> str:
    first, last = max(0, start - 1), min(len(words), stop + 1)
    if "beta" not in "".join(words[first:last]):
        first = max(0, first - 1)
    search = words[first:last]
    replace = [*words[first:start], *added, *words[stop:last]]
    return edit("src/x.py", (_text(search), _text(replace)))


def _as_whole(words: list[str], start: int, stop: int, added: list[str]) -> str:
    return whole("src/x.py", _text([*words[:start], *added, *words[stop:]]))


def _text(words: list[str]) -> str:
    return "".join(f"{word}\n" for word in words)
