"""Secrets come from outside the config: environment, systemd, /run/secrets."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import ConfigError
from bot.settings.leaks import shown

if TYPE_CHECKING:
    from bot.settings.model import Settings

BOT_SECRETS: tuple[str, ...] = (
    "GITHUB_TOKEN",
    "GITHUB_APP_ID",
    "GITHUB_APP_PRIVATE_KEY",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
)
"""The secrets that the bot itself uses; no command ever sees them."""

_RUN_SECRETS = Path("/run/secrets")
_SHORTEST_LINE = 16


def read_secret(
    name: str, env: Mapping[str, str], *, run_secrets: Path = _RUN_SECRETS
) -> str | None:
    """Return a secret without its last line end, or None where there is none.

    The first that has it wins: the environment, `$CREDENTIALS_DIRECTORY/NAME`,
    `/run/secrets/NAME`. An empty one counts as none.

    Raises:
        ConfigError: The name is no variable's name, or its file can't be read.
    """
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is None:
        raise ConfigError(
            f"{shown(name)} is no secret's name; use letters, digits and '_'"
        )
    if env.get(name):
        return env[name]
    for file in _files(name, env, run_secrets):
        secret = _content(name, file)
        if secret:
            return secret
    return None


def secret_file(
    name: str, env: Mapping[str, str], *, run_secrets: Path = _RUN_SECRETS
) -> Path | None:
    """Return the file that a secret would be read from, if it comes from one."""
    if env.get(name):
        return None
    return next((f for f in _files(name, env, run_secrets) if f.is_file()), None)


def known_values(
    settings: "Settings", env: Mapping[str, str], *, run_secrets: Path = _RUN_SECRETS
) -> tuple[str, ...]:
    """Return every secret that could slip into a text, for redaction.

    Long lines of a secret with several lines count by themselves too. A secret that
    can't be read can't slip out, so it is left out without a word.
    """
    found: dict[str, None] = {}
    for name in _names(settings):
        try:
            secret = read_secret(name, env, run_secrets=run_secrets)
        except ConfigError:
            continue
        found.update(dict.fromkeys(_parts(secret or "")))
    for url in _urls(settings):
        found.update(dict.fromkeys(_parts(_password(url))))
    return tuple(found)


def _files(name: str, env: Mapping[str, str], run_secrets: Path) -> Iterator[Path]:
    credentials = env.get("CREDENTIALS_DIRECTORY")
    if credentials:
        yield Path(credentials) / name
    yield run_secrets / name


def _content(name: str, file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8").rstrip("\r\n")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"the secret {name} can't be read from {file}: {_why(error)}; make it a "
            "UTF-8 file that the bot's user may read"
        ) from error


def _why(error: OSError | UnicodeDecodeError) -> str:
    return error.strerror or "failed" if isinstance(error, OSError) else "not UTF-8"


def _names(settings: "Settings") -> Iterator[str]:
    yield from BOT_SECRETS
    yield from settings.models.key_names()
    for repo in settings.repo:
        for step in (*repo.setup, *repo.check):
            yield from step.secrets


def _urls(settings: "Settings") -> Iterator[str]:
    addresses = (e.base_url for e in settings.models.endpoints.values())
    yield from (url for url in (settings.observer.url, *addresses) if url)


def _parts(secret: str) -> Iterator[str]:
    if not secret:
        return
    yield secret
    lines = secret.splitlines()
    if len(lines) > 1:
        yield from (
            line.strip()
            for line in lines
            if len(line.strip()) >= _SHORTEST_LINE and "-----" not in line
        )


def _password(url: str) -> str:
    host = re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0]
    return host.rpartition("@")[0].partition(":")[2]
