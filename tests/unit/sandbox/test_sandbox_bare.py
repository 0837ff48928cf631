"""Without a sandbox a job is still bounded and ended, and says that nothing confines it."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.errors import SandboxUnavailable
from bot.sandbox.bare import CookieLeash, NoSandbox
from bot.sandbox.bwrap import open_sandbox
from bot.sandbox.job import Bind, Ended, Job, Sandbox
from bot.sandbox.owner import Owner
from bot.sandbox.proc import with_cookie
from bot.settings.model import SandboxSettings


@pytest.fixture
def place(owner: Owner | None) -> Iterator[Path]:
    """Return a folder that the jobs' user can walk to."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def tree(place: Path, owner: Owner | None) -> Path:
    """Return a tree that the jobs' user can walk to."""
    folder = place / "tree"
    folder.mkdir()
    if owner:
        os.chown(folder, owner.uid, owner.gid)
    return folder


@pytest.fixture
def bare() -> Sandbox:
    """Return what runs jobs without confinement."""
    return open_sandbox(SandboxSettings(kind="none", memory="256MB", disk="8MB"))


def test_job_runs_in_the_tree(bare: Sandbox, tree: Path):
    """A job runs where the tree is, with its own few variables."""
    (tree / "sub").mkdir()
    finished = bare.run(
        Job("pwd; echo $CI $X; exit 3", tree, 9.0, cwd="sub", env={"X": "y"})
    )
    assert f"{tree}/sub\ntrue y\n" == finished.output
    assert (finished.exit_code, finished.ended) == (3, Ended.EXIT)


def test_nothing_confines_it(bare: Sandbox, tree: Path):
    """What confines a job is told truly."""
    assert bare.describe().startswith("none")
    assert bare.describe() == bare.run(Job("true", tree, 9.0)).sandbox


def test_bots_environment_is_kept_back(
    bare: Sandbox, tree: Path, monkeypatch: pytest.MonkeyPatch
):
    """A job is given no variable of the bot's and a home of its own."""
    monkeypatch.setenv("GITHUB_TOKEN", "hunter2hunter2")
    finished = bare.run(Job("env; ls -A $HOME; touch $HOME/x && echo home", tree, 9.0))
    assert "hunter2" not in finished.output
    assert finished.output.endswith("home\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_root_runs_nothing_as_root(bare: Sandbox, tree: Path, owner: Owner):
    """A bot that is root runs jobs as the sandbox's user also here."""
    assert f"{owner.uid}\n" == bare.run(Job("id -u", tree, 9.0)).output


def test_daemons_are_found_by_their_mark(bare: Sandbox, tree: Path):
    """What left the job's session is found and ended."""
    command = (
        "setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo started $GAPWRIGHT_JOB"
    )
    finished = bare.run(Job(command, tree, 9.0))
    started, cookie = finished.output.split()
    assert started == "started"
    assert with_cookie(cookie.encode()) == ()


def test_timeout_ends_all(bare: Sandbox, tree: Path):
    """A job is ended by the clock with what is below it."""
    finished = bare.run(Job("echo $GAPWRIGHT_JOB; sleep 1000 | sleep 1000", tree, 0.3))
    assert Ended.TIMEOUT is finished.ended
    assert with_cookie(finished.output.strip().encode()) == ()


def test_binds_are_links_for_a_while(bare: Sandbox, tree: Path, place: Path):
    """Results of set-up are linked to their places and no longer than the job runs."""
    made = place / "made"
    made.mkdir()
    (made / "x").write_text("ok")
    (tree / "there").mkdir()
    binds = (
        Bind(made, "/repo/a/deps"),
        Bind(made, "/home/bot/.cache/made"),
        Bind(made, "/repo/there"),
        Bind(made, "/opt/elsewhere"),
    )
    finished = bare.run(
        Job("cat a/deps/x ~/.cache/made/x; ls there", tree, 9.0, binds=binds)
    )
    assert finished.output == "okok"
    assert [tree / "there"] == list(tree.iterdir())
    assert (made / "x").read_text() == "ok"


def test_link_that_was_moved_is_left(bare: Sandbox, tree: Path, place: Path):
    """A job that replaces a link by a folder of its own keeps that."""
    made = place / "made"
    made.mkdir()
    job = Job("rm a; mkdir a; touch a/mine", tree, 9.0, binds=(Bind(made, "/repo/a"),))
    assert bare.run(job).exit_code == 0
    assert (tree / "a/mine").exists()


def test_home_can_be_given(bare: Sandbox, tree: Path):
    """A home that is bound writable, as by a set-up, is the job's home."""
    (tree / "home").mkdir()
    (tree / "home").chmod(0o777)
    bind = Bind(tree / "home", "/home/bot", writable=True)
    bare.run(Job("echo x > ~/kept", tree, 9.0, binds=(bind,)))
    assert (tree / "home/kept").read_text() == "x\n"


def test_unreachable_tree_is_refused(tmp_path: Path):
    """A tree that the jobs' user can't walk to is named, and nothing is run."""
    closed = tmp_path / "closed"
    (closed / "tree").mkdir(parents=True)
    closed.chmod(0o700)
    bare = NoSandbox(SandboxSettings(kind="none"), Owner(64999, 64999))
    with pytest.raises(SandboxUnavailable, match=str(closed / "tree")):
        bare.run(Job("true", closed / "tree", 9.0))


def test_what_can_not_be_ended_is_named(monkeypatch: pytest.MonkeyPatch):
    """A process that doesn't go away stops further runs instead of being forgotten."""
    monkeypatch.setattr("bot.sandbox.bare._GONE_S", 0.0)
    monkeypatch.setattr("bot.sandbox.bare.with_cookie", lambda _mark: (99999999,))
    with pytest.raises(SandboxUnavailable, match="99999999"):
        CookieLeash("x").sweep(99999999)
