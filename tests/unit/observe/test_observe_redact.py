"""No secret passes, in whatever form it travels."""

import base64
import json
import re
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.outcome import Outcome
from bot.observe.redact import MASK, Redactor

SECRET = "s3cr/t+v.l*e(1"  # with characters that mean something to regexes and URLs


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        quote(SECRET, safe=""),
        quote(SECRET),
        quote_plus(SECRET),
        re.sub("%..", lambda m: m[0].lower(), quote(SECRET, safe="")),
    ],
)
def test_each_form_is_masked(text: str):
    """As it is or URL-encoded, the secret is replaced and what is around it stays."""
    assert "a***b" == Redactor([SECRET]).text(f"a{text}b")


@pytest.mark.parametrize("before", ["", "x", "xy", "xyz", "x-access-token:"])
@pytest.mark.parametrize("after", ["", "z", "zz", "zzz"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_is_masked_wherever_it_begins(before: str, after: str, encode):
    """In base64 text the secret is found at every alignment."""
    secret = "ÿþ~~?>token"
    text = encode(f"{before}{secret}{after}".encode()).decode()

    redacted = Redactor([secret]).text(f"Basic {text}")

    assert MASK in redacted
    rest = redacted.removeprefix("Basic ").replace("=", "")
    # What may be left of the secret are the bits it shares with its neighbours.
    around = len(base64.b64encode(f"{before}{after}".encode()).rstrip(b"="))
    assert len(rest) <= len(MASK) + around + 4


def test_a_secret_of_several_lines_is_masked_line_by_line():
    """A private key is found whole, as a JSON string, and by its lines."""
    key = '-----BEGIN KEY-----\nAbCdEf012345"\nGhIjKl678901\n-----END KEY-----\n'
    redactor = Redactor([key])

    assert "x***y" == redactor.text(f"x{key}y")
    assert '{"k": "***"}' == redactor.text(json.dumps({"k": key}))
    assert "line 2: ***" == redactor.text("line 2: GhIjKl678901")


def test_the_surrounding_space_of_a_secret_is_no_part_of_it():
    """A secret read with its line end is found without it."""
    assert "token=***;" == Redactor(["token123\n"]).text("token=token123;")


@pytest.mark.parametrize("short", ["", "a", "true", "12345", "  abc  "])
def test_short_values_are_ignored(short: str):
    """A value under six characters stands in ordinary words and is left alone."""
    text = "a true abc 12345"

    assert text == Redactor([short]).text(text)


def test_overlapping_secrets_leave_no_rest():
    """Where two secrets overlap, all of both is masked."""
    redactor = Redactor(["abcdef", "defghi", "efg-no"])

    assert "x***y" == redactor.text("xabcdefghiy")
    assert "******" == redactor.text("abcdefdefghi")
    assert "***" == Redactor(["aaaaaa"]).text("aaaaaaaaa")


def test_regex_characters_are_only_characters():
    """A secret that reads like a pattern matches itself alone."""
    assert "anything" == Redactor([".{1,99}"]).text("anything")
    assert "***" == Redactor([r"\d+(?:["]).text(r"\d+(?:[")


def test_a_secret_that_is_no_unicode_is_masked():
    """A value with undecodable bytes, as the environment gives it, is no obstacle."""
    secret = b"pass\xff\xfeword".decode("utf-8", "surrogateescape")

    assert "***" == Redactor([secret]).text(secret)


def test_values_are_redacted_at_every_depth():
    """Texts, keys, members and objects are redacted; numbers and null stay."""
    value = {
        "hunter22": ["hunter22", ("x-hunter22",), {"hunter22"}],
        "path": Path("/hunter22"),
        "outcome": Outcome.OK,
        "n": 1,
        "f": 0.5,
        "t": True,
        "none": None,
        3: "three",
    }

    expected = {
        "***": ["***", ["x-***"], ["***"]],
        "path": "/***",
        "outcome": "ok",
        "n": 1,
        "f": 0.5,
        "t": True,
        "none": None,
        "3": "three",
    }
    assert expected == Redactor(["hunter22"]).value(value)


@given(
    secrets=st.lists(st.text(min_size=6, max_size=12), max_size=3),
    around=st.lists(st.text(max_size=8), min_size=4, max_size=4),
)
def test_what_was_put_in_does_not_come_out(secrets: list[str], around: list[str]):
    """No secret survives in a text that is made of it, unless the mask spells it."""
    text = "".join(a + s for a, s in zip(around, [*secrets, ""], strict=False))

    parts = Redactor(secrets).text(text).split(MASK)

    for secret in secrets:
        if len(secret.strip()) >= 6:
            assert not [part for part in parts if secret.strip() in part]
