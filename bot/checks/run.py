"""Runs the repository's checks on a tree and says of each why it is red."""

import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.checks.env import SecretReader, no_secrets, step_env
from bot.domain.record import CheckRecord
from bot.sandbox.job import Bind, Ended, Finished, Job, Sandbox, never
from bot.settings.model import Check, SandboxSettings, Setup

_CODES = {
    126: "a program in it is not executable (exit code 126)",
    127: (
        "a program in it was not found in the sandbox (exit code 127): let a [[repo."
        "setup]] install it or name its folder in [sandbox] tools"
    ),
}
_BY_SIGNAL = 128
_ENDINGS: Mapping[Ended, str] = {
    Ended.TIMEOUT: "was not done after {seconds:.0f} s (timeout)",
    Ended.SILENCE: "printed nothing for too long and was ended after {seconds:.0f} s",
    Ended.MEMORY: "used more memory than [sandbox] memory allows",
    Ended.DISK: "was ended because the disk ran full",
    Ended.CANCELLED: "was stopped",
    Ended.KILLED: "was killed from outside, as by the kernel when memory is short",
}


def why(finished: Finished) -> str:
    """Return how a command ended, in a few words that follow its name."""
    if finished.ended is not Ended.EXIT:
        return _ENDINGS[finished.ended].format(seconds=finished.duration_ms / 1000)
    code = finished.exit_code or 0
    if code in _CODES:
        return _CODES[code]
    name = _signal_name(code - _BY_SIGNAL)
    return f"died of {name}" if name else f"exit code {code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check as it ran."""

    check: Check
    finished: Finished

    @property
    def green(self) -> bool:
        """Whether it ended by itself with 0."""
        return self.finished.is_green

    @property
    def detail(self) -> str:
        """How it ended, in a few words that follow its command."""
        return "green" if self.green else why(self.finished)

    @property
    def record(self) -> CheckRecord:
        """What the cycle's record says of it."""
        return CheckRecord(
            run=self.check.run,
            exit_code=self.finished.exit_code,
            duration_ms=self.finished.duration_ms,
        )


def job_of(
    step: Check | Setup,
    tree: Path,
    settings: SandboxSettings,
    secret: SecretReader,
    *,
    binds: Sequence[Bind] = (),
    git_dir: Path | None = None,
    network: bool = False,
) -> Job:
    """Return the job that runs a configured command on a tree.

    Raises:
        Misconfigured: A secret that it names is not to be found.
    """
    return Job(
        command=step.run,
        tree=tree,
        timeout_s=settings.timeout_of(step),
        silence_s=settings.silence_of(step),
        cwd=step.cwd,
        env=step_env(step, secret),
        binds=tuple(binds),
        git_dir=git_dir,
        network=network,
    )


def run_checks(
    checks: Sequence[Check],
    *,
    tree: Path,
    sandbox: Sandbox,
    settings: SandboxSettings,
    binds: Sequence[Bind] = (),
    git_dir: Path | None = None,
    secret: SecretReader = no_secrets,
    stop_at_red: bool = True,
    cancel: Callable[[], bool] = never,
    on_output: Callable[[str], None] | None = None,
) -> tuple[CheckResult, ...]:
    """Run checks one after the other; nothing of them is alive afterwards.

    Args:
        checks: In the order in which they are to run.
        tree: The working tree; the caller puts it back afterwards.
        sandbox: Where they run.
        settings: Defaults of timeout and silence.
        binds: Results of the set-up.
        git_dir: The private clone that the tree belongs to.
        secret: Gives the value of a secret by name, or None.
        stop_at_red: Whether the first red check is the last.
        cancel: Asked several times a second; True ends the run.
        on_output: Called with what the checks print, as it comes.

    Raises:
        Misconfigured: A secret that a check names is not to be found.
        SandboxUnavailable: A check can't be confined.
    """
    results: list[CheckResult] = []
    for check in checks:
        job = job_of(check, tree, settings, secret, binds=binds, git_dir=git_dir)
        result = CheckResult(check, sandbox.run(job, on_output, cancel))
        results.append(result)
        stopped = result.finished.ended is Ended.CANCELLED
        if stopped or (stop_at_red and not result.green):
            break
    return tuple(results)
