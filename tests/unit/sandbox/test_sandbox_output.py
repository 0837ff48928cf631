"""Untrusted output becomes bounded plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.output import Output, plain


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("\x1b[31mred\x1b[0m text", "red text"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;https://x.test\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]unended\nnext", "\nnext"),
        ("\x1bPq#0\x1b\\sixel", "sixel"),
        ("\x1b(Bcharset", "charset"),
        ("dangling \x1b", "dangling "),
        ("10%\r50%\r100%\nnext", "100%\nnext"),
        ("windows\r\nline\r\n", "windows\nline\n"),
        ("a\tb\x00\x07\x08\x9b31m\x7f", "a\tb31m"),
        ("left\u202eright\u2066x\u200b\ufeff", "leftrightx"),
        ("ünïcode ✓", "ünïcode ✓"),
    ],
)
def test_text_loses_what_steers_a_terminal(printed: str, shown: str):
    """Control sequences, redrawn lines and reordering marks go; text stays."""
    assert shown == plain(printed)


def test_short_output_is_whole():
    """What fits is kept to the byte."""
    output = Output(head=4, tail=8)
    for chunk in (b"ab", b"cdef", b"ghijkl"):
        output.add(chunk)
    assert output.text() == "abcdefghijkl"


def test_long_output_keeps_both_ends():
    """The middle is dropped and the line between says how much that is."""
    output = Output(head=4, tail=8)
    for chunk in (b"head", b"m" * 1000, b"the", b"-tail"):
        output.add(chunk)
    assert output.text() == "head\n[... 1000 bytes left out ...]\nthe-tail"


def test_character_at_a_seam_is_no_damage():
    """A character that is cut in two is dropped, foreign bytes are shown as such."""
    output = Output(head=3, tail=3)
    output.add("aéé".encode())
    assert output.text() == "aéé"
    output.add("mmmmüz".encode())
    assert output.text() == "aé\n[... 6 bytes left out ...]\nüz"
    foreign = Output()
    foreign.add(b"caf\xe9")
    assert foreign.text() == "caf\ufffd"


@given(st.lists(st.binary(max_size=50), max_size=30))
def test_kept_bytes_are_the_ends_of_the_stream(chunks: list[bytes]):
    """However a stream is cut, the same is kept, and never more than head and tail."""
    whole = b"".join(chunks)
    cut, once = Output(head=16, tail=32), Output(head=16, tail=32)
    for chunk in chunks:
        cut.add(chunk)
    once.add(whole)
    assert once.text() == cut.text()
    assert len(whole) == cut.total
    kept = sum(map(len, cut._tail))
    assert kept < 32 + 50
