"""The fields of a gap."""

from hashlib import sha256

import pytest

from bot.cycle.gaps import PrdFile, decode, read_gaps
from bot.domain.gap import Gap
from bot.errors import Misconfigured

M = "[bot-eligible]"


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


def test_every_field(read):
    """A gap carries the fields that the contract names."""
    line = f"  - [ ] {M} Add *retry* [p1] [depends:other,third] [recipe:r] [fix] [id:retry]"
    text = f"# Top\n\n## Client *API*\n\n- x\n{line}\n    - keep `it`\n"
    text += f"- [id:other] {M} o\n- [x] [id:third] {M} t\n"

    entry, _ = read(text, recipes=frozenset({"r"})).entries

    assert entry.fault is None
    expected = Gap(
        id="retry",
        title="Add retry",
        text="Add retry\nkeep `it`",
        prd_line=line,
        line_number=6,
        path="PRD.md",
        section="Client API",
        priority="p1",
        notes=("keep `it`",),
        depends=("other", "third"),
        recipe="r",
        fix=True,
    )
    assert expected == entry.gap


def test_defaults(read):
    """Without tags and heading the optional fields say so."""
    (entry,) = read(f"{M} a").entries

    gap = entry.gap
    assert (None, "p2", (), (), None, False) == (
        gap.section,
        gap.priority,
        gap.notes,
        gap.depends,
        gap.recipe,
        gap.fix,
    )
    assert "a" == gap.text


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("Use [the docs](http://x.org 't') now", "Use the docs now"),
        ("Use [the docs][d] now", "Use the docs now"),
        ("**Bold** and _em_ and `co*de*`", "Bold and em and co*de*"),
        ("a <!-- hidden --> b", "a b"),
        ("a &amp; b &copy; \\*c\\*", "a & b © *c*"),
        ("a <b>b</b><br>c", "a b c"),
        ("a\u00a0\u2003b\t c", "a b c"),
        ("e\u0301", "é"),
        ("![alt](u) a", "a"),
        ("<http://x.org/%41>", "http://x.org/%41"),
        ("see [x [bot-done] [p0]](u)", "see x [bot-done] [p0]"),
        ("`[p0] [id:x]` a", "[p0] [id:x] a"),
        ("\\[p0] a", "[p0] a"),
        ("[fix][d] a", "fix a"),
        ("~~a~~", "~~a~~"),
        ("a [p4] [P1] [ID:x]", "a [p4] [P1] [ID:x]"),
        ("ba[p0]r", "bar"),
    ],
)
def test_title_is_rendered_text(read, line, title):
    """The title is what a reader sees, and the id is the hash of it, case-folded."""
    (entry,) = read(f"- {M} {line}\n\n[d]: http://x.org").entries

    assert title == entry.gap.title
    assert _hash(title.casefold()) == entry.gap.id


def test_case_folding_is_not_lower_casing(read):
    """`ß` and `SS` are the same title for an id."""
    first, second = read(f"- {M} Straße\n- {M} STRASSE").entries

    assert f"{first.gap.id}-2" == second.gap.id
    assert _hash("strasse") == first.gap.id


def test_equal_titles_are_numbered_over_files(read):
    """Every marked line counts, done or tagged, in path order by code point."""
    document = read(
        **{
            "b.md": f"- {M} same",
            "a.md": f"- [x] {M} same\n- [bot-done] Same\n- {M} [id:own] *same*",
            "Z.md": f"- {M} same",
        }
    )

    base = _hash("same")
    found = [(entry.gap.path, entry.gap.id) for entry in document.entries]
    assert [("Z.md", base), ("a.md", "own"), ("b.md", f"{base}-5")] == found
    assert {f"{base}-2", f"{base}-3"} == document.done_ids


def test_order_is_path_then_line():
    """Gaps come in path order, then line order, whatever the order of the files."""
    files = [PrdFile("b", f"{M} 3"), PrdFile("a", f"{M} 1\n\n> {M} 2")]

    found = read_gaps(files, recipes=frozenset(), recipe_needed=False)

    assert ["1", "2", "3"] == [entry.gap.title for entry in found]


