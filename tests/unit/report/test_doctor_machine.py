"""What `bot doctor` says of the machine, whatever the repositories are."""

import os
import resource
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_world import World
from doctor_ground import Doctor, open_folder, plain_user
from pytest_httpserver import HTTPServer

from bot.errors import BotError, Deferred
from bot.report.doctor import (
    Check,
    Finding,
    Level,
    bare_checks,
    config,
    data_folder,
    examine,
    git,
    sandbox,
)
from bot.report.doctor.mounts import Mount, mount_of
from bot.sandbox.bwrap import probe
from bot.sandbox.owner import Owner
from bot.settings import SandboxSettings

MEGABYTE = 1 << 20
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become others")
confined = pytest.mark.skipif(
    not probe(SandboxSettings()).ok, reason="no sandbox can be made here"
)


def seen(findings: list[Finding]) -> list[tuple[str, str]]:
    """Return level and detail of each finding."""
    return [(finding.level.value, finding.detail) for finding in findings]


# The loop.


def raising(error: Exception) -> Callable[[], list[Finding]]:
    """Return a look that breaks."""

    def look() -> list[Finding]:
        raise error

    return look


def test_a_broken_look_hides_no_other():
    """Whatever a look raises becomes a finding, and the next look is taken."""
    begun: list[str] = []
    checks = [
        Check("a", raising(BotError("no"))),
        Check("b", raising(Deferred("later")), "r"),
        Check("c", raising(KeyError("k"))),
        Check("d", lambda: [Finding("d", Level.OK, "fine")], "r"),
    ]

    found = list(examine(checks, lambda check: begun.append(check.name)))

    assert ["a", "b", "c", "d"] == begun
    assert ["fail", "warn", "fail", "ok"] == [one.level for one in found]
    assert [None, "r", None, "r"] == [one.repo for one in found]
    assert ("no", "can't be told now: later") == (found[0].detail, found[1].detail)
    assert "could not be looked at: KeyError: 'k'" == found[2].detail
    assert "report" in found[2].advice


@confined
def test_without_a_config_git_and_sandbox_are_looked_at():
    """What needs no config is told without one."""
    found = list(examine(bare_checks(os.environ)))

    assert [("git", "ok"), ("sandbox", "ok")] == [(f.name, f.level) for f in found]


# Config and secrets.


def test_config(doctor: Doctor, world: World):
    """The config in use is named with its repositories."""
    assert [("ok", f"{world.config}: wishes")] == seen(doctor.machine("config"))


def test_config_without_repository(doctor: Doctor, world: World):
    """A config without a repository is told how to get one."""
    world.config.write_text("")

    (found,) = doctor.machine("config")

    assert (Level.WARN, f"{world.config} has no [[repo]]") == (
        found.level,
        found.detail,
    )
    assert "bot init" in found.advice


def test_warnings_of_the_config(doctor: Doctor, world: World):
    """What is odd about a config is told."""
    world.env["BOT_NOPE"] = "1"

    assert ["ok", "warn"] == [f.level for f in doctor.machine("config")]


def test_config_that_everyone_may_change(doctor: Doctor, world: World):
    """Who may write the config decides what is run."""
    world.config.chmod(0o666)

    found = doctor.machine("config")[1]

    assert (Level.FAIL, f"chmod o-w {world.config}") == (found.level, found.advice)


def test_no_secret_in_files(doctor: Doctor):
    """Nothing to protect is told."""
    assert [("ok", "none in files")] == seen(doctor.machine("secrets"))


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_secrets_that_systemd_gives(
    doctor: Doctor, world: World, tmp_path: Path, mode: int
):
    """A folder that systemd made is as systemd made it."""
    world.env["CREDENTIALS_DIRECTORY"] = str(tmp_path)
    (tmp_path / "GITHUB_TOKEN").write_text("x")
    (tmp_path / "GITHUB_TOKEN").chmod(mode)

    found = doctor.machine("secrets")

    assert [("ok", "nobody else may read GITHUB_TOKEN")] == seen(found)


