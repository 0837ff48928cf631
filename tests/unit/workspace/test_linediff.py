"""Tests of the line diff that sizes are measured with."""

import difflib
import itertools
import os
import random
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.workspace import linediff
from bot.workspace.git import Git, GitEnv
from bot.workspace.linediff import Size, kept_pairs, measure

HEADER = 128 + 4


def common_length(old, new):
    """Return the length of a longest common subsequence, by the plain table."""
    row = [0] * (len(new) + 1)
    for a in old:
        left = 0
        for j, b in enumerate(new, start=1):
            above = row[j]
            row[j] = left + 1 if a == b else max(above, row[j - 1])
            left = above
    return row[-1]


_ITEMS = st.lists(st.sampled_from("abcd"), max_size=14)


@settings(max_examples=500, deadline=None)
@given(_ITEMS, _ITEMS)
def test_pairs_are_a_longest_common_subsequence(old, new):
    """Exact on small inputs: in order, equal, and as many as there can be."""
    pairs = kept_pairs(old, new)
    assert all(old[i] == new[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(pairs))
    assert common_length(old, new) == len(pairs)


@settings(max_examples=200, deadline=None)
@given(_ITEMS, _ITEMS, st.integers(0, 6))
def test_a_limit_never_makes_the_count_too_small(old, new, limit):
    """Above the limit more lines count, never fewer; the pairs stay honest."""
    pairs = kept_pairs(old, new, max_edits=limit)
    assert len(pairs) <= common_length(old, new)
    assert all(old[i] == new[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(pairs))


_TEXT = st.lists(st.sampled_from([b"a", b"b", b"\n", b"\r", b"\r\n"]), max_size=20)


@settings(max_examples=200, deadline=None)
@given(_TEXT.map(b"".join), _TEXT.map(b"".join))
def test_measure_is_never_below_the_exact_line_diff(old, new):
    """Added and removed lines reach those of the exact diff, however lines end."""
    size = measure("f", old, new)
    for split in (
        [old.splitlines(keepends=True), new.splitlines(keepends=True)],
        [x.replace(b"\n", b"\n\0").split(b"\0") for x in (old, new)],
    ):
        a, b = ([line for line in lines if line] for lines in split)
        shared = common_length(a, b)
        assert size.removed >= len(a) - shared
        assert size.added >= len(b) - shared


def test_counts_as_git_does(tmp_path):
    """Added and removed lines are those of `git diff --minimal --numstat`."""
    git = Git(None, GitEnv.make(tmp_path, os.environ), tmp_path)
    dice = random.Random(7)
    for _ in range(12):
        old = [f"{dice.randrange(12)}\n" for _ in range(dice.randrange(60))]
        new = [line for line in old if dice.random() < 0.7]
        for _ in range(dice.randrange(10)):
            new.insert(dice.randrange(len(new) + 1), f"{dice.randrange(12)}\n")
        a, b = "".join(old).encode(), "".join(new).encode().rstrip(b"\n")
        (tmp_path / "a").write_bytes(a)
        (tmp_path / "b").write_bytes(b)
        out = git.run(
            *("diff", "--no-index", "--minimal", "--numstat", "--", "a", "b"), ok=(0, 1)
        )
        numbers = out.split(b"\t")[:2] if out else [b"0", b"0"]
        size = measure("f", a, b)
        assert [int(n) for n in numbers] == [size.added, size.removed]


CASES = [
    (None, b"a\nb\n", (2, 0, 6)),
    (b"a\nb\n", None, (0, 2, 6)),
    (b"a\n", b"a", (1, 1, 5)),
    (b"a\nb\nc\n", b"a\nX\nc\n", (1, 1, 6)),
    (b"a\n", b"a\r\n", (1, 1, 7)),
    (b"", b"", (0, 0, 0)),
    (b"a\n", b"a\n", (0, 0, 0)),
    (b"a\rb\rc", b"a\rX\rY", (2, 2, 12)),
]


@pytest.mark.parametrize(("old", "new", "wanted"), CASES)
def test_measures_lines_and_bytes(old, new, wanted):
    """Each changed line counts with its end and one marker, plus a header a file."""
    added, removed, size = wanted
    assert Size(added, removed, size + HEADER) == measure("f", old, new)


def test_lines_ended_by_cr_cannot_hide():
    """A file whose lines end at CR counts each of them."""
    assert measure("f", None, b"x\r" * 900).added == 900


def test_two_far_edits_in_a_long_file_are_two_edits():
    """Everything between the first and the last change is not counted."""
    old = [b"%d\n" % (i % 90) for i in range(4000)]
    new = [b"first\n", *old[1:-1], b"last\n"]
    size = measure("f", b"".join(old), b"".join(new))
    assert (size.added, size.removed) == (2, 2)
    assert size.patch_bytes < 200


def test_a_huge_shuffle_is_bounded_in_time_and_counted_whole():
    """The worst input for a line diff ends soon and is never counted too small."""
    dice = random.Random(3)
    old = [b"%d\n" % dice.randrange(5) for _ in range(6000)]
    new = [b"%d\n" % dice.randrange(5) for _ in range(6000)]
    start = time.monotonic()
    size = measure("f", b"".join(old), b"".join(new), max_edits=600)
    assert time.monotonic() - start < 5
    assert 600 < size.added <= 6000
    assert size.added == size.removed


def test_a_complete_rewrite_is_cheap():
    """Lines that only one side has cost nothing to tell apart."""
    old = b"".join(b"old %d\n" % i for i in range(50_000))
    new = b"".join(b"new %d\n" % i for i in range(50_000))
    start = time.monotonic()
    size = measure("f", old, new)
    assert time.monotonic() - start < 5
    assert (size.added, size.removed) == (50_000, 50_000)


def test_never_worse_than_difflib():
    """The count is at most that of difflib, which is not always the smallest."""
    dice = random.Random(5)
    old = [dice.choice("abcde") for _ in range(200)]
    new = [dice.choice("abcde") for _ in range(200)]
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False)
    kept = sum(block.size for block in blocks.get_matching_blocks())
    assert len(kept_pairs(old, new)) >= kept


_BITS = st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"a", b"\r", b"c\r\n"]))


@given(_BITS, _BITS)
@settings(max_examples=200)
def test_size_of_long_files_is_never_too_small(old, new):
    """Where lines are too many to look at, at least as many are counted as changed."""
    before, after = b"".join(old), b"".join(new)
    exact = measure("path", before, after)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linediff, "MOST_LINES", 0)
        rough = measure("path", before, after)
    assert rough.added >= exact.added
    assert rough.removed >= exact.removed
    assert rough.patch_bytes >= exact.patch_bytes


def test_flood_of_lines_costs_little_memory():
    """Twenty million short lines are measured without one object for each."""
    old, new = b"a\n" * 10_000_000, b"b\n" * 10_000_000
    tracemalloc.start()
    size = measure("path", old, new, max_edits=600)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (10_000_000, 10_000_000) == (size.added, size.removed)
    assert peak < 150_000_000


def test_one_line_of_a_very_long_file_is_one_line():
    """What a long file starts and ends with is cut off before lines are counted."""
    half = b"a\n" * 1_500_000
    size = measure("path", half + b"x\n" + half, half + b"y\nz\n" + half)
    assert Size(2, 1, 9 + HEADER + 12) == size
