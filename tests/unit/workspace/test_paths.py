"""Tests of the path policy and the globs."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.workspace.paths import check_path, first_protected, fold, matches, shown

REFUSED = [
    ("", "empty"),
    ("/etc/passwd", "absolute"),
    ("//host/share", "absolute"),
    ("..", "'..'"),
    ("a/../b", "'..'"),
    ("./a", "'.'"),
    ("a/./b", "'.'"),
    ("a/.. /b", "'.. '"),
    ("a/.../b", "'...'"),
    ("a/ /b", "' '"),
    ("a//b", "empty name"),
    ("a/", "slash"),
    ("a\\b", "backslash"),
    ("..\\..\\x", "backslash"),
    ("a\0b", "control"),
    ("a\nb", "control"),
    ("a\x7f", "control"),
    ("a\u0085b", "control"),
    ("a\u2028b", "control"),
    ("a\u202egpj.exe", "control"),
    ("a\udc80", "UTF-8"),
    ("C:/x", "drive"),
    ("c:x", "drive"),
    (".git", "git's own"),
    (".git/config", "git's own"),
    ("a/.GIT/hooks/x", "git's own"),
    ("sub/.Git", "git's own"),
    (".git ", "git's own"),
    (".git.", "git's own"),
    (".git. .", "git's own"),
    (".git::$INDEX_ALLOCATION", "git's own"),
    (".git:stream/x", "git's own"),
    (".git . :x", "git's own"),
    ("git~1", "git's own"),
    ("GIT~1/config", "git's own"),
    ("Git~2", "git's own"),
    (".g\u200cit/config", "git's own"),
    ("\ufeff.git", "git's own"),
    (".gi\u206at", "git's own"),
    ("x" * 256, "longer than 255"),
    ("é" * 128, "longer than 255"),
    ("/".join(["x" * 200] * 21), "longer than 4096"),
]

FINE = [
    "README.md",
    "a/b/c.py",
    ".gitignore",
    ".github/workflows/x.yml",
    "git/x",
    ".gitx",
    "~/x",
    "-rf",
    "a b.txt",
    "[x]*?.md",
    "ünï/日本.txt",
    "a..b",
    "...a",
    "x" * 255,
    "ab:c",
]


@pytest.mark.parametrize(("path", "why"), REFUSED)
def test_refuses_paths_that_could_leave_or_mislead(path, why):
    """A path that could leave the tree, touch git's folder or mislead is refused."""
    reason = check_path(path)
    assert reason is not None
    assert why in reason


@pytest.mark.parametrize("path", FINE)
def test_accepts_ordinary_paths(path):
    """Odd but harmless names are fine."""
    assert check_path(path) is None


_TRICKS = st.sampled_from(
    [
        *("..", ".", ".git", ".GIT", "git~1", "/", "//", "\\", " ", ":", "\0", "a"),
        *("\u200c", "\ufeff", "~", "C:", "é", "\n", "$"),
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(_TRICKS | st.text(max_size=3), max_size=8).map("".join))
def test_no_accepted_path_leaves_the_root_or_touches_git(path):
    """Whatever is accepted stays below the root and outside `.git` in any case."""
    if check_path(path) is not None:
        return
    root = Path("/srv/root")
    joined = Path(os.path.normpath(root / path))
    assert joined.is_relative_to(root)
    assert joined != root
    names = [name.casefold() for name in joined.relative_to(root).parts]
    assert ".git" not in names
    assert "/".join(joined.relative_to(root).parts) == path


MATCHES = [
    ("CODEOWNERS", "CODEOWNERS", True),
    ("CODEOWNERS", "docs/codeowners", True),
    ("CODEOWNERS", "CODEOWNERS.md", False),
    ("LICENSE*", "license.txt", True),
    ("LICENSE*", "a/b/LICENSE", True),
    ("LICENSE*", "LICENSES/MIT.txt", True),
    ("*.lock", "a/b.lock", True),
    ("*.lock", "a.lock/b", True),
    (".github/workflows/**", ".github/workflows/a/b.yml", True),
    (".github/workflows/**", ".github/workflows", True),
    (".github/workflows/**", "sub/.github/workflows/a.yml", False),
    (".github/workflows/**", ".github/workflow/a.yml", False),
    ("dir/", "dir/x", True),
    ("dir/", "a/dir/x", True),
    ("/top", "top", True),
    ("/top", "a/top", False),
    ("a/*.md", "a/b.md", True),
    ("a/*.md", "a/b/c.md", False),
    ("**/x.md", "x.md", True),
    ("**/x.md", "a/b/x.md", True),
    ("a/**/b", "a/b", True),
    ("a/**/b", "a/x/y/b", True),
    ("a/**/b", "ab", False),
    ("a**b/c", "axxb/c", True),
    ("a**b/c", "ax/xb/c", False),
    ("**", "a/b", True),
    ("a?c", "abc", True),
    ("a?c", "a/c", False),
    ("[a-c]x", "bx", True),
    ("[A-C]x", "bx", True),
    ("[!a-c]x", "dx", True),
    ("[^a-c]x", "bx", False),
    ("a[!b]c/d", "a/c/d", False),
    ("[]]x", "]x", True),
    ("[z-a]", "[z-a]", True),
    ("[z-a]", "z", False),
    ("[ab", "[ab", True),
    ("\\*x", "*x", True),
    ("\\*x", "ax", False),
    ("a.b", "axb", False),
    ("", "a", False),
    ("/", "a", False),
    ("CLAUDE.md", "claude.MD", True),
    ("caf\u00e9", "CAFE\u0301", True),
    (".gitmodules", ".git\u200cmodules", True),
    ("CODEOWNERS", "CODEOWNERS. ", True),
    ("x", "a\nb/x", True),
]


@pytest.mark.parametrize(("glob", "path", "wanted"), MATCHES)
def test_globs_read_as_in_a_gitignore(glob, path, wanted):
    """Globs match as in a .gitignore, whatever the spelling of the path."""
    assert wanted == matches([glob], path)


def test_the_first_matching_glob_is_named():
    """The caller can say which glob protects a path."""
    assert first_protected(["x", "*.md", "a*"], "a.md") == "*.md"
    assert first_protected(["x"], "a.md") is None
    assert first_protected([], "a.md") is None


def test_fold_makes_one_of_names_that_some_file_system_takes_for_one():
    """Case, normalisation, ignored code points and trailing dots don't matter."""
    assert fold("A/B. /c") == "a/b/c"
    assert fold("CAFE\u0301/\u200cX") == fold("caf\u00e9/x")
    assert fold("a") != fold("b")


def test_messages_show_odd_paths_escaped():
    """A path can't write a second line into a log."""
    assert shown("a/é b") == "a/é b"
    assert shown("a\nb") == "'a\\nb'"
    assert shown("") == "''"