@pytest.mark.parametrize(
    ("mode", "level"), [(0o600, "ok"), (0o640, "fail"), (0o602, "fail")]
)
def test_secret_that_others_can_read(
    world: World, tmp_path: Path, mode: int, level: str
):
    """Any other file that group or others can use is a fault."""
    file = tmp_path / "NPM_TOKEN"
    file.write_text("x")
    file.chmod(mode)
    world.configure(commands='[[repo.check]]\nrun = "true"\nsecrets = ["NPM_TOKEN"]\n')

    (found,) = config.secrets(world.loaded().settings, world.env, tmp_path)

    assert (level, "" if level == "ok" else f"chmod 600 {file}") == (
        found.level,
        found.advice,
    )


# The data folder.


def test_data_folder_that_is_not_there_is_not_made(doctor: Doctor, world: World):
    """A look makes no folder."""
    found = doctor.machine("data")

    assert [("ok", f"{world.data} will be made by the first cycle")] == seen(found)
    assert not world.data.exists()


def test_data_folder_takes_writes(doctor: Doctor, world: World):
    """A folder that is there is written to and left as it was."""
    world.data.mkdir()

    assert [("ok", f"{world.data} takes writes")] == seen(doctor.machine("data"))
    assert [] == list(world.data.iterdir())


def test_file_where_the_data_folder_should_be(doctor: Doctor, world: World):
    """A file in its place is a fault with what to do."""
    world.data.write_text("")

    (found,) = doctor.machine("data")

    assert Level.FAIL is found.level
    assert f"{world.data} can't be made" in found.detail


@as_root
def test_data_folder_of_somebody_else():
    """A place that this user may not write to is a fault."""
    with open_folder() as place, plain_user():
        (found,) = data_folder.folder(place / "data")

    assert Level.FAIL is found.level
    assert "this user may not write" in found.detail


@pytest.mark.parametrize(
    ("free", "level"),
    [
        (1024 * MEGABYTE, "ok"),
        (1024 * MEGABYTE - 1, "warn"),
        (64 * MEGABYTE, "warn"),
        (64 * MEGABYTE - 1, "fail"),
        (0, "fail"),
    ],
)
def test_room(free: int, level: str):
    """Under 1 GB is told, under 64 MB is a fault."""
    assert level == data_folder.room(Path("/data"), free).level


def test_disk(doctor: Doctor, world: World):
    """The real disk is measured, where the folder is or will be."""
    found = doctor.machine("disk")

    assert f" GB are free at {world.folder}" in found[0].detail


TABLE = r"""22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
23 22 0:5 / /net rw - nfs4 host:/x rw
24 23 0:6 / /net/with\040space rw,noexec - tmpfs tmpfs rw
25 22 0:7 / /net rw shared:1 - ext4 /dev/sdb rw
broken
"""


@pytest.mark.parametrize(
    ("path", "point", "kind"),
    [
        ("/srv/data", "/", "ext4"),
        ("/net", "/net", "ext4"),
        ("/net/with space/x", "/net/with space", "tmpfs"),
        ("/network", "/", "ext4"),
    ],
)
def test_mount_of_a_path(path: str, point: str, kind: str):
    """The nearest mount counts, of two at one place the later."""
    found = mount_of(Path(path), TABLE)

    assert found is not None
    assert (Path(point), kind) == (found.point, found.kind)


def test_mount_of_an_empty_table():
    """Where the table says nothing, nothing is said."""
    assert None is mount_of(Path("/x"), "")


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("ext4", {"rw"}, []),
        ("nfs4", {"rw"}, ["locks may not hold"]),
        ("9p", {"noexec"}, ["locks may not hold", "noexec"]),
    ],
)
def test_file_systems_that_lack_something(kind: str, options: set[str], words: list):
    """Network file systems and those without programs are told."""
    found = list(data_folder.kind_of(Mount(Path("/m"), kind, frozenset(options))))

    assert ["warn"] * len(words) == [f.level for f in found]
    assert all(word in f.detail for word, f in zip(words, found, strict=True))


