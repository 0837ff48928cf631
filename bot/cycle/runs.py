"""Set-up and checks on a tree of the repository, as cycles and `bot check` run them."""

from collections.abc import Callable

from bot.checks.baseline import Baseline
from bot.checks.run import CheckResult, run_checks
from bot.checks.setup import SetUpFailed, SetUpResult
from bot.cycle.rooms import Rooms
from bot.errors import Misconfigured
from bot.settings import Check

OnOutput = Callable[[str], None]


def require_checks(rooms: Rooms) -> None:
    """Refuse a repository without a check.

    Raises:
        Misconfigured: It has none, so nothing could ever be called green.
    """
    if not rooms.repo.check:
        raise Misconfigured(
            f"repository {rooms.repo.name!r} has no [[repo.check]]: without one nothing "
            "can be called green; add its test command to the config"
        )


def set_up(rooms: Rooms, base_sha: str) -> SetUpResult | SetUpFailed:
    """Return the set-up of a base, made now or kept from before."""
    return rooms.set_up().prepare(base_sha, rooms.tree(), rooms.clone().files)


def baseline_of(
    rooms: Rooms,
    base_sha: str,
    ready: SetUpResult,
    on_output: OnOutput | None = None,
) -> Baseline:
    """Return what the checks say of a base, from an earlier run where there was one."""

    def run() -> tuple[CheckResult, ...]:
        rooms.tree().move_to(base_sha)
        return run_on_tree(
            rooms, rooms.repo.check, ready, stop_at_red=False, on_output=on_output
        )

    return rooms.baselines().of(
        rooms.clone().tree_of(base_sha),
        rooms.repo.check,
        set_up=ready.key,
        sandbox=rooms.sandbox().describe(),
        run=run,
    )


def run_on_tree(
    rooms: Rooms,
    checks: tuple[Check, ...],
    ready: SetUpResult,
    *,
    stop_at_red: bool = True,
    on_output: OnOutput | None = None,
) -> tuple[CheckResult, ...]:
    """Run checks on the cycle's tree as it stands."""
    return run_checks(
        checks,
        tree=rooms.tree().path,
        sandbox=rooms.sandbox(),
        settings=rooms.settings.sandbox,
        binds=ready.binds,
        git_dir=rooms.clone().path,
        secret=rooms.secret,
        stop_at_red=stop_at_red,
        cancel=rooms.is_cancelled,
        on_output=on_output,
    )
