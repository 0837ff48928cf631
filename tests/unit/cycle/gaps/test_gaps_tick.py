"""Ticking changes the gap's own line and nothing else."""

import pytest

from bot.cycle.gaps import PrdFile, read_document, tick, tick_by_id

M = "[bot-eligible]"


def _ticked(text: str, title: str) -> str | None:
    files = [PrdFile("PRD.md", text)]
    document = read_document(files, recipes=frozenset(), recipe_needed=False)
    (gap,) = [e.gap for e in document.entries if e.gap.title == title]
    return tick(text, gap)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"- [ ] {M} a", f"- [x] {M} a"),
        (f"* [ ] `[ ]` {M} [id:a]", f"* [x] `[ ]` {M} [id:a]"),
        (f"> 1. [\t] a {M}  \r\n", f"> 1. [x] a {M}  \r\n"),
        (f"[^[bot-done]: - [ ] {M} a", f"[^[bot-done]: - [x] {M} a"),
        (f"- [ ] a {M}\x85 \n  b\n", f"- [x] a {M}\x85 \n  b\n"),
        (f"- {M} a", "- [bot-done] a"),
        (f"# {M} a #\r", "# [bot-done] a #\r"),
        (f"`{M}` \\{M} {M} {M} a", f"`{M}` \\{M} [bot-done] {M} a"),
        (f"[{M}](u) a {M}", f"[{M}](u) a [bot-done]"),
        (f"\ufeff{M} a\n", "\ufeff[bot-done] a\n"),
        (f"|a|\n|-|\n|`{M}` {M}|\n", f"|a|\n|-|\n|`{M}` [bot-done]|\n"),
        (f"- [ ] x\n  a {M}", "- [ ] x\n  a [bot-done]"),
        (f"- [ ](u) a {M}", "- [ ](u) a [bot-done]"),
        (f"\0- [ ] {M} a", "\0- [ ] [bot-done] a"),
        (f"[ ] {M} a", "[ ] [bot-done] a"),
        (f"{M} a\r\rb\n\r\n\u2028", "[bot-done] a\r\rb\n\r\n\u2028"),
    ],
)
def test_tick(text, expected):
    """The box is ticked where there is one, else the real marker is turned."""
    files = [PrdFile("PRD.md", text)]
    document = read_document(files, recipes=frozenset(), recipe_needed=False)

    (entry,) = document.entries

    assert expected == tick(text, entry.gap)
    assert ("PRD.md", expected) == tick_by_id(files, entry.gap.id)


def test_other_gap_of_the_same_task_stays():
    """Where another line of the task is a gap, the marker is turned, not the box."""
    text = f"- [ ] {M} a\n  b {M}\n"

    first = _ticked(text, "a")

    assert f"- [ ] [bot-done] a\n  b {M}\n" == first
    assert "- [ ] [bot-done] a\n  b [bot-done]\n" == _ticked(first, "b")


def test_nested_gaps_have_their_own_boxes():
    """Ticking a task leaves the tasks nested under it alone."""
    text = f"- [ ] {M} a\n  - [ ] {M} b\n"

    assert f"- [x] {M} a\n  - [ ] {M} b\n" == _ticked(text, "a")
    assert f"- [ ] {M} a\n  - [x] {M} b\n" == _ticked(text, "b")


@pytest.mark.parametrize(
    "later", ["", "a [bot-eligible] changed", f"x\n{M} a", "[bot-done] a", "- x"]
)
def test_tick_of_a_line_that_is_not_there(later):
    """A line that moved, changed or is done is not guessed at."""
    files = [PrdFile("PRD.md", f"{M} a")]
    document = read_document(files, recipes=frozenset(), recipe_needed=False)

    assert tick(later, document.entries[0].gap) is None


def test_tick_by_id_finds_a_moved_line():
    """On another base the line is found by its id, in whatever file it is."""
    files = [PrdFile("a", f"{M} a"), PrdFile("b", f"x\n\n* [ ] {M} [id:b] b\n")]

    assert ("b", f"x\n\n* [x] {M} [id:b] b\n") == tick_by_id(files, "b")


@pytest.mark.parametrize(
    "text", ["", "[bot-done] [id:b] x", f"- [id:b] {M} x\n- [id:b] {M} y"]
)
def test_tick_by_id_without_one_line(text):
    """No line, a done line or two lines of that id are left alone."""
    assert tick_by_id([PrdFile("a", text)], "b") is None
