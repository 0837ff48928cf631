"""Tests of putting stored edits on a base that has moved."""

import pytest
from ground import Ground

from bot.errors import Conflict, GitFailed
from bot.workspace.rebuild import rebuild

LINES = b"".join(b"%d\n" % i for i in range(30))
BASE = {"a.txt": LINES, "b.txt": b"b\n", "src/c.py": b"c\n", "run": ("100755", b"r\n")}


@pytest.fixture
def ground(tmp_path):
    return Ground(tmp_path)


def start(ground, edited):
    base = ground.commit(BASE)
    return base, ground.commit(edited, (base,))


def without(files, *paths):
    return {path: content for path, content in files.items() if path not in paths}


def tree_of(ground, sha):
    return ground.git.text("rev-parse", f"{sha}^{{tree}}")


def test_edits_land_on_the_moved_base(ground):
    """Changes of both sides are in the tree, in one file too."""
    edited = without(BASE, "b.txt") | {
        "a.txt": LINES.replace(b"25\n", b"edited\n"),
        "new": ("100755", b"n\n"),
    }
    base, edits = start(ground, edited)
    moved = ground.commit(
        BASE | {"a.txt": LINES.replace(b"3\n", b"moved\n", 1), "other": b"o\n"}, (base,)
    )
    made = ground.files(rebuild(ground.git, edits, moved))
    assert made == ground.files(
        ground.commit(
            edited
            | {
                "a.txt": LINES.replace(b"3\n", b"moved\n", 1).replace(
                    b"25\n", b"edited\n"
                ),
                "other": b"o\n",
            }
        )
    )


def test_the_same_base_gives_the_edits_themselves(ground):
    """Nothing moved, nothing changes."""
    base, edits = start(ground, BASE | {"b.txt": b"x\n"})
    assert tree_of(ground, edits) == rebuild(ground.git, edits, base)


def test_a_rewritten_base_without_shared_history_works(ground):
    """Only trees count: a force-pushed root commit is as good as any."""
    _, edits = start(ground, BASE | {"b.txt": b"x\n"})
    orphan = ground.commit(BASE | {"src/c.py": b"rewritten\n"})
    made = ground.files(rebuild(ground.git, edits, orphan))
    assert made["b.txt"] == ("100644", b"x\n")
    assert made["src/c.py"] == ("100644", b"rewritten\n")


def test_edits_that_the_base_already_has_give_its_own_tree(ground):
    """The caller sees that nothing is left to do."""
    edited = without(BASE, "src/c.py") | {"b.txt": b"x\n", "new": b"n\n"}
    base, edits = start(ground, edited)
    moved = ground.commit(edited | {"more": b"m\n"}, (base,))
    assert tree_of(ground, moved) == rebuild(ground.git, edits, moved)


def test_building_twice_makes_no_new_commits(ground):
    """The commits for the merge are the same each time."""
    _, edits = start(ground, BASE | {"b.txt": b"x\n"})
    moved = ground.commit(BASE | {"src/c.py": b"z\n"})
    first = rebuild(ground.git, edits, moved)
    count = ground.git.text("count-objects")
    assert first == rebuild(ground.git, edits, moved)
    assert count == ground.git.text("count-objects")


CONFLICTS = [
    ("the same line", {"b.txt": b"x\n"}, {"b.txt": b"y\n"}, "b.txt"),
    ("the same new file", {"new": b"1\n"}, {"new": b"2\n"}, "new"),
    ("deleted there", {"b.txt": b"x\n"}, {"b.txt": None}, "b.txt"),
    ("deleted here", {"b.txt": None}, {"b.txt": b"y\n"}, "b.txt"),
    ("a folder there", {"new": b"1\n"}, {"new/x": b"2\n"}, "new"),
    ("a colliding name", {"new": b"1\n"}, {"NEW": b"2\n"}, "same name as NEW"),
    ("a colliding folder", {"Lib/x": b"1\n"}, {"lib/y": b"2\n"}, "Lib"),
    (
        "renamed there",
        {"a.txt": LINES + b"more\n"},
        {"a.txt": None, ".ci/x": LINES},
        "a.txt",
    ),
    (
        "odd names",
        {"e\u00e9\n.txt": b"1\n", "b.txt": b"1\n"},
        {"e\u00e9\n.txt": b"2\n", "b.txt": b"2\n"},
        r"b.txt, 'e\xe9\n.txt'",
    ),
]


@pytest.mark.parametrize(
    ("here", "there", "named"),
    [case[1:] for case in CONFLICTS],
    ids=[case[0] for case in CONFLICTS],
)
def test_edits_that_no_longer_fit_conflict(ground, here, there, named):
    """A conflict names the files, and nothing follows a rename to another path."""
    _, edits = start(ground, changed(here))
    moved = ground.commit(changed(there))
    with pytest.raises(Conflict) as caught:
        rebuild(ground.git, edits, moved)
    assert named in str(caught.value)
    assert moved[:12] in str(caught.value)


def changed(changes):
    files = BASE | changes
    return {path: content for path, content in files.items() if content is not None}


def test_a_file_added_into_a_renamed_folder_stays_where_it_was_checked(ground):
    """No path is invented that policy has not seen."""
    files = {f"lib/{i}.py": b"%d\n" % i * 20 for i in range(4)}
    base = ground.commit(files)
    edits = ground.commit(files | {"lib/new.py": b"n\n"}, (base,))
    moved = ground.commit({path.replace("lib", ".ci"): c for path, c in files.items()})
    made = ground.files(rebuild(ground.git, edits, moved))
    assert "lib/new.py" in made
    assert ".ci/new.py" not in made


def test_a_clean_merge_says_nothing_about_files_it_did_not_touch(ground):
    """Modes and submodules of the base pass through."""
    _, edits = start(ground, BASE | {"b.txt": b"x\n"})
    moved = ground.commit(
        BASE | {"lib": ("160000", b"1" * 40), "l": ("120000", b"b.txt")}
    )
    made = ground.files(rebuild(ground.git, edits, moved))
    assert made["run"] == ("100755", b"r\n")
    assert made["lib"][0] == "160000"
    assert made["l"] == ("120000", b"b.txt")


def test_a_commit_that_is_not_there_is_gits_failure(ground):
    """A lost object is no conflict."""
    base, _ = start(ground, BASE)
    with pytest.raises(GitFailed):
        rebuild(ground.git, "f" * 40, base)


def test_a_lost_object_is_gits_failure_too(ground):
    """A merge that git can't do is told as git tells it, not as a conflict."""
    _, edits = start(ground, BASE | {"a.txt": LINES.replace(b"25\n", b"edited\n")})
    lines = LINES.replace(b"3\n", b"moved\n", 1)
    moved = ground.commit(BASE | {"a.txt": lines})
    blob = ground.git.text("rev-parse", f"{moved}:a.txt")
    (ground.folder / "clone.git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(GitFailed, match="merge-tree"):
        rebuild(ground.git, edits, moved)
