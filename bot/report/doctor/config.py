"""The config in use, and who else can read or change what the bot relies on."""

import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.report.doctor.finding import Finding, fail, ok, warn
from bot.settings import Settings
from bot.settings.load import Loaded
from bot.settings.secrets import BOT_SECRETS, secret_file

_NAME = "config"
_SECRETS = "secrets"


def file(loaded: Loaded) -> Iterator[Finding]:
    """Say which config is in use and what is odd about it."""
    names = ", ".join(repo.name for repo in loaded.settings.repo)
    if names:
        yield ok(_NAME, f"{loaded.path}: {names}")
    else:
        advice = "`bot init PATH` prints one for the repository at PATH"
        yield warn(_NAME, f"{loaded.path} has no [[repo]]", advice)
    for warning in loaded.warnings:
        yield warn(_NAME, warning)
    if loaded.path.stat().st_mode & stat.S_IWOTH:
        yield fail(
            _NAME,
            f"everyone on this machine may change {loaded.path}, and with it what the "
            "bot runs",
            f"chmod o-w {loaded.path}",
        )


def secrets(
    settings: Settings,
    env: Mapping[str, str],
    run_secrets: Path = Path("/run/secrets"),
) -> Iterator[Finding]:
    """Look whether others can read the files that secrets come from."""
    steps = [s for repo in settings.repo for s in (*repo.setup, *repo.check)]
    wanted = [name for step in steps for name in step.secrets]
    found = {
        name: secret_file(name, env, run_secrets=run_secrets)
        for name in (*BOT_SECRETS, *wanted)
    }
    files = {name: path for name, path in found.items() if path is not None}
    open_files = {n: p for n, p in files.items() if _is_open(p, env)}
    for name, path in open_files.items():
        detail = f"group or others may read {path}, which holds {name}"
        yield fail(_SECRETS, detail, f"chmod 600 {path}")
    if not open_files:
        shut = ", ".join(files)
        yield ok(_SECRETS, f"nobody else may read {shut}" if shut else "none in files")


def _is_open(path: Path, env: Mapping[str, str]) -> bool:
    made_by_systemd = env.get("CREDENTIALS_DIRECTORY")
    if made_by_systemd and path.is_relative_to(made_by_systemd):
        return False
    return bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
