"""Guards that hold for every test: no home, no inherited git, no foreign network."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

_LOOPBACK = ("127.", "::1", "localhost")


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Point HOME and the XDG folders at an empty place and drop inherited GIT_*."""
    home = tmp_path_factory.mktemp("home")
    kept = dict(os.environ)
    for name in [n for n in os.environ if n.startswith(("GIT_", "BOT_", "XDG_"))]:
        del os.environ[name]
    os.environ["HOME"] = str(home)
    os.environ["XDG_CONFIG_HOME"] = str(home / ".config")
    os.environ["XDG_CACHE_HOME"] = str(home / ".cache")
    os.environ["GIT_CONFIG_NOSYSTEM"] = "1"
    for role in ("AUTHOR", "COMMITTER"):
        os.environ[f"GIT_{role}_NAME"] = "A Person"
        os.environ[f"GIT_{role}_EMAIL"] = "person@example.org"
    yield
    os.environ.clear()
    os.environ.update(kept)


@pytest.fixture(scope="session", autouse=True)
def _loopback_only() -> Iterator[None]:
    """Refuse connections of this process to anything but loopback or a socket file."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
            raise AssertionError(f"a test tried to reach {address!r}")
        connect(self, address)  # type: ignore[arg-type]  # as socket itself takes it

    socket.socket.connect = guarded  # type: ignore[method-assign]  # the guard
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]  # put back


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """Return an empty data folder."""
    folder = tmp_path / "data"
    folder.mkdir()
    return folder
