"""What the corpus of the edit layer has no place for: modes, bounds, calls, soak."""

import importlib.util
import sys
import time
from pathlib import Path

import pytest

from bot.domain.change import FileEdit
from bot.propose.answer import Answer, Operation, Rename, Replace, WholeFile
from bot.propose.edits import Limits, Misfit, Texts, symbols, to_edits
from bot.workspace.text import conform, decode

TEXTS = Texts(decode, conform)
SOAK = Path(__file__).parents[4] / "bench" / "soak_edits.py"


def answer(*operations: Operation) -> Answer:
    """Return an answer."""
    return Answer("x", "", (), (), operations)


def test_a_rename_keeps_the_executable_bit():
    """The new path gets what the old one had."""
    edits = to_edits(
        answer(Rename("run", "bin/run")),
        {"run": b"#!/bin/sh\n"}.get,
        lambda: ["run"],
        Limits(),
        TEXTS,
        is_executable=lambda path: path == "run",
    )

    moved = FileEdit("bin/run", b"#!/bin/sh\n", executable=True)
    assert (FileEdit("run", None), moved) == edits


def test_the_paths_of_the_base_are_asked_for_only_when_needed():
    """An edit of a file that is there reads this file and nothing else."""
    asked: list[str] = []

    def paths() -> list[str]:
        raise AssertionError("nobody needs them")

    def read(path: str) -> bytes | None:
        asked.append(path)
        return b"a\n"

    edits = to_edits(
        answer(Replace("a", (("a\n", "b\n"),)), Replace("a", (("a\n", "b\n"),))),
        read,
        paths,
        Limits(),
        TEXTS,
    )

    assert (FileEdit("a", b"b\n"),) == edits
    assert ["a"] == asked


def test_the_nearest_path_is_found_among_very_many():
    """Beside the same name, a like path in the same folder is offered."""
    many = [f"src/part_{number}/mod_{number}.py" for number in range(10_000)]
    many.append("lib/shelf.py")

    missed = to_edits(
        answer(Replace("lib/shelves.py", (("a\n", "b\n"),))),
        {}.get,
        lambda: many,
        Limits(),
        TEXTS,
    )

    assert isinstance(missed, Misfit)
    assert "lib/shelf.py" == missed.quote


def test_limits_decide_what_is_like_enough():
    """A lower ratio takes what the usual one refuses."""
    old = b"one\ntwo\nthree\nfour\nfive\n"
    block = ("one\ntwo\n3\n4\nfive\n", "1\ntwo\n3\n4\nfive\n")
    base = ({"a": old}.get, lambda: ["a"])

    strict = to_edits(answer(Replace("a", (block,))), *base, Limits(), TEXTS)
    lax = to_edits(answer(Replace("a", (block,))), *base, Limits(ratio=0.4), TEXTS)

    assert isinstance(strict, Misfit)
    assert (FileEdit("a", old.replace(b"one", b"1")),) == lax


def test_the_shrink_limit_can_be_lifted():
    """With a share of 1 a whole text may drop all."""
    old = b"".join(b"line %d\n" % number for number in range(50))
    edits = to_edits(
        answer(WholeFile("a", "line 1\n", is_new=False)),
        {"a": old}.get,
        lambda: ["a"],
        Limits(shrink=1),
        TEXTS,
    )

    assert (FileEdit("a", b"line 1\n"),) == edits


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "x = 1\nX: int = 2\nY == 3\nclass A: pass\n", {"X", "A"}),
        ("a.ts", "export default class A {}\nconst enum E {}\nfoo();\n", {"A", "E"}),
        ("a.go", "func (T) Run() {}\nfunc Run() {}\n", {"T.Run", "Run"}),
        ("A.java", "class A {\n    int f(int a) {\n        return g(a)\n", {"A", "f"}),
        ("a.c", "return f(\nint f(int a)\n{\nint g(void);\n", {"f"}),
        ("a.cpp", "std::string A::name(int a) {\n", {"A::name"}),
        ("a.rb", "class A\n  def b=(x)\n    def c\nD = 1\n", {"A", "b=", "D"}),
        ("a.c", "FOO if (x)\n", set()),
        ("a.unknown", "def f():\n", set()),
        ("a.py", "def " + "x" * 500 + "():\n", set()),
    ],
)
def test_top_level_symbols(path, text, expected):
    """Each language has its own words, and a very long line has none."""
    assert expected == symbols(path, text)


HOSTILE = {
    "same lines": ("x = 1\n" * 3000, "x = 1\n" * 1500 + "y\n", "z\n"),
    "same lines shifted": ("x\n" * 3000, " x\n" * 1500 + " y\n", "z\n"),
    "pairs": ("a\nb\n" * 1500, "a\nb\n" * 99 + "a\na\n", "z\n"),
    "one long line": ("x" * 1_900_000 + "\n", "y" * 200_000 + "\n", "z\n"),
    "spaces": (" " * 1_900_000 + "\n", " " * 100_000 + "x\n", "z\n"),
    "dashes": ("a\n", "a\n", ("-" * 199 + "\n") * 3000),
    "brackets": ("a\n", "a\n", ("(" * 199 + "\n") * 3000),
    "closings": ("a\n", "a\n", ("*/ " * 66 + "\n") * 3000),
    "dots": ("a\n", "a\n", ("." * 199 + "x\n") * 3000),
    "words": ("a\n", "a\n", ("existing code " * 14 + "\n") * 3000),
    "symbols": ("a\n", "a\n", ("int " * 99 + "\n") * 3000),
    "fences": ("a\n", "```\n" * 3000, "```\n" * 3000),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("path", ["a.py", "a.c", "a.md"])
def test_hostile_files_and_blocks_take_bounded_time(name, path):
    """Neither a file nor an answer can make the layer slow."""
    old, search, replace = HOSTILE[name]
    began = time.monotonic()

    to_edits(
        answer(Replace(path, ((search, replace),))),
        {path: old.encode()}.get,
        lambda: [path],
        Limits(),
        TEXTS,
    )

    assert time.monotonic() - began < 8  # it takes well below one on an idle machine


def test_the_soak_in_short():
    """A few hundred spoilt answers lose nothing; the same ones each time."""
    spec = importlib.util.spec_from_file_location("soak_edits", SOAK)
    assert spec is not None
    assert spec.loader is not None
    soak_edits = importlib.util.module_from_spec(spec)
    sys.modules["soak_edits"] = soak_edits
    spec.loader.exec_module(soak_edits)

    tally = soak_edits.soak(200)

    assert 200 <= tally.counts.total()
    assert tally.counts["harmless: applied"] > 0
    assert tally.counts["harmful: applied"] > 0
