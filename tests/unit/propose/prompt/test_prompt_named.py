"""The files that a text names, in any language."""

import time

import pytest

from bot.propose.prompt.named import MAX_NAMED, named_files

PATHS = (
    "Makefile",
    "README.md",
    "docs/README.md",
    "lib/src/app.py",
    "src/app.py",
    "src/fetch.py",
    "src/設定.py",
    "tests/fetch.py",
    "tests/test_fetch.py",
    "src/util",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mend src/fetch.py.", ("src/fetch.py",)),
        ("Mend `fetch.py:12`", ("src/fetch.py", "tests/fetch.py")),
        ("See ./src/fetch.py and /tests/fetch.py", ("src/fetch.py", "tests/fetch.py")),
        ("tests/fetch.py before src/app.py", ("tests/fetch.py", "src/app.py")),
        ("修改src/設定.py的值", ("src/設定.py",)),
        ("設定.pyを直す", ("src/設定.py",)),
        ("The Makefile lacks a target", ("Makefile",)),
        ("prefetch.py and fetch.pyc and a/fetch.py/x", ()),
        ("a fetch util", ()),
        ("(README.md)", ("README.md",)),
        ("other/README.md", ()),
        ("", ()),
    ],
)
def test_named(text: str, expected: tuple[str, ...]) -> None:
    """A path, or the end of it that has its name, names a file."""
    assert expected == named_files(text, PATHS)


def test_many_of_one_name() -> None:
    """A name that many files have means none of them, and the number is bounded."""
    many = [f"p{n}/__init__.py" for n in range(50)]
    different = [f"f{n:02}.py" for n in range(50)]

    assert () == named_files("every __init__.py", many)
    assert ("p7/__init__.py",) == named_files("p7/__init__.py", many)
    assert MAX_NAMED == len(named_files(" ".join(different), different))


def test_quick_with_many_files() -> None:
    """Ten thousand files of the name that is meant are looked at in no time."""
    many = [f"a/b/c{n}/index.js" for n in range(10_000)]
    began = time.perf_counter()

    assert ("a/b/c77/index.js",) == named_files("mend c77/index.js " * 20, many)
    assert time.perf_counter() - began < 2
