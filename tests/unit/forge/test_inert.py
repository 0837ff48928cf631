"""Untrusted text in Markdown: read by people, acted on by nobody."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.forge.inert import code, fenced, neutral, one_line

Z = "\u200b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("a < b & c", "a < b & c"),
        ("ask @someone", f"ask @{Z}someone"),
        ("me@example.org", f"me@{Z}example.org"),
        ("fixes #1, closes: owner/repo#22", f"fixes #{Z}1, closes: owner/repo#{Z}22"),
        ("Resolves GH-3 and gh-4", f"Resolves GH-{Z}3 and gh-{Z}4"),
        ("# Heading", "# Heading"),
        (
            "fixes https://example.org/o/r/issues/5",
            f"fixes https://example.org/o/r/issues/{Z}5",
        ),
        ("https://example.org/o/r/pull/6", f"https://example.org/o/r/pull/{Z}6"),
        ("<!-- hidden -->", f"<{Z}!-- hidden -->"),
        ("<img src=x>", f"<{Z}img src=x>"),
        ("</details>", f"<{Z}/details>"),
        ("&#64;someone", f"&{Z}#{Z}64;someone"),
        ("&commat;x", f"&{Z}commat;x"),
        ("![x](https://example.org/x)", f"!{Z}[x](https://example.org/x)"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("tab\tand\xa0space", "tab\tand space"),
        ("bell\x07 back\u202ewards", "bell\ufffd back\ufffdwards"),
        ("half \ud800", "half \ufffd"),
    ],
)
def test_nothing_in_prose_is_acted_on(text, expected):
    """Mentions, references, HTML, entities, images and hidden characters are broken."""
    assert neutral(text) == expected


@given(st.text())
def test_twice_is_once(text):
    """Neutral text is not changed again."""
    assert neutral(neutral(text)) == neutral(text)


@given(st.text(alphabet="@a1#<>!-&;[]()`\\\n /"))
def test_rendered_prose_holds_no_html_and_no_mention(text):
    """Once rendered, there is no element of HTML, no image and no live mention."""
    tokens = MarkdownIt("commonmark").parse(neutral(text))
    inline = [child for token in tokens for child in token.children or ()]

    assert not {"html_block", "html_inline", "image"} & {
        token.type for token in [*tokens, *inline]
    }
    shown = [token.content for token in inline if token.type == "text"]
    assert not any("@a" in content or "#1" in content for content in shown)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.py", "`a.py`"),
        ("a `b` c", "``a `b` c``"),
        ("`", "`` ` ``"),
        ("", "`  `"),
        ("two\n lines", "`two lines`"),
        ("<!-- x -->", f"`<!{Z}-- x -->`"),
    ],
)
def test_code_is_one_line_that_nothing_ends(text, expected):
    """The run of backticks is longer than any inside."""
    assert code(text) == expected


@given(st.text(alphabet="`~ab \n\t<!-"))
def test_a_fence_holds_its_text_whatever_is_in_it(text):
    """The block renders as one piece of code with the very text."""
    tokens = MarkdownIt("commonmark").parse(f"{fenced(text)}\n\nafter")

    assert tokens[0].type == "fence"
    assert tokens[0].content.replace(Z, "").rstrip("\n") == text.rstrip("\n")
    assert tokens[2].content == "after"


def test_one_line_is_one_neutral_line():
    """Line ends become spaces and nothing is acted on."""
    assert one_line("a\n\n@b ") == f"a @{Z}b"
