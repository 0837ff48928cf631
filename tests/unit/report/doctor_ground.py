"""The looks of `bot doctor`, taken one by one on a real repository."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from command_world import World

from bot.app import App, utc_now
from bot.report.doctor import (
    Check,
    Finding,
    Machine,
    examine,
    machine_checks,
    private_git_env,
    repository_checks,
)
from bot.report.doctor.subject import Subject


@contextmanager
def plain_user() -> Iterator[None]:
    """Be somebody who owns nothing."""
    os.seteuid(64999)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def open_folder() -> Iterator[Path]:
    """Give a folder that everyone may walk to."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        path.chmod(0o755)
        yield path


class Doctor:
    """Takes looks at a world as its config says just then.

    Args:
        world: What is looked at.
    """

    def __init__(self, world: World) -> None:
        self.world = world

    def machine(self, name: str, **options) -> list[Finding]:
        """Return what one look at the machine finds."""
        return self._taken(name, None, **options)

    def repo(self, name: str, **options) -> list[Finding]:
        """Return what one look at the repository finds."""
        return self._taken(name, "wishes", **options)

    @contextmanager
    def subject(
        self, *, online: bool = False, can_spend: bool = False, **repo: object
    ) -> Iterator[Subject]:
        """Give the repository with some of its settings as they can't be written."""
        with (
            App(self.world.loaded(), self.world.env) as app,
            private_git_env(app.env) as git_env,
        ):
            rooms = app.rooms(app.settings.repo[0])
            changed = rooms.repo.model_copy(update=repo)
            yield Subject(
                replace(rooms, repo=changed, can_spend=lambda: can_spend),
                git_env,
                has_index=False,
                online=online,
            )

    def _taken(
        self,
        name: str,
        repo: str | None,
        *,
        online: bool = False,
        now: datetime | None = None,
        owner: object = None,
    ) -> list[Finding]:
        loaded, env = self.world.loaded(), self.world.env
        with ExitStack() as stack:
            app = stack.enter_context(App(loaded, env, clock=lambda: now or utc_now()))
            machine = Machine(
                loaded=loaded,
                env=env,
                clock=app.clock,
                index=app.index,
                owner=owner or app.owner,
                git_env=stack.enter_context(private_git_env(env)),
                online=online,
            )
            checks: list[Check] = list(machine_checks(machine))
            for one in loaded.settings.repo:
                checks += repository_checks(app.rooms(one), machine)
            wanted = [c for c in checks if (c.name, c.repo) == (name, repo)]
            return list(examine(wanted))