def test_disk_without_a_table_of_mounts(tmp_path: Path):
    """Where the mounts can't be told, the room still is."""
    assert 1 == len(list(data_folder.disk(tmp_path, lambda: "")))


def test_index_that_is_not_there_is_not_made(doctor: Doctor, world: World):
    """A look makes no index."""
    world.data.mkdir()

    (found,) = doctor.machine("index")

    assert (Level.OK, True) == (found.level, "is made when needed" in found.detail)
    assert [] == list(world.data.iterdir())


def test_index(doctor: Doctor, world: World):
    """An index is read; one that is lost is filled from the records."""
    world.run("cycle")
    kept = doctor.machine("index")
    for file in world.data.glob("bot.sqlite3*"):
        file.unlink()
    lost = doctor.machine("index")

    assert [("ok", f"{world.data}/bot.sqlite3 can be read")] == seen(kept)
    assert [("ok", f"{world.data}/bot.sqlite3 is filled by the next cycle")] == (
        seen(lost)
    )


def test_corrupt_index(doctor: Doctor, world: World):
    """A corrupt index is told with the command that mends it."""
    world.run("cycle")
    for file in world.data.glob("bot.sqlite3?*"):
        file.unlink()
    (world.data / "bot.sqlite3").write_bytes(b"SQLite format 3\0" + b"x" * 5000)

    (found,) = doctor.machine("index")

    assert (Level.WARN, "bot reindex") == (found.level, found.advice)


def test_index_that_breaks_while_it_is_read(doctor: Doctor, world: World):
    """An index with pages of rubbish is told as well."""
    world.run("cycle")
    path = world.data / "bot.sqlite3"
    for file in world.data.glob("bot.sqlite3?*"):
        file.unlink()
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    path.write_bytes(raw)

    (found,) = doctor.machine("index")

    assert (Level.WARN, "bot reindex") == (found.level, found.advice)


def test_leftovers(doctor: Doctor, world: World):
    """Old temporary files and files moved aside are named; fresh ones are not."""
    world.run("cycle")
    nothing = doctor.machine("leftovers")
    old = world.data / "wishes" / "journal" / ".1-abc.tmp"
    old.write_text("")
    os.utime(old, (0, 0))
    (world.data / ".1-def.tmp").write_text("")
    aside = world.data / "wishes" / "journal" / "x.json.unreadable"
    aside.write_text("")

    found = doctor.machine("leftovers")

    assert [("ok", "none")] == seen(nothing)
    assert [("warn", f"1 temporary files of killed writers, as {old}")] == seen(
        found[:1]
    )
    assert f"1 files were moved aside unreadable, as {aside}" == found[1].detail


# The clock.


def test_clock(doctor: Doctor, world: World):
    """The time is told in the configured zone."""
    world.configure(top='timezone = "Asia/Kolkata"')

    found = doctor.machine("clock", now=datetime(2026, 11, 30, 8, 20, tzinfo=UTC))

    assert [("ok", "2026-11-30 13:50 in Asia/Kolkata")] == seen(found)


def test_clock_that_was_never_set(doctor: Doctor):
    """A machine that starts in 1970 is a fault."""
    (found,) = doctor.machine("clock", now=datetime(1970, 1, 1, tzinfo=UTC))

    assert (Level.FAIL, True) == (found.level, "timedatectl" in found.advice)


@pytest.mark.parametrize(("behind", "level"), [(10, "ok"), (3600, "warn")])
def test_clock_behind_the_newest_record(
    doctor: Doctor, world: World, behind: int, level: str
):
    """A clock that was set back makes days and cooldowns wrong, and is told."""
    world.run("pause")
    world.run("cycle")

    (found,) = doctor.machine(
        "clock", now=datetime.now(UTC) - timedelta(seconds=behind)
    )

    assert level == found.level


# Git.


def test_git(doctor: Doctor):
    """The git program is found."""
    (found,) = doctor.machine("git")

    assert (Level.OK, True) == (found.level, found.detail.startswith("git version"))


