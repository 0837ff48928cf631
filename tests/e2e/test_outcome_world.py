"""Cycles that end because of the config or the world around, and what helps."""

import contextlib
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e_world import World, gap_line


def no_such_base(world: World) -> str:
    """Name a base that nobody has."""
    world.configure(repo='base = "trunk"')
    return "has no branch 'trunk'; set `base` to one of: main"


def repository_gone(world: World) -> str:
    """Move the repository away before the bot ever saw it."""
    world.person.path.rename(world.root / "elsewhere")
    return "check `path` in the config"


def no_repository(world: World) -> str:
    """Let a folder stand there that git knows nothing of."""
    shutil.rmtree(world.person.path / ".git")
    return "check `path` in the config"


def no_commit(world: World) -> str:
    """Let the repository be without a commit."""
    shutil.rmtree(world.person.path)
    world.person.path.mkdir()
    world.person.git("init", "-q", "--template=", "-b", "main")
    return "no commit on any branch yet"


def no_prd(world: World) -> str:
    """Delete the requirements document."""
    world.person.commit({"PRD.md": None})
    return "no file at its base matches prd = PRD.md"


def prd_is_link(world: World) -> str:
    """Let the requirements document be a symlink, which is never followed."""
    (world.person.path / "PRD.md").unlink()
    (world.person.path / "PRD.md").symlink_to("/etc/hostname")
    world.person.commit({})
    return "no file at its base matches prd = PRD.md"


def prd_not_utf8(world: World) -> str:
    """Let the requirements document be in another encoding."""
    world.person.commit({"PRD.md": b"- [ ] caf\xe9 [bot-eligible]\n"})
    return "PRD.md"


def no_check(world: World) -> str:
    """Configure no check at all."""
    world.configure(checks=[])
    return "no [[repo.check]]"


def no_sandbox(world: World) -> str:
    """Leave nothing on PATH but git and a shell."""
    programs = world.root / "programs"
    programs.mkdir()
    for name in ("git", "env", "sh"):
        found = shutil.which(name)
        assert found
        (programs / name).symlink_to(found)
    world.env["PATH"] = str(programs)
    return "There is no setpriv"


@pytest.mark.outcome("misconfigured", "ok")
@pytest.mark.parametrize(
    "spoil",
    [
        no_such_base,
        repository_gone,
        no_repository,
        no_commit,
        no_prd,
        prd_is_link,
        prd_not_utf8,
        no_check,
        no_sandbox,
    ],
)
def test_what_a_person_must_mend_is_misconfigured_and_then_works(
    tmp_path: Path, spoil: object
) -> None:
    """The cycle ends with 2 and says what to do; once mended the next one is ok."""
    world = World(tmp_path)
    kept = tmp_path / "kept"
    shutil.copytree(world.person.path, kept, symlinks=True)
    expected = spoil(world)  # type: ignore[operator]  # one of the functions above

    record = world.cycle()

    assert "misconfigured" == record.outcome
    assert expected in record.reason
    assert not record.tests_output
    shutil.rmtree(world.person.path, ignore_errors=True)
    kept.rename(world.person.path)
    world.env.clear()
    world.configure()
    assert "ok" == world.tick().outcome


@pytest.mark.outcome("ok", "misconfigured")
def test_a_base_that_vanishes_later_is_named_with_those_there_are(
    world: World,
) -> None:
    """A base branch deleted after the first cycle is `misconfigured`, and lists fail."""
    assert "ok" == world.tick().outcome
    world.person.git("branch", "-m", "main", "trunk")
    record = world.cycle()
    asked = world.bot("gaps", "--fetch")

    assert "misconfigured" == record.outcome
    assert "set `base` to one of: bot/hello-say-hello, trunk" in record.reason
    assert (2, True) == (asked.code, "trunk" in asked.err)


@pytest.mark.outcome("deferred")
@pytest.mark.parametrize("scheme", ["http", "git", "ssh"])
def test_a_remote_out_of_reach_defers(tmp_path: Path, scheme: str) -> None:
    """A refused connection blames nobody: exit status 0 and no attempt."""
    world = World(tmp_path)
    with closed_port() as port:
        world.configure(path=f"{scheme}://127.0.0.1:{port}/demo.git")
        record = world.cycle()

    assert "deferred" == record.outcome
    assert "could not be reached" in record.reason
    assert "fetch" == record.steps[-1].name


@pytest.mark.outcome("ok", "deferred")
def test_a_remote_that_goes_away_later_defers_and_comes_back(tmp_path: Path) -> None:
    """What a cycle found out stays; the next one goes on when the remote is back."""
    world = World(tmp_path, [gap_line("a"), gap_line("b")])
    process = serve(world)
    try:
        first = world.cycle()
    finally:
        process.terminate()
        process.wait()
    away = world.cycle()
    known = world.states()
    process = serve(world)
    try:
        back = world.cycle()
    finally:
        process.terminate()
        process.wait()

    assert ["ok", "deferred", "ok"] == [first.outcome, away.outcome, back.outcome]
    assert {"a": "open_pr", "b": "eligible"} == known


@pytest.mark.outcome("ok", "deferred")
def test_a_lock_that_a_live_git_holds_defers_and_a_stale_one_does_not(
    tmp_path: Path,
) -> None:
    """While another git is at work in the clone the cycle waits; its rest is swept."""
    world = World(tmp_path, [gap_line("a"), gap_line("b")])
    assert "ok" == world.tick().outcome
    world.person.commit({"moved.txt": "the base moved\n"})
    clone = world.folder / "clone.git"
    lock = clone / "refs" / "bot" / "base.lock"
    lock.touch()
    os.utime(lock, (1, 1))

    with living_git(clone):
        held = world.cycle()
    assert ("deferred", True) == (held.outcome, lock.exists())
    assert "another program holds git's lock" in held.reason

    assert "ok" == world.cycle().outcome
    assert not lock.exists()


@contextlib.contextmanager
def closed_port() -> Iterator[int]:
    """Yield a port of loopback on which nobody listens, kept from others."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@contextlib.contextmanager
def living_git(clone: Path) -> Iterator[None]:
    """Let a git process be at work in the clone, as the bot starts them."""
    process = subprocess.Popen(
        ["git", "cat-file", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "GIT_DIR": str(clone)},
    )
    try:
        yield
    finally:
        process.communicate(timeout=10)


def serve(world: World) -> subprocess.Popen[bytes]:
    """Serve the person's repository by git's own protocol, and let the config say so."""
    if "git://" not in world.config.read_text():
        with closed_port() as free:
            port = free
        world.configure(path=f"git://127.0.0.1:{port}/person", repo='base = "main"')
    port = int(world.config.read_text().partition("git://127.0.0.1:")[2].split("/")[0])
    process = subprocess.Popen(
        [
            *("git", "daemon", "--reuseaddr", "--export-all", f"--port={port}"),
            *("--listen=127.0.0.1", "--enable=receive-pack"),
            *(f"--base-path={world.root}", str(world.root)),
        ],
        stderr=subprocess.DEVNULL,
    )
    for _ in range(500):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.settimeout(1)
            probe.connect(("127.0.0.1", port))
            return process
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.02)
    raise AssertionError("git daemon did not start")
