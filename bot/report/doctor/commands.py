"""The repository's commands: configured at all, and their programs there to be run."""

import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.checks import kept
from bot.errors import SandboxUnavailable
from bot.report.doctor.finding import Finding, fail, ok, warn
from bot.report.doctor.subject import Subject
from bot.sandbox.job import Job
from bot.settings import Check, Recipe, RepoSettings, Setup

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_PLAIN = re.compile(r"[\w.+@-]+")
_LOOK_S = 20.0


def checks(subject: Subject) -> Iterator[Finding]:
    """Look whether there is anything that could call a change green."""
    found = subject.repo.check
    if found:
        yield ok("checks", "; ".join(check.run for check in found))
    else:
        yield fail(
            "checks",
            "there is no [[repo.check]], so nothing can be called green",
            "add the command that runs the repository's tests",
        )


def recipes(subject: Subject) -> Iterator[Finding]:
    """Look whether there is anything that could close a gap."""
    found = subject.repo.recipe
    if found:
        yield ok("recipes", ", ".join(recipe.name for recipe in found))
    else:
        detail = "there is no [[repo.recipe]], so no gap can be closed"
        yield fail("recipes", detail, "add a command that closes a gap")


def secrets(subject: Subject) -> Iterator[Finding]:
    """Look whether the secrets that commands name are to be had."""
    steps: tuple[Setup | Check, ...] = (*subject.repo.setup, *subject.repo.check)
    wanted = {name: step.run for step in steps for name in step.secrets}
    missing = [name for name in wanted if subject.rooms.secret(name) is None]
    for name in missing:
        yield fail(
            "secrets",
            f"`{wanted[name]}` asks for {name}, which is not set",
            f"set it in the environment, or as /run/secrets/{name}",
        )
    if wanted and not missing:
        yield ok("secrets", f"{', '.join(wanted)} can be had")


def set_up(subject: Subject) -> Iterator[Finding]:
    """Say what of the set-up is kept from before."""
    steps = len(subject.repo.setup)
    if not steps:
        return
    folders = sorted((subject.rooms.folder / "setup").glob("*/"))
    results = sum(kept.load(folder) is not None for folder in folders)
    commands = "1 command" if steps == 1 else f"{steps} commands"
    if results:
        yield ok("set-up", f"{commands}, {results} results kept")
    else:
        yield ok("set-up", f"{commands}, not run yet", "`bot check` runs it")


def programs(subject: Subject) -> Iterator[Finding]:
    """Look in the sandbox for the programs that the commands begin with."""
    wanted = programs_of(subject.repo)
    if not wanted:
        return
    try:
        missing = _missing(subject, wanted)
    except SandboxUnavailable:
        return  # told by the look at the sandbox
    for name in missing:
        detail = f"`{wanted[name]}` begins with {name}, which the sandbox has not got"
        if subject.repo.setup:
            yield ok(
                "programs", detail, "`bot check` shows whether the set-up brings it"
            )
        else:
            advice = "install it, or name its folder in [sandbox] tools"
            yield warn("programs", detail, advice)
    if not missing:
        yield ok("programs", f"the sandbox has {', '.join(wanted)}")


def programs_of(repo: RepoSettings) -> Mapping[str, str]:
    """Return each program that a command begins with, and one such command.

    What lies in the repository or can't be told from the text is left out.
    """
    found: dict[str, str] = {}
    steps: tuple[Setup | Recipe | Check, ...] = (
        *repo.setup,
        *repo.recipe,
        *repo.check,
    )
    for step in steps:
        name = first_word(step)
        if name and _PLAIN.fullmatch(name):
            found.setdefault(name, step.run)
    return found


def first_word(step: Check | Recipe | Setup) -> str:
    """Return the program that a command begins with, or nothing."""
    try:
        words = shlex.split(step.run, comments=True)
    except ValueError:
        return ""
    return next((word for word in words if not _ASSIGNMENT.fullmatch(word)), "")


def _missing(subject: Subject, wanted: Mapping[str, str]) -> list[str]:
    sandbox = subject.rooms.sandbox()
    with tempfile.TemporaryDirectory(prefix="gapwright-") as folder:
        Path(folder).chmod(0o755)  # the jobs may run as another user
        asked = " ".join(wanted)
        command = f'for p in {asked}; do command -v "$p" >/dev/null || echo "$p"; done'
        job = Job(command=command, tree=Path(folder), timeout_s=_LOOK_S)
        return sandbox.run(job).output.split()