@pytest.mark.parametrize(
    ("version", "level"),
    [((2, 38), "ok"), ((2, 37, 9), "fail"), ((3, 0, 1), "ok"), ((), "fail")],
)
def test_version_of_git(version: tuple[int, ...], level: str):
    """A git that can't merge trees is too old."""
    assert level == git.version(version, "git version x").level


def test_no_git(doctor: Doctor, world: World, monkeypatch: pytest.MonkeyPatch):
    """Without git the machine fails, and so does the repository, in words."""
    shown = Path(shutil.which("env")).parent
    with tempfile.TemporaryDirectory() as folder:
        for name in ("env", "sh"):
            (Path(folder) / name).symlink_to(shown / name)
        world.env["PATH"] = folder
        monkeypatch.setenv("PATH", folder)
        machine, path = doctor.machine("git"), doctor.repo("path")

    for found in (*machine, *path):
        assert Level.FAIL is found.level
        assert "git was not found on PATH" in found.detail


# The sandbox.


@confined
def test_sandbox(doctor: Doctor):
    """The sandbox is really started."""
    (found,) = doctor.machine("sandbox")

    assert (Level.OK, True) == (found.level, "started a job: bwrap" in found.detail)


def test_no_confinement(doctor: Doctor, world: World):
    """Running unconfined is allowed, and told each time."""
    world.configure(top='[sandbox]\nkind = "none"')

    (found,) = doctor.machine("sandbox")

    assert (Level.WARN, 'set kind = "bwrap" under [sandbox]') == (
        found.level,
        found.advice,
    )


def test_sandbox_that_can_not_start(doctor: Doctor, world: World):
    """A sandbox that doesn't start is a fault with what to do."""
    world.configure(top='[sandbox]\ntools = ["/nowhere"]')

    (found,) = doctor.machine("sandbox")
    (tools,) = doctor.machine("tools")

    assert (Level.FAIL, Level.FAIL) == (found.level, tools.level)
    assert "/nowhere" in found.detail
    assert "Create it or take it out" in tools.detail


def test_tools(doctor: Doctor, world: World):
    """The folders of tools are named as they stand on PATH."""
    (world.folder / "tools" / "bin").mkdir(parents=True)
    world.configure(top='[sandbox]\ntools = ["../tools"]')

    assert [("ok", f"{world.folder}/tools/bin")] == seen(doctor.machine("tools"))


def test_limits(doctor: Doctor, world: World):
    """The limits that hold are named."""
    world.configure(top='[sandbox]\nmemory = "1GB"\ncpu = "90s"')

    (found,) = doctor.machine("limits")

    assert "memory 1GB, 512 processes, files to 4GB, cpu 90s" in found.detail


def test_limits_that_the_system_sets_lower():
    """A hard limit below the configured one is told, but not to root."""
    settings = SandboxSettings()
    values = {resource.RLIMIT_FSIZE: MEGABYTE, resource.RLIMIT_NPROC: 1 << 20}

    def hard(kind: int) -> int:
        return values.get(kind, resource.RLIM_INFINITY)

    (plain,) = sandbox.limits(settings, 1000, hard)
    (root,) = sandbox.limits(settings, 0, hard)

    assert ("warn", "ok") == (plain.level, root.level)
    assert plain.detail.endswith(f"than [sandbox] says: disk {MEGABYTE}")


def test_limits_of_this_very_process():
    """Without a say the real limits are asked."""
    (found,) = sandbox.limits(SandboxSettings(memory="16MB", processes=1), 1000)

    assert "limits" == found.name


def test_user_is_the_bots_own(world: World):
    """Without root the jobs are the bot's own."""
    (found,) = sandbox.user(world.loaded().settings, None)

    assert (Level.OK, True) == (found.level, "like the bot" in found.detail)


def test_user_under_root_who_gets_everywhere(world: World):
    """Root gives its jobs to a user of their own."""
    world.env["BOT_DATA_DIR"] = "/tmp"

    (found,) = sandbox.user(world.loaded().settings, Owner(64321, 64321))

    assert [("ok", "the bot is root, so jobs run as uid 64321")] == seen([found])


