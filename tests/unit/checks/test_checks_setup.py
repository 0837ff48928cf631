"""Set-up runs on the base once for its key files, and later jobs see what it made."""

import os
import subprocess
from pathlib import Path

import pytest

from bot.checks import kept
from bot.checks.setup import SetUp, SetUpFailed, SetUpResult
from bot.errors import Interrupted
from bot.sandbox.job import Bind, Finished, Job
from bot.settings.model import Setup

INSTALL = (
    "mkdir -p venv/bin src; printf '#!/bin/sh\\necho tool\\n' > venv/bin/tool;"
    "chmod +x venv/bin/tool; echo v1 > src/_version.py; mkdir -p ~/.cache/pkg ~/.m2;"
    "echo cached > ~/.cache/pkg/x; echo m2 > ~/.m2/x; echo changed > a.txt"
)


@pytest.fixture
def make(tmp_path: Path, sandbox, settings, owner):
    """Return a function that makes the set-ups of a repository."""

    def maker(*steps: Setup, **options) -> SetUp:
        folder = tmp_path / "setup"
        return SetUp(folder, steps, sandbox, settings, owner=owner, **options)

    return maker


@pytest.fixture
def base(tree) -> str:
    """Return a base with a tracked folder and key files."""
    (tree.path / "src").mkdir()
    (tree.path / "src/code.py").write_text("x\n")
    return tree.commit(lock_txt="1\n", other_txt="1\n")


def _step(run: str = INSTALL, **options) -> Setup:
    return Setup(run=run, **{"key": ["lock.txt"], "network": False, **options})


def _ready(set_up: SetUp, base: str, tree) -> SetUpResult:
    found = set_up.prepare(base, tree, tree.files)
    assert isinstance(found, SetUpResult), found
    return found


def test_no_set_up_is_ready_at_once(make, base: str, tree):
    """A repository without set-up needs none, and its tree is left alone."""
    found = _ready(make(), base, tree)
    assert (found.binds, found.key, tree.moves) == ((), "none", 0)


def test_what_it_made_is_seen_by_later_jobs(make, base: str, tree, sandbox):
    """Files of the tree and the home are where the set-up put them, read-only."""
    found = _ready(make(_step()), base, tree)
    assert tree.git("status", "--porcelain", "--ignored") == ""
    command = (
        "venv/bin/tool; cat src/_version.py src/code.py a.txt ~/.cache/pkg/x ~/.m2/x;"
        "echo evil > venv/bin/tool; rm -rf venv src/_version.py; echo > ~/.m2/x;"
        "mkdir ~/.cache/own && echo own"
    )
    job = Job(command, tree.path, 30.0, binds=found.binds)
    finished: Finished = sandbox.run(job)
    assert "tool\nv1\nx\na\ncached\nm2\n" in finished.output
    assert finished.output.endswith("own\n")
    again = sandbox.run(Job("venv/bin/tool", tree.path, 30.0, binds=found.binds))
    assert again.output == "tool\n"
    assert tree.untracked() == ()


def test_same_key_files_need_no_second_run(make, base: str, tree):
    """A base with the same key files uses what is kept, and the tree isn't touched."""
    first = _ready(make(_step()), base, tree)
    later = tree.commit(other_txt="2\n")
    tree.moves = 0
    second = _ready(make(_step()), later, tree)
    assert (second.binds, second.key) == (first.binds, first.key)
    assert second.note.endswith("kept")
    assert tree.moves == 0


def test_changed_key_file_runs_it_again(make, base: str, tree):
    """A base whose key file changed gets a set-up of its own."""
    first = _ready(make(_step()), base, tree)
    second = _ready(make(_step()), tree.commit(lock_txt="2\n"), tree)
    assert first.key != second.key


def test_without_key_files_every_base_is_another(make, base: str, tree):
    """A command that names no key files, or whose globs match none, runs every time."""
    for key in ([], ["missing.txt"]):
        first = _ready(make(_step(key=key)), base, tree)
        later = tree.commit(other_txt=f"{key}\n")
        assert first.key != _ready(make(_step(key=key)), later, tree).key


def test_steps_build_on_each_other(make, base: str, tree):
    """A later command finds what an earlier one made, in the tree and in the home."""
    steps = (_step("touch made ~/made"), _step("mv made moved; mv ~/made ~/moved"))
    found = _ready(make(*steps), base, tree)
    targets = [bind.target for bind in found.binds]
    assert targets == ["/repo/moved", "/home/bot/moved"]


def test_failure_is_told_and_nothing_kept(make, base: str, tree, tmp_path: Path):
    """A command that fails is named with its output; the tree is at its base."""
    found = make(_step("echo no luck; touch left; exit 5")).prepare(
        base, tree, tree.files
    )
    assert isinstance(found, SetUpFailed)
    assert "exit code 5" in found.reason
    assert found.output == "no luck\n"
    assert tree.untracked() == ()
    assert list((tmp_path / "setup").iterdir()) == []


def test_stopped_set_up_is_interrupted(make, base: str, tree):
    """A signal ends the set-up, and what was begun doesn't count."""
    with pytest.raises(Interrupted, match="sleep 9"):
        make(_step("sleep 9"), cancel=lambda: True).prepare(base, tree, tree.files)
    assert _ready(make(_step("true")), base, tree).note.endswith("of the home")


