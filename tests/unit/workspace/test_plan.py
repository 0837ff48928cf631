"""Tests of planning: every rule, and the exact bytes that come out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.change import Action, Change, FileEdit, Refused
from bot.workspace import plan as plan_module
from bot.workspace.plan import BaseEntry, Planned, Rules, plan_edits

SHA = "a" * 40
LINKS = Rules(allow_symlinks=True)


class Base:
    """A base in memory that counts how often it is asked for all its paths."""

    sha = SHA

    def __init__(self, files):
        self.asked = 0
        self._files = {
            path: BaseEntry(*(given if isinstance(given, tuple) else ("100644", given)))
            for path, given in files.items()
        }

    def entry(self, path):
        return self._files.get(path)

    def paths(self):
        self.asked += 1
        return frozenset(self._files)


BASE = {
    "README.md": b"one\ntwo\n",
    "run.sh": ("100755", b"#!/bin/sh\n"),
    "src/a.py": b"a\n",
    "src/b.py": b"b\n",
    "link": ("120000", b"src"),
    "out": ("120000", b"../x"),
    "vendor/lib": ("160000", b""),
    "logo.png": b"\x89PNG\0",
    "model.bin": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "docs/caf\u00e9.md": b"x\n",
    "PRD.md": b"- [ ] gap\n",
}


def edit(path, content=b"x\n", **more):
    return FileEdit(path, content, **more)


def plan(*edits, rules=None, base=None):
    return plan_edits(edits, base or Base(BASE), rules or Rules())


def changes(planned):
    assert isinstance(planned, Planned), planned
    return [(c.path, c.action) for c in planned.changes]


REFUSED = [
    ([edit("../x")], Rules(), "../x", "'..'"),
    ([edit("a\nb")], Rules(), r"'a\nb'", "control"),
    ([edit("n"), edit("n", b"y\n")], Rules(), "n:", "twice"),
    ([edit("none", None)], Rules(), "none:", "no such file to delete"),
    ([edit("src", None)], Rules(), "src:", "no such file to delete"),
    ([edit("src/a.py/x")], Rules(), "src/a.py/x:", "src/a.py, which is a file"),
    ([edit("link/a.py")], Rules(), "link/a.py:", "link, which is a symlink"),
    ([edit("link/new/x")], Rules(), "link/new/x:", "link, which is a symlink"),
    ([edit("vendor/lib/x")], Rules(), "vendor/lib/x:", "which is a submodule"),
    ([edit("src")], Rules(), "src:", "a folder stands there"),
    ([edit("n"), edit("n/x")], Rules(), "n/x:", "n is a file, not a folder"),
    (
        [edit("README.md", b"one\ntwo\n"), edit("README.md/x")],
        Rules(),
        "README.md/x:",
        "file",
    ),
    ([edit("vendor/lib")], Rules(), "vendor/lib:", "submodules"),
    ([edit("vendor/lib", None)], Rules(), "vendor/lib:", "submodules"),
    ([edit("n", b"0" * 40, kind="submodule")], Rules(), "n:", "submodules"),
    ([edit("n", b"README.md", kind="symlink")], Rules(), "n:", "allow_symlinks"),
    ([edit("link", b"docs", kind="symlink")], Rules(), "link:", "allow_symlinks"),
    ([edit("link", b"text")], Rules(), "link:", "allow_symlinks"),
    (
        [edit("README.md", b"src", kind="symlink")],
        Rules(),
        "README.md:",
        "allow_symlinks",
    ),
    ([edit("n", b"../x", kind="symlink")], LINKS, "n:", "leaves the tree"),
    ([edit("src/n", b"../../x", kind="symlink")], LINKS, "src/n:", "leaves the tree"),
    ([edit("n", b"src/../../x", kind="symlink")], LINKS, "n:", "leaves the tree"),
    ([edit("n", b"/etc/passwd", kind="symlink")], LINKS, "n:", "relative"),
    ([edit("n", b"", kind="symlink")], LINKS, "n:", "relative"),
    ([edit("n", b"\xff", kind="symlink")], LINKS, "n:", "UTF-8"),
    ([edit("n", b".git/config", kind="symlink")], LINKS, "n:", "git's own"),
    ([edit("n", b"a\0b", kind="symlink")], LINKS, "n:", "control"),
    ([edit("n", b"out/y", kind="symlink")], LINKS, "n:", "another symlink"),
    ([edit("n", b"out", kind="symlink")], LINKS, "n:", "another symlink"),
    (
        [edit("n", b"m/..", kind="symlink"), edit("m", b"src", kind="symlink")],
        LINKS,
        "n:",
        "another symlink",
    ),
    ([edit("readme.MD")], Rules(), "readme.MD:", "same name as README.md"),
    ([edit("SRC/new.py")], Rules(), "SRC:", "same name as src"),
    (
        [edit("docs/cafe\u0301.md")],
        Rules(),
        "docs/cafe",
        "same name as docs/caf\u00e9.md",
    ),
    ([edit("Foo/x"), edit("foo/y")], Rules(), "foo", "same name as Foo"),
    ([edit("Foo"), edit("foo/y")], Rules(), "foo", "same name as Foo"),
    ([edit("new.png", b"\0")], Rules(), "new.png:", "allow_binary"),
    ([edit("logo.png", b"text")], Rules(), "logo.png:", "allow_binary"),
    ([edit("README.md", b"\0")], Rules(), "README.md:", "allow_binary"),
    ([edit("model.bin", b"weights")], Rules(), "model.bin:", "Git LFS"),
    ([edit(".CI/x")], Rules(protected=(".ci/**",)), ".CI/x:", "'.ci/**'"),
    ([edit("README.md", None)], Rules(protected=("*.md",)), "README.md:", "'*.md'"),
    ([edit("PRD.md")], Rules(prd=("PRD.md",), on_protected="allow"), "PRD.md:", "prd"),
    ([edit("PRD.md", None)], Rules(prd=("*.md",)), "PRD.md:", "prd"),
    ([edit("a"), edit("b")], Rules(max_files=1), "b:", "2 files; max_files is 1"),
    ([edit("a", b"x\n" * 6)], Rules(max_lines=5), "a:", "6 lines; max_lines is 5"),
    ([edit("a", b"x" * 99)], Rules(max_bytes=99), "a:", "max_bytes is 99"),
    (
        [edit("logo.png", b"\0" * 9999)],
        Rules(allow_binary=True, max_bytes=5000),
        "logo.png:",
        "max_bytes is 5000",
    ),
]


@pytest.mark.parametrize(("edits", "rules", "path", "why"), REFUSED)
def test_refuses_and_names_path_and_rule(edits, rules, path, why):
    """Each broken rule refuses the whole proposal, naming the path and the rule."""
    refused = plan(*edits, rules=rules)
    assert isinstance(refused, Refused)
    assert path in refused.reason
    assert why in refused.reason


def test_plans_exact_bytes_and_line_counts():
    """Every change carries the bytes to be written, its mode and its measure."""
    planned = plan(
        edit("README.md", b"one\nTWO\r\n"),
        edit("new/x.txt", b"1\n2", executable=True),
        edit("src/a.py", None),
        edit("src/b.py", b"b\n"),
    )
    assert isinstance(planned, Planned)
    assert planned.base_sha == SHA
    assert planned.changes == (
        Change("README.md", Action.UPDATE, b"one\nTWO\r\n", False, 1, 1),
        Change("new/x.txt", Action.ADD, b"1\n2", True, 2, 0),
        Change("src/a.py", Action.DELETE, None, False, 0, 1),
        Change("src/b.py", Action.NOOP, b"b\n"),
    )
    headers = sum(128 + 4 * len(c.path) for c in planned.changes[:3])
    assert planned.patch_bytes == headers + (5 + 6) + (3 + 2) + 3
    assert planned.lines == 5


def test_the_x_bit_is_kept_unless_asked():
    """None keeps the old bit, a new file gets none, and the bit alone is a change."""
    planned = plan(
        edit("run.sh", b"#!/bin/sh\nls\n"),
        edit("src/a.py", b"a\n", executable=True),
        edit("src/b.py", b"b\n", executable=False),
        edit("new"),
    )
    assert isinstance(planned, Planned)
    assert [(c.path, c.action, c.executable) for c in planned.changes] == [
        ("run.sh", Action.UPDATE, True),
        ("src/a.py", Action.UPDATE, True),
        ("src/b.py", Action.NOOP, False),
        ("new", Action.ADD, False),
    ]


def test_what_equals_the_base_is_no_change():
    """Equal files count for no rule: not size, protection, links or binary."""
    rules = Rules(max_files=0, max_lines=0, max_bytes=0, protected=("**",), prd=("**",))
    same = [
        edit("README.md", b"one\ntwo\n"),
        edit("link", b"src", kind="symlink"),
        edit("logo.png", b"\x89PNG\0"),
        edit("model.bin", BASE["model.bin"]),
    ]
    planned = plan(*same, rules=rules)
    assert changes(planned) == [(e.path, Action.NOOP) for e in same]
    assert planned.is_noop
    assert plan().is_noop


def test_a_file_in_place_of_an_equal_link_is_a_change():
    """A symlink and a file with the target's text are not the same."""
    planned = plan(edit("link", b"src"), rules=LINKS)
    assert changes(planned) == [("link", Action.UPDATE)]
    assert planned.symlinks == frozenset()
    planned = plan(edit("run.sh", b"#!/bin/sh\n", kind="symlink"), rules=LINKS)
    assert isinstance(planned, Refused)


