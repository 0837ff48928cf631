"""Damage, wrong clocks and two at once: a record each, nothing doubled, no repair by hand."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from e2e_world import ROOMY, ROOT, Ran, World, gap_line, until

from bot.app import App
from bot.cycle.rooms import Options
from bot.cycle.tick import run_tick
from bot.domain.outcome import Outcome
from bot.domain.record import CycleRecord
from bot.settings.load import load_settings

DAY = timedelta(days=1)
_PLAIN = 64777


def tick_at(world: World, moment: datetime, gap: str | None = None) -> CycleRecord:
    """Run one cycle while the clock says this."""
    loaded = load_settings(world.config, {}, world.root)
    with App(loaded, dict(os.environ), clock=lambda: moment) as app:
        rooms = app.rooms(app.one_repo(None), Options(gap=gap))
        return run_tick(rooms, "manual")


@pytest.mark.outcome("ok", "deferred", "skipped_no_gap")
def test_a_tick_that_finds_the_index_torn_has_its_record_too(world: World) -> None:
    """Damage behind the first page is found in mid-tick, told, and healed by the next."""
    world.tick()
    index = world.data / "bot.sqlite3"
    index.write_bytes(index.read_bytes()[:4096] + os.urandom(index.stat().st_size))
    torn = world.cycle()
    healed = world.cycle()

    assert ("deferred", "skipped_no_gap") == (torn.outcome, healed.outcome)
    assert "corrupt" in torn.reason
    assert "has an open pull request" in healed.reason
    assert 3 == len(world.list("history"))


@pytest.mark.outcome("misconfigured")
def test_a_secret_that_cant_be_read_is_no_tick_without_a_record(world: World) -> None:
    """What fails in mid-cycle is recorded, though the same error may mean a typing slip."""
    secrets = world.root / "secrets"
    secrets.mkdir()
    (secrets / "KEY").write_bytes(b"\xff\xfe")
    world.env["CREDENTIALS_DIRECTORY"] = str(secrets)
    world.configure(after='secrets = ["KEY"]')
    record = world.cycle()

    assert "misconfigured" == record.outcome
    assert "KEY can't be read" in record.reason
    assert [] == list((world.folder / "journal").iterdir())


@pytest.mark.outcome("pr_failed", "ok")
def test_a_finished_commit_lost_with_the_clone_is_made_anew(world: World) -> None:
    """Who deletes the clone loses what waited in it, and nothing is stuck over that."""
    hook = world.person.hook("pre-receive", "exit 1")
    refused = world.tick()
    shutil.rmtree(world.folder / "clone.git")
    hook.unlink()
    record = world.tick()

    assert ("pr_failed", "ok") == (refused.outcome, record.outcome)
    assert record.commit_sha != refused.commit_sha
    (resumed,) = (step for step in record.steps if step.name == "resume")
    assert "its commit was lost" in resumed.detail


def test_a_clock_that_was_ahead_stops_nothing_for_long(tmp_path: Path) -> None:
    """Pull requests and attempts of a future that never was do not count against now."""
    world = World(tmp_path, [gap_line("good"), gap_line("bad")])
    world.configure(
        recipes='test "$BOT_GAP_ID" = good && echo > good.txt',
        policy="prs_per_day = 1\nmax_open_prs = 9",
    )
    now = datetime.now(UTC)
    ahead = now + 400 * DAY
    opened = tick_at(world, ahead, "good")
    failed = tick_at(world, ahead + 2 * DAY, "bad")
    back = tick_at(world, now)

    assert (Outcome.OK, Outcome.MODEL_FAILED) == (opened.outcome, failed.outcome)
    assert Outcome.MODEL_FAILED == back.outcome
    assert Outcome.SKIPPED_NO_GAP == tick_at(world, now + timedelta(hours=1)).outcome


@pytest.mark.outcome("ok", "skipped_overlap")
def test_five_at_once_on_a_new_repository_make_one_pull_request(world: World) -> None:
    """One works, the others say so, and looking on meanwhile disturbs nobody."""
    commands = [("cycle", "--json")] * 5 + [("gaps", "--fetch"), ("pulls", "list")] * 2
    with ThreadPoolExecutor(len(commands)) as pool:
        ran = list(pool.map(lambda words: world.bot(*words), commands))

    assert [0] * len(commands) == [one.code for one in ran], [one.err for one in ran]
    records = world.records()
    assert 5 == len(records)
    # Who came late enough to get the lock found nothing left to do.
    assert {"ok", "skipped_overlap", "skipped_no_gap"} >= {r.outcome for r in records}
    assert 1 == len([r for r in records if r.outcome == "ok"])
    assert 1 == len(world.list("pulls", "list", "--all"))


@pytest.mark.outcome("ok")
def test_a_pull_request_is_not_closed_under_a_running_cycle(world: World) -> None:
    """Closing waits for its turn: a cycle that writes the file could open it again."""
    world.tick()
    world.configure(
        recipes="touch started; until [ -e go ]; do sleep 0.02; done; exit 1"
    )
    world.person.commit({"PRD.md": f"{gap_line('other')}\n"})
    running = world.start_until_recipe()
    refused = world.ask("pulls", "close", "1")
    world.release()
    running.end()
    closed = world.ask("pulls", "close", "1")

    assert (1, 0) == (refused.code, closed.code)
    assert "a cycle is at work" in refused.err


@pytest.mark.outcome("ok")
def test_a_merge_killed_before_its_push_can_be_done_again(world: World) -> None:
    """The branch of an earlier rebuild is still known as the bot's own."""
    world.tick()
    for _ in range(2):  # the base is checked out, so the branch is rebuilt and pushed
        assert 1 == world.ask("pulls", "merge", "1").code
        world.person.commit({"other.txt": os.urandom(4).hex()})
    hook = world.person.hook("pre-receive", "sleep 2; exit 1")
    running = world.start("pulls", "merge", "1")
    rebuilt = world.folder / "clone.git/refs/bot/commits"
    before = len(list(rebuilt.iterdir()))
    until(lambda: len(list(rebuilt.iterdir())) > before, "the commit to be rebuilt")
    running.kill()
    hook.unlink()
    again = world.ask("pulls", "merge", "1")

    assert 1 == again.code, again
    assert "merge --ff-only bot/hello-say-hello" in again.out


