"""Which words of a gap name paths, in time that a hostile document can't stretch."""

import time

import pytest

from bot.cycle.ground import named_paths


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Write `src/app.py` and docs/.", ("src/app.py",)),
        ("Sort setup.cfg, .gitlab-ci.yml.", ("setup.cfg", ".gitlab-ci.yml")),
        ("Say hello. Twice...", ()),
        ("Version 1.2 is out", ()),
        ("(.github/workflows/ci.yml)", (".github/workflows/ci.yml",)),
        ("a / b", ()),
        ("", ()),
    ],
)
def test_words_that_read_as_paths(text: str, named: tuple[str, ...]) -> None:
    """A slash or a suffix makes a path; a full stop at the end doesn't."""
    assert named == named_paths(text)


@pytest.mark.parametrize("piece", ["a", "a.", "a/", "-", ".a", "a.b/", "é"])
def test_time_is_linear(piece: str) -> None:
    """A word of a megabyte is read at once."""
    started = time.monotonic()
    named_paths(piece * 1_000_000)
    assert time.monotonic() - started < 5
