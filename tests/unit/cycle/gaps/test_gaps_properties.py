"""What holds for any document."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cycle.gaps import Document, PrdFile, read_document, tick, tick_by_id

M = "[bot-eligible]"
_PIECES = [
    *(M, "[bot-done]", "[ ] ", "[x] ", "[p0]", "[fix]", "[id:a]", "[id:B]"),
    *("[depends:a]", "[depends:", "[recipe:x]", "[^1]", "[^1]: ", "[a]: u\n"),
    *(f"{M}: u\n", "[", "]", "(", ")", "](u)", "![", "<", ">", "<!--", "-->", "<b>"),
    *("<div>", "|", "|-|-|\n", "\\", "&amp;", "`", "``", "```\n", "*", "**", "_"),
    *(" ", "    ", "\t", "\n", "\n\n", "\r", "\r\n", "- ", "1. ", "> ", "# ", "---\n"),
    *("===\n", "\u2028", "\x0c", "\x85", "\0", "\ufeff", "\u00a0", "\ue0000\ue001"),
    *("a", "é", "ß", "k: v\n", "'", '"'),
]
texts = st.lists(st.sampled_from(_PIECES) | st.text(max_size=3), max_size=40).map(
    "".join
)
words = st.text("abcdeé ", min_size=1, max_size=8).filter(str.strip)
brief = settings(max_examples=60, deadline=None)


def _read(*texts: str) -> Document:
    files = [PrdFile(f"{n}.md", text) for n, text in enumerate(texts)]
    return read_document(files, recipes=frozenset(), recipe_needed=False)


@brief
@given(texts)
def test_any_text_is_read(text):
    """No text is an error, and every gap points at a line that holds the marker."""
    lines = re.split("\r\n|\r|\n", text.removeprefix("\ufeff"))

    for entry in _read(text).entries:
        assert entry.gap.prd_line == lines[entry.gap.line_number - 1]
        assert M in entry.gap.prd_line


@brief
@given(texts)
def test_tick_takes_one_gap_away(text):
    """Ticking changes one box or marker; that gap is done, all others stay as ids."""
    before = _read(text)

    for entry in before.entries:
        after = tick(text, entry.gap)
        document = _read(after)
        others = [other.gap.id for other in before.entries if other is not entry]
        assert others == [other.gap.id for other in document.entries]
        assert entry.gap.id in document.done_ids
        assert after in _one_edit(text)


def _one_edit(text: str) -> set[str]:
    edits = {
        text[: found.start()] + "[x]" + text[found.end() :]
        for found in re.finditer(r"\[[ \t]\]", text)
    }
    return edits | {
        text[: found.start()] + "[bot-done]" + text[found.end() :]
        for found in re.finditer(re.escape(M), text)
    }


@brief
@given(texts, texts)
def test_tick_by_id_agrees_with_tick(one, other):
    """Where an id is unique, finding the line by it gives the same text."""
    texts = {"0.md": one, "1.md": other}
    files = [PrdFile(path, text) for path, text in texts.items()]
    entries = _read(one, other).entries
    ids = [entry.gap.id for entry in entries]

    for entry in entries:
        path = entry.gap.path
        expected = (path, tick(texts[path], entry.gap))
        found = tick_by_id(files, entry.gap.id)
        assert (expected if ids.count(entry.gap.id) == 1 else None) == found


@brief
@given(texts)
def test_line_ends_do_not_matter(text):
    """A document of CRLF or CR reads as the same document of LF."""
    text = re.sub("\r\n?", "\n", text)

    expected = _read(text)

    assert expected == _read(text.replace("\n", "\r\n"))
    assert expected == _read(text.replace("\n", "\r"))


@brief
@given(
    st.lists(words, unique_by=lambda w: " ".join(w.split()), min_size=1, max_size=5),
    st.data(),
)
def test_id_survives_what_people_do_to_lines(titles, data):
    """Moving, re-indenting, other bullets, priorities, ticks, quotes keep an id."""
    expected = {
        entry.gap.title: entry.gap.id
        for entry in _read("".join(f"- {M} {title}\n" for title in titles)).entries
    }
    lines = [
        "".join(_reworked(title, data)) for title in data.draw(st.permutations(titles))
    ]
    text = "\n\n".join(["- [x] unlike [bot-eligible] zz", *lines])

    found = {entry.gap.title: entry.gap.id for entry in _read(text).entries}

    assert expected == found


def _reworked(title: str, data: st.DataObject) -> list[str]:
    bullet = data.draw(
        st.sampled_from(["- ", "* [ ] ", "1) ", "> + ", "## ", "", "- - "])
    )
    parts = data.draw(
        st.permutations([M, data.draw(st.sampled_from(["", "[p0]", "[p3]", "[fix]"]))])
    )
    emphasis = data.draw(st.sampled_from(["", "**", "`"]))
    words = f"{emphasis}{title.strip()}{emphasis}"
    return [bullet, *(f"{part} " for part in parts), words, " <!-- x -->"]