@as_root
@pytest.mark.parametrize(
    ("kind", "level", "words"),
    [("bwrap", "ok", "is mounted to where"), ("none", "fail", "can't reach")],
)
def test_user_who_can_not_reach_the_data(
    world: World, kind: str, level: str, words: str
):
    """A folder under a closed one is mounted into the sandbox, and lost without it."""
    (world.folder / "data").mkdir(exist_ok=True)
    world.folder.chmod(0o700)
    world.configure(top=f'[sandbox]\nkind = "{kind}"')

    (found,) = sandbox.user(world.loaded().settings, Owner(64321, 64321))

    assert (level, True) == (found.level, words in found.detail)


@as_root
def test_user_who_can_not_be_helped(world: World):
    """Without the right to mount, a closed folder is a fault."""
    with open_folder() as place:
        (place / "closed" / "data").mkdir(parents=True)
        os.chown(place / "closed", 64999, 64999)
        (place / "closed").chmod(0o700)
        world.env["BOT_DATA_DIR"] = str(place / "closed" / "data")
        settings = world.loaded().settings
        with plain_user():
            (found,) = sandbox.user(settings, Owner(64321, 64321))

    assert (Level.FAIL, True) == (found.level, "CAP_SYS_ADMIN" in found.detail)


@as_root
def test_user_without_a_name(world: World):
    """A user that the machine has no name for is told by number."""
    settings = world.loaded().settings
    with plain_user():
        (found,) = sandbox.user(settings, None)

    assert "jobs run as uid 64999, like the bot" == found.detail


# Who is told.


def test_no_observer(doctor: Doctor):
    """Without an observer nobody is told of cycles."""
    assert [("ok", "none: nobody is told of cycles")] == seen(
        doctor.machine("observer")
    )


def test_observer_is_not_asked(doctor: Doctor, world: World, httpserver: HTTPServer):
    """Offline nothing is sent to the observer."""
    world.configure(top=f'[observer]\nurl = "{httpserver.url_for("/")}"')

    (found,) = doctor.machine("observer")

    assert (Level.OK, "set, not looked at") == (found.level, found.detail)
    assert [] == httpserver.log


def test_observer_answers(doctor: Doctor, world: World, httpserver: HTTPServer):
    """Online any answer to a HEAD request will do."""
    httpserver.expect_request("/e", method="HEAD").respond_with_data(status=405)
    world.configure(top=f'[observer]\nurl = "{httpserver.url_for("/e")}"')

    assert [("ok", "answers")] == seen(doctor.machine("observer", online=True))


def test_observer_is_away(doctor: Doctor, world: World):
    """An observer that is away is told without its path, which may hold a secret."""
    world.configure(top='[observer]\nurl = "http://127.0.0.1:9/hook"')

    (found,) = doctor.machine("observer", online=True)

    assert Level.WARN is found.level
    assert found.detail.startswith("http://127.0.0.1:9 does not answer: ")
    assert "hook" not in found.detail


@pytest.mark.parametrize("online", [False, True])
def test_busy_probe(doctor: Doctor, world: World, httpserver: HTTPServer, online: bool):
    """The busy probe is looked at in the same way."""
    httpserver.expect_request("/busy").respond_with_data("{}")
    url = httpserver.url_for("/busy")
    world.configure(more=f'[repo.policy]\nbusy_url = "{url}"\n')

    (found,) = doctor.repo("busy_url", online=online)

    assert (Level.OK, "answers" if online else "set, not looked at") == (
        found.level,
        found.detail,
    )


def test_busy_probe_is_away(doctor: Doctor, world: World):
    """A busy probe that is away counts as not busy."""
    world.configure(more='[repo.policy]\nbusy_url = "http://127.0.0.1:9/"\n')

    (found,) = doctor.repo("busy_url", online=True)

    assert (Level.WARN, "until it answers it counts as not busy") == (
        found.level,
        found.advice,
    )