def test_symlinks_within_the_tree_when_allowed():
    """Allowed links are planned as links; a link to the root is within the tree."""
    planned = plan(
        edit("a", b"src/./a.py", kind="symlink", executable=True),
        edit("src/up", b"../docs", kind="symlink"),
        edit("root", b".", kind="symlink"),
        edit("link", b"docs", kind="symlink"),
        rules=LINKS,
    )
    assert isinstance(planned, Planned)
    assert planned.symlinks == {"a", "src/up", "root", "link"}
    assert not any(change.executable for change in planned.changes)


def test_a_link_may_point_where_a_link_was_replaced():
    """Whether a target is a symlink is told from the planned tree, not from the base."""
    made = plan(
        edit("out", b"now a file\n"), edit("n", b"out", kind="symlink"), rules=LINKS
    )
    assert changes(made) == [("out", Action.UPDATE), ("n", Action.ADD)]


def test_deleting_makes_room():
    """What goes in the same plan is in nobody's way."""
    planned = plan(
        edit("src/a.py/x"),
        edit("src/a.py", None),
        edit("readme.md"),
        edit("README.md", None),
        edit("link/x"),
        edit("link", None),
    )
    assert [action for _, action in changes(planned)] == [Action.ADD, Action.DELETE] * 3
    planned = plan(edit("src"), edit("src/a.py", None), edit("src/b.py", None))
    assert len(changes(planned)) == 3


