"""A data folder that is full, read-only or damaged: nothing is done, nothing is lost."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e_world import GATED, ROOMY, World, gap_line, until

NEEDS_ROOT = pytest.mark.skipif(
    os.geteuid() != 0, reason="mounting a small disk needs root"
)


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """Let a disk of its own, in memory, be mounted at the folder."""
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
        check=False,
        capture_output=True,
        text=True,
    )
    if made.returncode != 0:
        pytest.skip(f"no disk can be mounted here: {made.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Write a file until nothing more fits."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(1 << 16)):
            pass
    return filler


@NEEDS_ROOT
@pytest.mark.outcome("ok")
def test_too_small_a_disk_ends_with_3_before_anything_is_done(world: World) -> None:
    """Without room for a record there is no cycle: exit status 3 and what to do."""
    with small_disk(world.data, "12m"), world.untouched():
        ran = world.bot("cycle", "--json")
        left = [path.name for path in world.data.iterdir()]

    assert (3, "") == (ran.code, ran.out)
    assert "free some space" in ran.err
    assert [] == left
    assert "ok" == world.tick().outcome


@NEEDS_ROOT
@pytest.mark.outcome("interrupted", "ok")
@pytest.mark.parametrize("slow", ["recipe", "check"])
def test_a_disk_that_fills_up_in_mid_cycle_loses_nothing(
    world: World, slow: str
) -> None:
    """The cycle ends with 3; with room again the next start writes its record."""
    wait = "touch started; until [ -e go ]; do sleep 0.02; done; rm -f go started"
    gated = f"test ! -e hello.txt || {{ {wait}; }}"
    if slow == "recipe":
        world.configure(recipes=GATED)
    else:
        world.configure(checks=[gated])
    tree = world.folder / "trees" / ("recipe" if slow == "recipe" else "cycle")
    with small_disk(world.data, "40m"):
        running = world.start("cycle", "--json")
        until((tree / "started").exists, "the command to start")
        filler = fill(world.data)
        (tree / "go").touch()
        with world.untouched():
            full, later = running.end(), world.bot("cycle")
        filler.unlink()
        (entry,) = (world.folder / "journal").glob("*.json")
        world.configure()
        record = world.cycle()
        found = world.record(entry.stem)

        assert ([3, 3], "ok") == ([full.code, later.code], record.outcome)
        assert "room" in full.err or "space" in full.err
        assert "interrupted" == found.outcome
        assert {"hello": "open_pr"} == world.states()


@NEEDS_ROOT
@pytest.mark.outcome("model_failed", "ok")
def test_a_recipe_that_fills_the_disk_is_stopped_and_the_room_is_back(
    world: World,
) -> None:
    """What it wrote is gone again, so this is the recipe's failure and nobody else's."""
    world.configure(recipes="head -c 100M /dev/zero > big; sleep 9")
    with small_disk(world.data, "80m"):
        failed = world.cycle()
        world.configure()
        record = world.cycle("--gap", "hello")

    assert ["model_failed", "ok"] == [failed.outcome, record.outcome]
    assert "disk" in failed.reason


@NEEDS_ROOT
@pytest.mark.outcome("tests_failed", "ok")
def test_a_check_that_fills_the_disk_is_stopped_and_its_attempt_is_kept(
    world: World,
) -> None:
    """There is room for record and patch again, and the gap's attempt counts."""
    fills = "{ head -c 100M /dev/zero > big; sleep 0.5; false; }"
    world.configure(checks=[f"test ! -e hello.txt || {fills}"])
    with small_disk(world.data, "80m"):
        failed = world.cycle()
        patch = world.folder / "attempts" / f"{failed.cycle_id}.patch"
        assert patch.is_file()
        world.configure()
        record = world.cycle("--gap", "hello")

    assert ["tests_failed", "ok"] == [failed.outcome, record.outcome]
    assert failed.reason