@pytest.mark.outcome("ok")
@pytest.mark.parametrize(
    ("attribute", "line"),
    [
        ("working-tree-encoding=UTF-16LE", gap_line("hello").encode("utf-16le")),
        ("working-tree-encoding=UTF-16", gap_line("hello").encode("utf-16")),
        ("ident", gap_line("hello").encode() + b" $Id$"),
        ("eol=crlf", gap_line("hello").encode()),
    ],
)
def test_a_document_that_lies_recoded_in_a_tree_is_ticked(
    tmp_path: Path, attribute: str, line: bytes
) -> None:
    """Attributes of the requirements document keep its line from nothing."""
    world = World(tmp_path)
    world.person.commit({".gitattributes": f"PRD.md {attribute}\n", "PRD.md": line})
    record = world.tick()

    assert "ok" == record.outcome
    assert record.commit_sha
    assert ["M PRD.md", "A hello.txt"] == world.person.changed(record.commit_sha)
    shown = world.person.git("show", f"{record.commit_sha}:PRD.md")
    assert shown.startswith("- [x] Close hello [bot-eligible]")


@pytest.mark.outcome("skipped_no_gap")
@pytest.mark.parametrize("glob", ["docs/**.md", "**.md", "[a/PRD.md"])
def test_a_glob_that_only_git_understands_is_no_crash(world: World, glob: str) -> None:
    """The hint about uncommitted gaps is left out where the disk can't be searched so."""
    world.person.commit(
        {"docs/a.md": "nothing\n", "PRD.md": "nothing\n", "[a/PRD.md": ""}
    )
    world.configure(repo=f'prd = ["{glob}", "PRD.md"]', policy=ROOMY)

    assert "skipped_no_gap" == world.tick().outcome


@pytest.mark.outcome("skipped_pause")
def test_a_pause_file_that_is_a_pipe_holds_nobody_up(world: World) -> None:
    """It is a pause like any other file of that name."""
    world.data.mkdir()
    os.mkfifo(world.data / "bot.paused")

    assert "skipped_pause" == world.tick().outcome


@pytest.mark.outcome("baseline_failed")
def test_a_secret_that_a_check_prints_stays_nowhere(world: World) -> None:
    """Neither the data folder nor what `bot check` shows holds the value."""
    world.env["NPM_TOKEN"] = secret = "npm-0123456789abcdef"
    world.configure(
        checks=['echo "<$NPM_TOKEN>"; false'], after='secrets = ["NPM_TOKEN"]'
    )
    record = world.cycle()
    ran = world.bot("check")

    assert ("baseline_failed", 1) == (record.outcome, ran.code)
    assert "<***>" in record.tests_output
    assert "<***>" in ran.err
    assert secret not in ran.out + ran.err + "".join(
        path.read_text(errors="replace")
        for path in world.data.rglob("*")
        if path.is_file()
    )


@pytest.mark.outcome("ok")
@pytest.mark.parametrize(
    "evil",
    [
        "mkfifo .gitattributes .gitignore; rm PRD.md; mkfifo PRD.md src/pipe",
        "chmod -R 000 src .",
        "mv src /tmp; ln -s /etc src; mkdir -p x/.git; echo gitdir: /etc > x/.git/HEAD",
    ],
)
def test_no_check_keeps_later_cycles_from_working(world: World, evil: str) -> None:
    """Whatever a check leaves in the tree, the next cycle of a plain user works there."""
    lines = [gap_line("one"), gap_line("two")]
    world.person.commit({"PRD.md": "\n".join(lines), "src/a": "a"})
    world.configure(
        checks=[f"! test -e one.txt || {{ {evil}; }}; exit 0"], policy=ROOMY
    )
    first = as_plain_user(world)
    world.person.commit({"src/a": "b"})
    world.configure(checks=["test $(cat src/a) = b"], policy=ROOMY)
    second = as_plain_user(world)

    assert ("ok", "ok") == (first.outcome, second.outcome)


def as_plain_user(world: World) -> CycleRecord:
    """Run a cycle as a user without root's rights, where the tests are root's."""
    if os.geteuid() != 0:
        return world.cycle()
    give(world.root, _PLAIN)
    for above in world.root.parents:
        above.chmod(above.stat().st_mode | 0o011)
    command = [
        *("setpriv", f"--reuid={_PLAIN}", f"--regid={_PLAIN}", "--clear-groups"),
        *(sys.executable, "-m", "bot"),
    ]
    env = {**os.environ, "HOME": str(world.root), "PYTHONPATH": str(ROOT)}
    if subprocess.run([*command, "--version"], env=env, check=False).returncode:
        pytest.skip("this interpreter can't be reached by another user")
    command += ["--config", str(world.config), "cycle", "--json"]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    give(world.person.path, 0)
    return world.recorded(Ran(ran.returncode, ran.stdout, ran.stderr))


def give(root: Path, uid: int) -> None:
    """Let a user own all in a folder."""
    for folder, _folders, names in os.walk(root):
        for path in (folder, *(Path(folder, name) for name in names)):
            os.chown(path, uid, uid, follow_symlinks=False)
