"""What holds for the whole machine, whatever repositories are configured."""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from pathlib import Path

from bot.report.doctor import clock, config, data_folder, git, observer, sandbox
from bot.report.doctor.finding import Check
from bot.sandbox.owner import Owner
from bot.settings import SandboxSettings, Settings
from bot.settings.load import Loaded
from bot.store.index import Index
from bot.workspace.gitconfig import GitEnv


@dataclass(frozen=True, slots=True)
class Machine:
    """What the checks work with.

    Attributes:
        loaded: The config.
        env: The environment.
        clock: Returns the present moment, in UTC.
        index: The index; asked only where its file is there already.
        owner: Who untrusted code runs as, when the bot is root.
        git_env: Makes the environments of git commands, outside the data folder.
        online: Whether remotes by URL and web addresses may be looked at.
    """

    loaded: Loaded
    env: Mapping[str, str]
    clock: Callable[[], datetime]
    index: Index
    owner: Owner | None
    git_env: Callable[[], GitEnv]
    online: bool = False

    @property
    def settings(self) -> Settings:
        """The settings of the config."""
        return self.loaded.settings

    @property
    def has_index(self) -> bool:
        """Whether there is an index, so that asking it makes none."""
        return (self.settings.data_dir / "bot.sqlite3").is_file()


@contextmanager
def private_git_env(env: Mapping[str, str]) -> Iterator[Callable[[], GitEnv]]:
    """Give the environments of git commands without a write to the data folder."""
    with tempfile.TemporaryDirectory(prefix="gapwright-") as folder:
        yield cache(lambda: GitEnv.make(Path(folder), env))


def bare_checks(env: Mapping[str, str]) -> tuple[Check, ...]:
    """Return what can be looked at without a config."""
    defaults = SandboxSettings()
    return (
        Check("git", partial(git.program, env)),
        Check("sandbox", partial(sandbox.confinement, defaults)),
    )


def machine_checks(machine: Machine) -> tuple[Check, ...]:
    """Return what is looked at once, whatever the repositories are."""
    settings, env = machine.settings, machine.env
    index = machine.index if machine.has_index else None
    folder = settings.data_dir
    confining = partial(sandbox.confinement, settings.sandbox)
    asked = partial(observer.observer, settings.observer.url, online=machine.online)
    return (
        Check("config", partial(config.file, machine.loaded)),
        Check("secrets", partial(config.secrets, settings, env)),
        Check("data", partial(data_folder.folder, folder)),
        Check("disk", partial(data_folder.disk, folder, _mounts)),
        Check("index", partial(data_folder.index, folder, index)),
        Check("leftovers", partial(data_folder.leftovers, folder, machine.clock)),
        Check("clock", partial(clock.clock, settings, index, machine.clock)),
        Check("git", partial(git.program, env)),
        Check("sandbox", confining),
        Check("limits", partial(sandbox.limits, settings.sandbox, os.geteuid())),
        Check("tools", partial(sandbox.tools, settings.sandbox)),
        Check("user", partial(sandbox.user, settings, machine.owner)),
        Check("observer", asked),
    )


def _mounts() -> str:
    return Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape")