@NEEDS_ROOT
@pytest.mark.outcome("ok")
@pytest.mark.parametrize("name", ["recipe", "cycle"])
def test_a_disk_that_our_own_tree_fills_is_made_room_on(
    tmp_path: Path, name: str
) -> None:
    """What a command left in a tree can't stop the bot for good."""
    world = World(tmp_path, [gap_line("a"), gap_line("b")])
    with small_disk(world.data, "40m"):
        first = world.tick()
        fill(world.folder / "trees" / name)
        second = world.cycle()

    assert ["ok", "ok"] == [first.outcome, second.outcome]


@NEEDS_ROOT
@pytest.mark.outcome("ok")
def test_a_read_only_data_folder_ends_with_3_and_stays_as_it_is(
    tmp_path: Path,
) -> None:
    """Every command says what to do and touches nothing; with room all is there."""
    world = World(tmp_path, [gap_line("a"), gap_line("b")])
    with small_disk(world.data, "64m"):
        assert "ok" == world.tick().outcome
        remount(world.data, "ro")
        with world.untouched():
            ran = world.bot("cycle")
        listed = world.bot("history", "--json")
        remount(world.data, "rw")

        assert 3 == ran.code
        assert "read-only" in ran.err
        assert (3, "") == (listed.code, listed.out)
        assert 1 == len(world.list("history"))
        assert "ok" == world.tick().outcome


def remount(folder: Path, how: str) -> None:
    """Let the disk be read-only or not."""
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


@pytest.mark.outcome("ok", "tests_failed")
def test_the_index_can_be_lost_and_made_anew(tmp_path: Path) -> None:
    """Deleted and rebuilt, or deleted and healed in passing: every list is the same."""
    world = full_life(tmp_path)
    lists = (
        ("history",),
        ("pulls", "list", "--all"),
        ("gaps",),
        ("inbox",),
        ("status",),
    )
    before = [world.list(*command) for command in lists]
    for file in world.data.glob("bot.sqlite3*"):
        file.unlink()
    ran = world.bot("reindex", "--json")
    rebuilt = [world.list(*command) for command in lists]

    assert (0, 6, 4, []) == (
        ran.code,
        ran.json["cycles"],
        ran.json["pulls"],
        ran.json["unreadable"],
    )
    assert before == rebuilt

    for harm in (b"", b"SQLite format 3\0" + bytes(5000), os.urandom(9000)):
        for file in world.data.glob("bot.sqlite3-*"):
            file.unlink()
        (world.data / "bot.sqlite3").write_bytes(harm)
        assert before[:3] == [world.list(*command) for command in lists[:3]]


@pytest.mark.outcome("ok", "tests_failed")
def test_a_cycle_heals_a_damaged_index_before_it_counts(tmp_path: Path) -> None:
    """Limits and states hold though the index that counts them was destroyed."""
    world = full_life(tmp_path)
    before = world.list("history")
    (world.data / "bot.sqlite3").write_bytes(b"not a database" * 500)
    world.configure(policy="max_open_prs = 2\nprs_per_day = 40")
    record = world.cycle()

    assert "skipped_policy" == record.outcome
    assert "2 pull requests open" in record.reason
    assert before == world.list("history")[1:]


def full_life(root: Path) -> World:
    """Return a world with open, merged, closed and failed work."""
    names = ["open", "also", "merged", "closed", "red"]
    world = World(root, [gap_line(name) for name in names])
    world.configure(
        recipes='[ "$BOT_GAP_ID" != red ] || touch red; echo > "$BOT_GAP_ID.txt"',
        checks=["test ! -e red"],
        policy=ROOMY,
    )
    for name in names:
        world.tick(gap=name)
    world.person.git("merge", "-q", "--no-edit", "bot/merged-close-merged")
    assert 0 == world.ask("pulls", "close", "4").code
    assert "skipped_no_gap" == world.tick().outcome
    return world