@pytest.mark.parametrize(
    ("text", "section"),
    [
        (f"# A\n## B\n{M} x", "B"),
        (f"# A\n{M} x\n# B", "A"),
        (f"# A\n# {M} [p0] x", "A"),
        (f"# {M} [p0] a\n- {M} [id:x] x", "a"),
        (f"A\nB\n---\n{M} x", "A B"),
        (f"> # Q\n\n{M} x", "Q"),
        (f"#\n{M} x", None),
    ],
)
def test_section_is_the_nearest_heading_above(read, text, section):
    """The section is the rendered text of the last heading before the line."""
    *_, entry = read(text).entries

    assert section == entry.gap.section


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (f"- {M} a\n  - b\n    - c\n  - d\n- e", ["b", "c", "d"]),
        (f"- {M} a\n  goes on\n\n  more\n", ["goes on", "more"]),
        (f"- {M} a\n\n  ```py\n  x = 1\n    y\n  ```\n", ["x = 1", "  y"]),
        (f"- {M} a\n  - [ ] sub [p1]\n", ["[ ] sub [p1]"]),
        (f"- {M} a\n  > q\n  > r\n", ["q", "r"]),
        (f"- {M} a\n\n  |x|y|\n  |-|-|\n  |1|2|\n", ["x | y", "1 | 2"]),
        (
            f"- {M} a\n  see [d](u) <!-- b\n  c --> e `<!-- f -->`",
            ["see [d](u)", "e `<!-- f -->`"],
        ),
        (f"- {M} a\n  b <!-- ` <!-- --> c ` d", ["b  c ` d"]),
        (f"- {M} a\n  b ` <!-- c --> <!-- d", ["b `  <!-- d"]),
        (f"- {M} a\n  ``b ` <!--c--> `` d", ["``b ` <!--c--> `` d"]),
        (f"- {M} a\n\n  <p>b\n  `<!-- c -->`\n  </p>\n", ["<p>b", "``", "</p>"]),
        (f"- {M} a\n\n      <!-- code -->\n", ["<!-- code -->"]),
        (f"[^1]: {M} a\n    - b\n\nc", ["b"]),
        (f"{M} a\nb\n\nc", []),
        (f"> {M} a\n> b", []),
        (f"- > {M} a\n  > b", []),
        (f"## {M} a\nb\n### c\nd\n## e\nf", ["b", "c", "d"]),
        (f"## {M} a\nb\n# e\nf", ["b"]),
        (f"> ## {M} a\n> b\n\nc", ["b"]),
        (f"- ## {M} a\n  b\n\n# c\nd", ["b"]),
        (f"|x|\n|-|\n|{M} a|\n|b|", []),
        (f"- x\n  - {M} a\n- y", []),
    ],
)
def test_notes_are_the_lines_nested_under_it(read, text, notes):
    """Notes are the nested lines as text, without bullets, fences and comments."""
    (entry,) = read(text).entries

    assert notes == list(entry.gap.notes)
    assert "\n".join(["a", *notes]) == entry.gap.text


def test_marked_lines_beside_end_the_notes(read):
    """A marked line nested deeper is a note too; one beside it ends the notes."""
    text = f"- {M} a\n  - {M} b\n    - c\n\n  {M} d\n  e\n\n  [bot-done] f\n  g\n"

    found = {entry.gap.title: list(entry.gap.notes) for entry in read(text).entries}

    assert {"a": [f"{M} b", "c"], "b": ["c"], "d": ["e"]} == found


def test_decode_keeps_a_bom():
    """A BOM is fine and stays in the text."""
    assert PrdFile("p", "\ufeffa") == decode("p", b"\xef\xbb\xbfa")


def test_decode_names_file_and_offset():
    """A file that is not UTF-8 is a person's to mend; the message says where."""
    with pytest.raises(Misconfigured, match=r"docs/p\.md is not UTF-8: .* offset 2"):
        decode("docs/p.md", b"ab\xff")


def test_private_use_text_is_kept(titles):
    """Characters that the reader uses inside may stand in a document."""
    found = titles("[\ue0000\ue0010\ue002] [bot-eligible] \ue0000\ue001")

    assert ["[\ue0000\ue0010\ue002] \ue0000\ue001"] == found


def test_nul_is_no_obstacle(read):
    """A NUL reads as U+FFFD, and the raw line keeps it."""
    (entry,) = read(f"- {M} a\0b").entries

    assert ("a\ufffdb", f"- {M} a\0b") == (entry.gap.title, entry.gap.prd_line)