def test_binaries_may_be_deleted_and_when_allowed_changed():
    """A binary's lines count as none, its bytes do."""
    planned = plan(edit("logo.png", None), edit("model.bin", None))
    assert changes(planned) == [
        ("logo.png", Action.DELETE),
        ("model.bin", Action.DELETE),
    ]
    planned = plan(edit("logo.png", b"\0\n\n"), rules=Rules(allow_binary=True))
    assert isinstance(planned, Planned)
    change = planned.changes[0]
    assert (change.binary, change.lines_added, change.lines_removed) == (True, 0, 0)
    assert planned.patch_bytes > 128


@pytest.mark.parametrize("choice", ["draft", "allow"])
def test_protected_paths_are_told_when_they_do_not_block(choice):
    """The caller learns which changed paths are protected."""
    rules = Rules(protected=("*.md",), on_protected=choice)
    planned = plan(
        edit("README.md"), edit("src/a.py"), edit("PRD.md", None), rules=rules
    )
    assert isinstance(planned, Planned)
    assert planned.protected == ("README.md", "PRD.md")


def test_a_collision_that_the_base_has_is_nobodys_fault():
    """Only new collisions are refused."""
    base = Base({"Foo/a": b"", "foo/b": b"", "X": b"", "x": b""})
    planned = plan(edit("Foo/c"), edit("x", b"new\n"), base=base)
    assert changes(planned) == [("Foo/c", Action.ADD), ("x", Action.UPDATE)]
    refused = plan(edit("FOO/c"), base=base)
    assert isinstance(refused, Refused)


def test_all_paths_are_asked_for_only_when_a_file_is_added():
    """A big base is listed at most once."""
    base = Base(BASE)
    plan(edit("README.md"), edit("src/a.py", None), base=base)
    assert base.asked == 0
    plan(edit("n1"), edit("n2"), edit("n3/x"), base=base)
    assert base.asked == 1


_PATHS = st.sampled_from(["a", "A", "a/b", "a/B", "a/b/c", "d", "d/e", "D/e"])


@settings(max_examples=400, deadline=None)
@given(
    st.dictionaries(_PATHS, st.just(b"old\n"), max_size=4),
    st.dictionaries(_PATHS, st.sampled_from([None, b"old\n", b"new\n"]), max_size=4),
)
def test_a_planned_tree_can_stand_on_any_file_system(before, wanted):
    """No plan makes a path both file and folder, or two names that fold to one."""
    if not is_tree(before):
        return
    planned = plan(*(edit(p, c) for p, c in wanted.items()), base=Base(before))
    if isinstance(planned, Refused):
        return
    after = {**before, **wanted}
    assert is_tree({path for path, content in after.items() if content is not None})


def is_tree(paths):
    spelled = {}
    for path in paths:
        parts = path.split("/")
        for count in range(1, len(parts) + 1):
            prefix = "/".join(parts[:count])
            kind = (prefix, "file" if count == len(parts) else "folder")
            if spelled.setdefault(prefix.casefold(), kind) != kind:
                return False
    return True


def test_what_is_too_long_by_length_alone_is_not_measured(monkeypatch):
    """A flood is refused by its length, before it is cut into lines."""
    monkeypatch.setattr(plan_module, "measure", None)
    refused = plan(edit("a", b"x\n" * 50), rules=Rules(max_bytes=99))
    assert isinstance(refused, Refused)
    assert "changes 100 bytes of patch; max_bytes is 99" in refused.reason
