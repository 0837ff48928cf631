"""The looks of `bot doctor`, taken one by one on a real repository."""

from contextlib import ExitStack
from datetime import datetime

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
