"""Where a marker makes a gap, and where it does not."""

import pytest

M = "[bot-eligible]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- [bot-eligible] a", "a"),
        ("* a [bot-eligible]", "a"),
        ("+ a [bot-eligible] b", "a b"),
        ("- [ ] [bot-eligible] a", "a"),
        ("- [\t] [bot-eligible] a", "a"),
        ("* [ ] a [bot-eligible]", "a"),
        ("1. [ ] [bot-eligible] a", "a"),
        ("7) a [bot-eligible]", "a"),
        ("- [ ][bot-eligible] a", "a"),
        ("- [ ][p1] [bot-eligible] a", "a"),
        ("-\n  [ ] [bot-eligible] a", "a"),
        ("# [bot-eligible] a", "a"),
        ("###### a [bot-eligible] ######", "a"),
        ("[bot-eligible] a\n===", "a"),
        ("[bot-eligible] a", "a"),
        ("some [bot-eligible] words", "some words"),
        ("> - [ ] [bot-eligible] a", "a"),
        ("> > a\nlazy [bot-eligible] line", "lazy line"),
        ("1. x\n   - y\n     > * [bot-eligible] a", "a"),
        ("| [bot-eligible] a | b |\n|---|---|", "a b"),
        ("|x|y|\n|-|-|\n| a \\| b | `c` [bot-eligible] |", "a | b c"),
        ("See[^n].\n\n[^n]: [bot-eligible] a", "a"),
        ("[^n]: x\n\n    - [bot-eligible] a", "a"),
        ("\\\\[bot-eligible] a", "\\ a"),
        ("**[bot-eligible]** a", "a"),
        ("a <b>[bot-eligible]</b>", "a"),
        ("<details>\n\n- [bot-eligible] a\n\n</details>", "a"),
        ("[[bot-eligible]] a", "[] a"),
        ("![bot-eligible] a", "! a"),
        ("a[^n] [bot-eligible]\n\n[^n]: x", "a"),
        ("- # [ ] a [bot-eligible]", "[ ] a"),
        ("- [ ] a [bot-eligible]\n  ===", "a"),
        ("- [ ](u) a [bot-eligible]", "a"),
    ],
)
def test_marker_counts(titles, text, expected):
    """A marker in any visible text of any block makes a gap."""
    found = titles(text)

    assert [expected] == found


@pytest.mark.parametrize(
    "text",
    [
        "```\n[bot-eligible] a\n```",
        "~~~ [bot-eligible]\na\n~~~",
        "    [bot-eligible] a",
        "- x\n\n      [bot-eligible] a",
        "`[bot-eligible]` a",
        "`` a\n[bot-eligible] ``",
        "[bot-eligible](http://example.org) a",
        "[bot-eligible](javascript:x) a",
        "[see [bot-eligible]](u) a",
        "[bot-eligible][ref] a\n\n[ref]: u",
        "[a](u[bot-eligible])",
        '[a](u "[bot-eligible]")',
        "![bot-eligible](u)",
        "![x](u '[bot-eligible]')",
        "<http://x/[bot-eligible]>",
        "<a title='[bot-eligible]'>a</a>",
        "a <!-- [bot-eligible] -->",
        "<!--\n[bot-eligible]\n-->",
        "<div>\n[bot-eligible] a\n</div>",
        "\\[bot-eligible] a",
        "[bot-eligible\\] a",
        "&#91;bot-eligible] a",
        "[bot-eligible]: http://example.org",
        "[a]: u '[bot-eligible]'",
        "[Bot-Eligible] a",
        "[bot-eligible ] a",
        "|x|\n|-|\n| a | [bot-eligible] a cell too many |",
        "|x|\n|-|\n| `[bot-eligible]` a |",
        "- [x] [bot-eligible] a",
        "* [X] a [bot-eligible]",
        "1. [x] a\n   more [bot-eligible]",
        "- [x] a\nlazy [bot-eligible]",
        "- [x]\n  a [bot-eligible]",
        "- [x] a\n\n  a second paragraph [bot-eligible]",
        "- [x] a\n  > [bot-eligible] quoted",
        "- [x][bot-eligible] a",
        "- [x] a [bot-eligible]\n  ===",
        "- [bot-done] a",
        "- [ ] [bot-done] a",
        "[bot-eligible] a [bot-done]",
        "a paragraph",
        "",
    ],
)
def test_marker_does_not_count(titles, text):
    """A marker in code, links, HTML, an escape or a ticked task makes no gap."""
    found = titles(text)

    assert [] == found


def test_list_in_ticked_task_is_its_own(titles):
    """An item nested under a ticked task has its own box, so it stays a gap."""
    found = titles(f"- [x] a\n  - [ ] {M} b\n  - c {M}")

    assert ["b", "c"] == found


