"""Tests of text that takes over the convention of an old file."""

import codecs
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.workspace.text import Encoding, conform, decode, encoding_of, split_lines

UTF8 = codecs.BOM_UTF8
CASES = [
    (b"a\n", "b\n", b"b\n"),
    (b"a\n", "b", b"b\n"),
    (b"a", "b\n", b"b"),
    (b"a", "b\nc\n\n", b"b\nc"),
    (b"a\r\nb\r\n", "x\ny\nz\n", b"x\r\ny\r\nz\r\n"),
    (b"a\nb\n", "x\r\ny\r\n", b"x\ny\n"),
    (b"a\rb\r", "x\ny\n", b"x\ry\r"),
    (b"a\r\nb", "a\nc\n", b"a\r\nc"),
    (UTF8 + b"a\n", "\u00e9\n", UTF8 + b"\xc3\xa9\n"),
    (UTF8 + b"a\n", "\ufeffb\n", UTF8 + b"b\n"),
    (b"a\n", "\ufeffb\n", b"b\n"),
    (b"caf\xe9\n", "th\u00e9\n", b"th\xe9\n"),
    (b"caf\xc3\xa9\n", "th\u00e9\n", b"th\xc3\xa9\n"),
    ("\ufeffa\r\n".encode("utf-16-le"), "b\n", "\ufeffb\r\n".encode("utf-16-le")),
    ("\ufeffa\n".encode("utf-16-be"), "b\n", "\ufeffb\n".encode("utf-16-be")),
    ("\ufeffa\n".encode("utf-32-le"), "b\n", "\ufeffb\n".encode("utf-32-le")),
    (b"", "a\r\nb", b"a\r\nb"),
    (UTF8, "a\nb", UTF8 + b"a\nb"),
    (b"a\n", "", b""),
    (b"a\r\nb\nc\r\n", "a\nb\nnew\nc\n", b"a\r\nb\nnew\r\nc\r\n"),
    (b"b\na\r", "a\n\nz\n", b"a\r\rz\n"),
    (b"a\nb\r\nc", "a\nb\nc\nd\n", b"a\nb\r\nc\nd"),
    (b"x\x0cy\n", "a\x0cb\u2028c\x85d\n", "a\x0cb\u2028c\x85d\n".encode()),
]


@pytest.mark.parametrize(("old", "new", "wanted"), CASES)
def test_takes_over_the_old_convention(old, new, wanted):
    """Mark, encoding, line ends and final line end are those of the old file."""
    assert wanted == conform(old, new)


@pytest.mark.parametrize(
    ("old", "new", "codec"),
    [(b"\xe9\n", "\u20ac\n", "latin-1"), (b"", "\ud800", "utf-8")],
)
def test_refuses_what_the_encoding_cannot_hold(old, new, codec):
    """A character outside the old encoding is refused and named, not replaced."""
    with pytest.raises(ValueError, match=codec) as caught:
        conform(old, new)
    assert ascii(new[0]) in str(caught.value)


def test_a_mark_without_its_encoding_is_no_mark():
    """Bytes that only start like a marked file are Latin-1."""
    assert encoding_of(codecs.BOM_UTF16_LE + b"a") == Encoding(b"", "latin-1")
    assert encoding_of(UTF8 + b"a") == Encoding(UTF8, "utf-8")


def test_lines_end_at_lf_crlf_and_cr_only():
    """Form feeds and Unicode separators are text."""
    assert split_lines("a\nb\r\nc\rd\n\r\x0ce\u2028f") == [
        "a\n",
        "b\r\n",
        "c\r",
        "d\n",
        "\r",
        "\x0ce\u2028f",
    ]
    assert split_lines("") == []


_LINES = st.lists(
    st.tuples(st.sampled_from("ab\u00e9"), st.sampled_from(["\n", "\r\n", "\r"])),
    max_size=8,
)
_FILES = st.builds(
    lambda lines, tail, mark, codec: (
        mark + ("".join(a + b for a, b in lines) + tail).encode(codec)
    ),
    _LINES,
    st.sampled_from(["", "z"]),
    st.sampled_from([b"", UTF8]),
    st.sampled_from(["utf-8", "latin-1"]),
)


@settings(max_examples=300, deadline=None)
@given(_FILES | st.binary(max_size=40))
def test_text_that_only_lost_its_line_ends_gives_the_old_bytes_back(old):
    """What a proposer read and gave back with LF ends changes no byte."""
    plain = re.sub("\r\n|\r", "\n", decode(old))
    if plain:
        assert old == conform(old, plain)


@settings(max_examples=300, deadline=None)
@given(_FILES, st.text(alphabet="ab\n\r", max_size=20))
def test_the_convention_is_kept_for_any_text(old, new):
    """Line ends that the old file has not got don't come in; the final one stays."""
    made, mark = conform(old, new), encoding_of(old).mark
    assert made.startswith(mark)
    body, before = made[len(mark) :], old[len(mark) :]
    if not before or not body:
        return
    ends = set(re.findall(rb"\r\n|\r|\n", before)) or {b"\n"}
    assert set(re.findall(rb"\r\n|\r|\n", body)) <= ends
    assert before.endswith((b"\r", b"\n")) == body.endswith((b"\r", b"\n"))
    kept = [line.rstrip("\r\n") for line in split_lines(decode(made))]
    wanted = [line.rstrip("\r\n") for line in split_lines(new)]
    while wanted and not wanted[-1]:
        wanted.pop()
    assert kept[: len(wanted)] == wanted
    assert not any(kept[len(wanted) :])
