"""The sandbox: whether it really starts here, with which limits, and as whom."""

import os
import pwd
import resource
from collections.abc import Callable, Iterator

from bot.errors import SandboxUnavailable
from bot.report.doctor.data_folder import existing
from bot.report.doctor.finding import Finding, fail, ok, warn
from bot.sandbox.bwrap import probe
from bot.sandbox.owner import Owner
from bot.sandbox.staging import is_reachable, stage
from bot.sandbox.tools import find_tools
from bot.settings import SandboxSettings, Settings
from bot.settings.units import format_duration, format_size


def confinement(settings: SandboxSettings) -> Iterator[Finding]:
    """Run a job in the sandbox to see whether that works."""
    seen = probe(settings)
    if not seen.ok:
        yield fail("sandbox", seen.detail, seen.advice)
    elif settings.kind == "none":
        yield warn(
            "sandbox",
            'kind is "none": recipes, set-up and checks run unconfined, with network '
            "and all files",
            'set kind = "bwrap" under [sandbox]',
        )
    else:
        yield ok("sandbox", f"started a job: {seen.detail}")


def limits(
    settings: SandboxSettings,
    uid: int,
    hard: Callable[[int], int] = lambda kind: resource.getrlimit(kind)[1],
) -> Iterator[Finding]:
    """Say which limits hold, and which the system itself sets lower.

    Args:
        settings: Those of the config.
        uid: The bot's user; root may raise every limit.
        hard: Returns the highest value that the bot's processes may have.
    """
    parts = [
        f"memory {format_size(settings.memory)}",
        f"{settings.processes} processes",
        f"files to {format_size(settings.disk)}",
        f"cpu {format_duration(settings.cpu)}" if settings.cpu else "cpu without limit",
        f"{format_duration(settings.timeout)} a command",
        f"{format_duration(settings.silence)} without output",
    ]
    lower = () if uid == 0 else tuple(_lower(settings, hard))
    if lower:
        detail = f"the system allows less than [sandbox] says: {', '.join(lower)}"
        advice = "raise the hard limit (`ulimit -H`, or Limit… in the systemd unit)"
        yield warn("limits", detail, advice)
    else:
        yield ok("limits", ", ".join(parts))


def _lower(settings: SandboxSettings, hard: Callable[[int], int]) -> Iterator[str]:
    wanted = (
        ("processes", resource.RLIMIT_NPROC, settings.processes),
        ("disk", resource.RLIMIT_FSIZE, settings.disk),
        ("memory", resource.RLIMIT_DATA, settings.memory),
        ("cpu", resource.RLIMIT_CPU, settings.cpu or 0),
    )
    for name, kind, value in wanted:
        if resource.RLIM_INFINITY != hard(kind) < value:
            yield f"{name} {hard(kind)}"


def tools(settings: SandboxSettings) -> Iterator[Finding]:
    """Look whether the folders of tools are there.

    Raises:
        SandboxUnavailable: One is not.
    """
    found = find_tools(settings.tools)
    yield ok("tools", ", ".join(found.path) or "none but the system's own")


def user(settings: Settings, owner: Owner | None) -> Iterator[Finding]:
    """Say who runs the jobs, and whether that user can get at the data folder."""
    if owner is None:
        yield ok("user", f"jobs run as {_name(os.geteuid())}, like the bot")
        return
    detail = f"the bot is root, so jobs run as uid {owner.uid}"
    place = existing(settings.data_dir).resolve()
    if is_reachable(place, owner):
        yield ok("user", detail)
        return
    try:
        if settings.sandbox.kind == "bwrap":
            stage([place], owner)
            said = f"{detail}; {place} is mounted to where that user finds it"
            yield ok("user", said)
            return
    except SandboxUnavailable as error:
        yield fail("user", str(error))
        return
    advice = "set data_dir to a folder that everyone may walk to"
    yield fail("user", f"{detail}, who can't reach {place}", advice)


def _name(uid: int) -> str:
    try:
        return f"{pwd.getpwuid(uid).pw_name} (uid {uid})"
    except KeyError:
        return f"uid {uid}"