@pytest.mark.parametrize("name", ["bot-eligible", "BOT-ELIGIBLE", "bot-done"])
def test_reference_of_that_name_changes_nothing(read, name):
    """A link reference named like a marker leaves gaps and done lines as they are."""
    text = "- [bot-eligible] a\n- [see][bot-eligible]\n- [bot-done] b\n"

    plain = read(text)
    with_reference = read(f"{text}\n[{name}]: http://example.org\n")

    assert plain == with_reference
    assert ["a", "[see]"] == [entry.gap.title for entry in plain.entries]


def test_only_the_line_with_the_marker(read):
    """Other lines of the paragraph are not part of the title."""
    text = f"one\ntwo {M} *three\nfour* five\n{M} six"

    found = [(e.gap.line_number, e.gap.title) for e in read(text).entries]

    assert [(2, "two three"), (4, "six")] == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"a `b\nc` d {M}", "c d"),
        (f'a [b](u "x\ny") c {M}', "c"),
        (f"a [b\nc](u) d {M}", "c d"),
        (f"a [b][r\ns] c {M}\n\n[r s]: u", "c"),
        (f"a ![b\nc](u) d {M}", "d"),
        (f"a <b\nc='d'> e {M}", "e"),
        (f"a <!-- b\nc --> d {M}", "d"),
        (f"a\\\nb {M}", "b"),
        (f"a  \nb {M}", "b"),
        (f"a <http://x.org> b {M}", "a http://x.org b"),
    ],
)
def test_text_that_spans_lines(titles, text, expected):
    """A span over several lines gives the title only its part on the marker's line."""
    found = titles(text)

    assert [expected] == found


@pytest.mark.parametrize(
    "odd", ["\u2028", "\u2029", "\x0b", "\x0c", "\x85", "\x1c", "\x1e"]
)
def test_lines_end_at_lf_cr_crlf_only(read, odd):
    """Other separators are no line ends, and CR and CRLF count as one each."""
    text = f"a{odd}b\rc\r\nd\n{odd}{odd}\n{odd}\ne {M} f{odd}g"

    (entry,) = read(text).entries

    assert 6 == entry.gap.line_number
    assert f"e {M} f{odd}g" == entry.gap.prd_line


def test_front_matter_is_skipped_and_counted(read):
    """Front matter holds no gap, but its lines count."""
    text = f'---\ntitle: {M}\n# note\n"k": v\nlist:\n- {M} x\n---\n{M} a\n'

    (entry,) = read(text).entries

    assert ("a", 8) == (entry.gap.title, entry.gap.line_number)


@pytest.mark.parametrize(
    "text",
    [
        f"---\n\n{M} a\n\n---\n",
        f"---\n- {M} a\n---\n",
        f"---\nk: v\n\n# x\n\n{M} a",
        f"+++\nk = 1\n\n{M} a\n\n+++",
        f"\n---\nk: v\n\n{M} a\n---\n",
        f"--- #\nk: v\n\n{M} a\n\n---\n",
        f"---\nk: v\n\n- {M} a\n\n...\n",
    ],
)
def test_thematic_break_is_no_front_matter(titles, text):
    """Only a mapping between two `---` lines at the very start is front matter."""
    found = titles(text)

    assert ["a"] == found


def test_bom_before_front_matter_and_marker(read):
    """A BOM is no text: front matter may follow it, and `prd_line` has none."""
    (entry,) = read(f"\ufeff---\na: b\n---\n{M} a").entries
    (first,) = read(f"\ufeff{M} a").entries

    assert 4 == entry.gap.line_number
    assert f"{M} a" == first.gap.prd_line


@pytest.mark.parametrize("depth", [1000, 150])
@pytest.mark.parametrize("unit", ["> ", "- ", "[^a]: "])
def test_deep_nesting_is_no_crash_and_no_silence(read, unit, depth):
    """What stands too deep to be read is listed as faulty; what stands before counts."""
    text = f"- {M} before\n\n{unit * depth}{M} deep"

    before, deep = read(text).entries

    assert ("before", None) == (before.gap.title, before.fault)
    reachable = depth == 150 and unit != "- "
    assert reachable == (deep.fault is None)
    assert 3 == deep.gap.line_number


def test_too_deep_is_not_done_twice(read):
    """A done line that stands too deep is not listed, ids there are computed."""
    text = "- " * 300 + "[bot-done] a\n" + "x\n" + f"y {M}\n"

    (entry,) = read(text).entries

    assert "y" == entry.gap.title
    assert "nested deeper than 200 levels" in entry.fault


def test_hundred_levels_of_lists_are_read(titles):
    """Markers count at any depth that people write."""
    text = "".join(f"{'  ' * depth}- {M} level {depth}\n" for depth in range(95))

    found = titles(text)

    assert [f"level {depth}" for depth in range(95)] == found
