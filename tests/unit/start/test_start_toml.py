"""What is written as TOML stays one value or one comment."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.start.toml import array, comment, inline, quoted

ANY = st.text(st.characters(exclude_categories=["Cs"]))


@given(ANY)
def test_a_string_comes_back_as_it_was(text):
    """Whatever stands in a text, TOML reads exactly that text back."""
    assert {"x": text} == tomllib.loads(f"x = {quoted(text)}")


@given(st.lists(ANY))
def test_an_array_comes_back_as_it_was(texts):
    """No element can end the array or another element."""
    assert {"x": texts} == tomllib.loads(f"x = {array(texts)}")


@given(st.dictionaries(ANY, ANY))
def test_an_inline_table_comes_back_as_it_was(table):
    """Keys are quoted as values are."""
    assert {"x": table} == tomllib.loads(f"x = {inline(table)}")


@given(st.text())
def test_a_comment_holds_no_value(text):
    """No text can leave the comment that it stands in."""
    assert {} == tomllib.loads(comment(text))


def test_bytes_that_are_no_text_are_refused():
    """TOML is UTF-8, so a file name that is not has no form in it."""
    with pytest.raises(UnicodeEncodeError):
        quoted("caf\udce9")


def test_a_name_that_looks_like_a_table_stays_a_string():
    """A folder of this name can't add a table of its own."""
    text = 'x"\n[evil]\ny = "'

    assert f'"{text}"' != quoted(text)
    assert {"path": text} == tomllib.loads(f"path = {quoted(text)}")