def test_half_a_set_up_is_made_again(make, base: str, tree, tmp_path: Path):
    """What a killed run left counts as nothing and is removed."""
    first = _ready(make(_step()), base, tree)
    folder = tmp_path / "setup" / first.key
    (folder / "manifest.json").unlink()
    (folder / "tree/stale").mkdir()
    (tmp_path / "setup/0000/tree").mkdir(parents=True)
    second = _ready(make(_step()), base, tree)
    assert not second.note.endswith("kept")
    assert not (folder / "tree/stale").exists()
    assert not (tmp_path / "setup/0000").exists()


def test_newest_three_are_kept(make, base: str, tree, tmp_path: Path):
    """Older set-ups go, the ones used last stay."""
    keys = []
    for number in range(4):
        keys.append(_ready(make(_step(f"echo {number} > made")), base, tree).key)
        if number == 2:
            os.utime(tmp_path / "setup" / keys[1] / "manifest.json", (1, 1))
            _ready(make(_step("echo 0 > made")), base, tree)
    left = {path.name for path in (tmp_path / "setup").iterdir()}
    assert left == {keys[0], keys[2], keys[3]}


def test_links_are_not_kept(make, base: str, tree, tmp_path: Path):
    """A link that a set-up leaves could show any file of the bot, so it is dropped."""
    run = "ln -s /etc/shadow link; ln -s /root ~/link; mkfifo ~/pipe; touch file"
    found = _ready(make(_step(run)), base, tree)
    assert [bind.target for bind in found.binds] == ["/repo/file"]
    manifest = kept.load(tmp_path / "setup" / found.key)
    assert manifest is not None
    assert (manifest.left_out, manifest.home) == (("link",), ())


def test_part_that_became_a_link_is_not_shown(tmp_path: Path):
    """A kept part is looked at again before it is shown."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/a").write_text("x")
    (tmp_path / "tree/b").symlink_to("/etc/shadow")
    manifest = kept.Manifest(base_sha="x", tree=("a", "b", "gone"))
    shown = kept.binds_of(tmp_path, manifest)
    assert shown == (Bind(tmp_path / "tree/a", "/repo/a"),)


def test_scattered_files_are_refused(make, base: str, tree):
    """More files between the sources than can be shown is a failure with a reason."""
    found = make(_step("for n in $(seq 401); do touch f$n; done")).prepare(
        base, tree, tree.files
    )
    assert isinstance(found, SetUpFailed)
    assert "401 separate" in found.reason


def test_caches_of_runs_are_not_worth_keeping():
    """What every run makes anew, and a name that is no text, is left out."""
    paths = ("src/__pycache__/", ".pytest_cache/", "venv/", "a\udcff", "/")
    assert kept.worth_keeping(paths) == ("venv",)


def test_read_only_folder_can_be_kept(make, base: str, tree):
    """A folder that a program made read-only, as Go does, is kept all the same."""
    run = "mkdir -p mod/x; touch mod/x/y; chmod -R a-w mod"
    assert len(_ready(make(_step(run)), base, tree).binds) == 1
    other = _step(run + "; true")
    assert len(_ready(make(other), base, tree).binds) == 1


def test_parts_of_a_home_are_shown_one_by_one(tmp_path: Path):
    """Shared folders of a home stay writable; what is in them is shown."""
    for path in (".cache/uv/x", ".local/share/y/z", ".local/bin", ".m2", "a\udcff"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / ".config").symlink_to("/etc")
    expected = (".cache/uv", ".local/bin", ".local/share/y", ".m2")
    assert kept.home_parts(tmp_path) == expected


def test_secret_reaches_the_step_that_names_it(make, base: str, tree):
    """A secret is in the environment of the command that asks for it."""
    step = _step('test "$TOKEN" = t0ken', secrets=["TOKEN"])
    assert _ready(make(step, secret={"TOKEN": "t0ken"}.get), base, tree)


def test_python_environment_works_without_network(make, base: str, tree, sandbox):
    """A virtual environment made by a set-up runs in a later job."""
    probe = subprocess.run(
        ["/usr/bin/python3", "-c", "import venv, ensurepip"],
        capture_output=True,
        check=False,
    )
    if probe.returncode:
        pytest.skip("the system's Python can't make environments (python3-venv)")
    step = _step("/usr/bin/python3 -m venv --without-pip .venv")
    found = _ready(make(step), base, tree)
    command = '.venv/bin/python -c "import sys; print(sys.prefix)"'
    finished = sandbox.run(Job(command, tree.path, 30.0, binds=found.binds))
    assert finished.output == "/repo/.venv\n"


def test_a_home_that_a_set_up_closed_is_opened(make, base: str, tree):
    """Folders without any rights, the home itself too, keep nothing from being read."""
    closing = "mkdir -p ~/.cache/pkg; chmod 000 ~/.cache ~"
    found = _ready(make(_step(closing)), base, tree)
    assert ["/home/bot/.cache/pkg"] == [bind.target for bind in found.binds]
    home = found.binds[0].source.parents[1]
    assert [0o755, 0o755] == [
        path.stat().st_mode & 0o777 for path in (home, home / ".cache")
    ]
