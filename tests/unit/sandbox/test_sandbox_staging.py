"""Paths that the sandbox's user can't walk to are found under another name."""

import os
import stat
from pathlib import Path

import pytest

from bot.errors import SandboxUnavailable
from bot.sandbox import staging
from bot.sandbox.owner import SANDBOX_UID, Owner, sandbox_owner
from bot.sandbox.staging import is_reachable, stage

STRANGER = Owner(64999, 64999)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """Return a file in a folder that only its owner may enter."""
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "file").write_text("x")
    folder.chmod(0o700)
    return folder / "file"


def test_without_an_owner_names_stay(closed: Path):
    """A bot that is no root finds everything where it is."""
    found = stage([closed], None)
    assert ({closed: str(closed)}, ()) == (found.names, found.argv)


def test_reachable_paths_keep_their_names():
    """Where everyone may walk, nothing is mounted."""
    assert stage([Path("/usr/bin")], STRANGER).argv == ()


@as_root
def test_closed_path_is_mounted_elsewhere(closed: Path):
    """A path in a closed folder gets a name under a folder of every system."""
    found = stage([closed, Path("/usr")], STRANGER)
    assert {closed: "/mnt/0", Path("/usr"): "/usr"} == found.names
    assert found.argv[0] == "unshare"
    assert found.argv[-1] == str(closed)


@as_root
def test_used_folders_are_not_mounted_over(tmp_path: Path, closed: Path):
    """A folder that something is shown from stays as it is."""
    found = stage([closed, Path("/mnt")], STRANGER)
    assert found.names[closed] == "/media/0"


@as_root
def test_no_free_folder_is_told(closed: Path, monkeypatch: pytest.MonkeyPatch):
    """Where nothing can be mounted over, the message says so."""
    monkeypatch.setattr(staging, "_PLACES", ("/no/such/folder",))
    with pytest.raises(SandboxUnavailable, match="/no/such/folder"):
        stage([closed], STRANGER)


def test_without_the_right_to_mount_the_path_is_named(
    closed: Path, monkeypatch: pytest.MonkeyPatch
):
    """Root without CAP_SYS_ADMIN is told which path can't be reached, and what to do."""
    monkeypatch.setattr(staging, "has_capability", lambda _bit: False)
    with pytest.raises(SandboxUnavailable, match=f"{closed}.*user of its own"):
        stage([closed], STRANGER)


def test_missing_path_is_named(tmp_path: Path):
    """Something to be shown that isn't there is named."""
    with pytest.raises(SandboxUnavailable, match="gone"):
        stage([tmp_path / "gone"], None)


@pytest.mark.parametrize(
    ("mode", "who", "expected"),
    [
        (0o700, "owner", True),
        (0o070, "owner", False),
        (0o010, "group", True),
        (0o701, "group", False),
        (0o701, "other", True),
        (0o770, "other", False),
    ],
)
def test_bits_decide_who_may_pass(tmp_path: Path, mode: int, who: str, expected: bool):
    """The first class that a user belongs to decides, as in the kernel."""
    own = tmp_path.stat()
    status = os.stat_result((stat.S_IFDIR | mode, 1, 1, 1, own.st_uid, 77, 0, 0, 0, 0))
    user = {
        "owner": Owner(own.st_uid, 1),
        "group": Owner(64999, 77),
        "other": Owner(64999, 64999),
    }[who]
    assert staging._may_pass(status, user) is expected


def test_own_bits_do_not_count(tmp_path: Path):
    """A folder that is closed can be walked to."""
    assert is_reachable(Path("/root"), STRANGER)


def test_owner_is_an_unprivileged_user(monkeypatch: pytest.MonkeyPatch):
    """Root runs jobs as a user that nobody else is; everyone else as themselves."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    owner = sandbox_owner()
    assert owner is not None
    assert owner.uid >= SANDBOX_UID
    assert owner.uid == owner.gid
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert sandbox_owner() is None


def test_taken_user_number_is_passed_over(monkeypatch: pytest.MonkeyPatch):
    """Where the number belongs to somebody, the next free one is taken."""

    def known(uid: int) -> object:
        if uid < SANDBOX_UID + 2:
            return object()
        raise KeyError(uid)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr("pwd.getpwuid", known)
    assert sandbox_owner() == Owner(SANDBOX_UID + 2, SANDBOX_UID + 2)
