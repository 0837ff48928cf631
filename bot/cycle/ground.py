"""Step 9: what can be known before anything is paid.

The set-up and the checks on the base itself, and whether the gap names nothing but
protected paths. Set-up results and baselines are kept, so this is free on a known base.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.checks.baseline import Baseline
from bot.checks.run import CheckResult, run_checks
from bot.checks.setup import SetUpFailed, SetUpResult
from bot.cycle.draft import Draft
from bot.cycle.ending import Ending
from bot.cycle.rooms import Rooms
from bot.cycle.survey import Task
from bot.domain.outcome import Outcome
from bot.errors import Misconfigured
from bot.settings import Check
from bot.workspace.paths import first_protected

_PATH_LIKE = re.compile(r"[\w.@+-]*(?:/[\w.@+-]+)+|[\w-]*\.?[\w-]+\.[A-Za-z]\w{0,9}\b")

OnOutput = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Ground:
    """What the base itself says: its set-up and its checks."""

    set_up: SetUpResult
    baseline: Baseline


def prepare(rooms: Rooms, draft: Draft, task: Task) -> Ground | Ending:
    """Set the base up, run its checks unless they are known, look at the gap's paths.

    Raises:
        Misconfigured: The repository has no check.
        SandboxUnavailable: Untrusted code can't be confined here.
    """
    require_checks(rooms)
    if reason := _only_protected(rooms, task.gap.text):
        return Ending(Outcome.PROPOSAL_REJECTED, reason)
    with draft.step("sandbox"):
        draft.sandbox = rooms.sandbox().describe()
        draft.note(draft.sandbox)
    with draft.step("set-up", durable=True):
        ready = set_up(rooms, task.base_sha)
        draft.note(ready.reason if isinstance(ready, SetUpFailed) else ready.note)
    if isinstance(ready, SetUpFailed):
        draft.tests_output = rooms.redactor.text(ready.output)
        return Ending(Outcome.BASELINE_FAILED, rooms.redactor.text(ready.reason))
    with draft.step("baseline", durable=True):
        baseline = baseline_of(rooms, task.base_sha, ready)
        rooms.stop_if_cancelled(draft)
        draft.note(baseline.note)
    if not baseline.usable:
        draft.tests_output = rooms.redactor.text(baseline.output)
        return Ending(Outcome.BASELINE_FAILED, rooms.redactor.text(baseline.reason))
    return Ground(ready, baseline)


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


def _only_protected(rooms: Rooms, text: str) -> str | None:
    """Return why a gap is turned away that names protected paths and no others."""
    rules = rooms.rules()
    named = _PATH_LIKE.findall(text)
    if rules.on_protected != "block" or not named:
        return None
    hits = [(path, first_protected(rules.protected, path)) for path in named]
    if not all(pattern for _, pattern in hits):
        return None
    path, pattern = hits[0]
    return (
        f"the gap names only protected paths ({path} matches {pattern}): do it by hand, "
        "or change `policy.protected` or `policy.on_protected`"
    )
