"""Top-level names, one expression a language."""

import time

import pytest

from bot.workspace.symbols import MAX_LENGTH, MAX_SYMBOLS, symbols_of

CASES = {
    "a.py": (
        "class A:\n    def no(self): ...\nasync def b(): ...\nMAX_X: int = 1\nx = 2\n",
        "A b MAX_X",
    ),
    "a.ts": (
        "export default class A {}\nexport const b = 1\nfunction c() {}\n  const no = 1\n",
        "A b c",
    ),
    "a.go": (
        "func (s *Shelf) Size() int {}\ntype T struct {}\nfunc New() {}\n",
        "Size T New",
    ),
    "a.rs": ("pub(crate) fn a() {}\npub struct B;\n    fn no() {}\nmod c;\n", "a B c"),
    "A.java": ("public final class A {\n  void no() {}\n}\ninterface B {}\n", "A B"),
    "a.c": (
        "#define LIMIT 3\nstatic int size(struct s *p)\n{\n}\nint x;\nstruct s {\n",
        "LIMIT size s",
    ),
    "a.rb": ("module A\n  class B\n    def no; end\n", "A B"),
    "a.php": ("<?php\nclass A {\n}\nfunction b() {}\n", "A b"),
    "a.sh": ("set -e\nbuild() {\n}\nfunction test() {\n", "build test"),
    "a.sql": ("CREATE TABLE IF NOT EXISTS orders (\ncreate view v as\n", "orders v"),
    "a.ex": ("defmodule A.B do\n  def c do\n", "A.B c"),
    "a.lua": ("local function a()\nfunction M.b()\n", "a M.b"),
    "a.unknown": ("class A:\n", ""),
    "noending": ("class A:\n", ""),
}


@pytest.mark.parametrize("path", CASES)
def test_names(path: str) -> None:
    """The names at the top level are found, those inside are not."""
    text, expected = CASES[path]

    assert tuple(expected.split()) == symbols_of(path, text)


def test_headings() -> None:
    """A Markdown file gives its headings."""
    assert ("One", "Zwei Ä") == symbols_of("a.md", "# One\ntext\n## Zwei Ä\n#### no\n")


def test_windows_line_ends() -> None:
    """A carriage return is no part of a name."""
    assert ("One",) == symbols_of("a.md", "# One\r\n\r\n")


def test_bounds() -> None:
    """There are at most so many names, each at most so long."""
    many = "".join(f"def f{n}(): ...\n" for n in range(99))
    long = symbols_of("a.md", f"# {'x' * 500}\n")

    assert MAX_SYMBOLS == len(symbols_of("a.py", many))
    assert MAX_LENGTH == len(long[0])


@pytest.mark.parametrize("ending", ["c", "ts", "sql", "go", "rs", "java", "py", "sh"])
def test_hostile_text(ending: str) -> None:
    """Text made to be slow is read in linear time."""
    texts = ("a " * 100_000, "int " * 50_000 + "\n", "export " * 30_000, "(" * 200_000)
    began = time.perf_counter()
    for text in texts:
        symbols_of(f"a.{ending}", text + "\n" + text)

    assert time.perf_counter() - began < 2
