"""Finds the config and turns it, with what stands over it, into settings."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from bot.errors import ConfigError
from bot.settings.crosscheck import contradictions, doubts, leaks, widened
from bot.settings.environment import FromEnvironment, read_environment
from bot.settings.file import INIT_HINT, read_toml
from bot.settings.model import Settings
from bot.settings.places import absolute, dangers, place
from bot.settings.problems import Problem, Where, line_of, problems_of

_BESIDE = (Path("config/bot.toml"), Path("bot.toml"))
_DATA_DIR = ("data_dir",)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A config that was read.

    Attributes:
        settings: What it says, with absolute paths.
        warnings: One line each: what was not used, or is hardly meant.
        path: The file, absolute.
    """

    settings: Settings
    warnings: tuple[str, ...]
    path: Path


@dataclass(frozen=True, slots=True)
class _Reading:
    """A config on its way: its tables, and who set what over them."""

    file: Path
    tables: Mapping[str, object]
    origins: Mapping[Where, str]

    def line(self, problem: Problem) -> str:
        """Write a problem as one line that names who set the value."""
        source = self.origins.get(problem.where, str(self.file))
        return line_of(problem, source, self.tables)

    def settings(self, known: Sequence[Problem]) -> Settings:
        """Return the checked settings, or refuse them with all there is to say."""
        told = {problem.where for problem in known}
        try:
            settings = Settings.model_validate(self.tables)
        except ValidationError as error:
            others = (p for p in problems_of(error) if p.where not in told)
            raise self._error([*known, *others]) from error
        if known:
            raise self._error(known)
        return settings

    def placed(self, settings: Settings, env: Mapping[str, str]) -> Settings:
        """Return the settings with absolute paths, or refuse those that do harm."""
        settings, faults = absolute(settings, self.file, env)
        faults = [*faults, *dangers(settings, env)]
        if faults:
            raise self._error(faults)
        return settings

    def _error(self, problems: Sequence[Problem]) -> ConfigError:
        return ConfigError("\n".join(self.line(problem) for problem in problems))


def find_config(explicit: Path | None, env: Mapping[str, str], cwd: Path) -> Path:
    """Return the config in use: given, `$BOT_CONFIG`, or beside the working directory.

    Raises:
        ConfigError: Nothing was given and none of the usual files is there.
    """
    if explicit is not None:
        return cwd / explicit
    if env.get("BOT_CONFIG"):
        return cwd / env["BOT_CONFIG"]
    for candidate in _BESIDE:
        if os.path.isfile(cwd / candidate):  # noqa: PTH113 - Path.is_file can raise
            return cwd / candidate
    raise ConfigError(
        f"there is no config: neither --config nor BOT_CONFIG names one, and {cwd} has "
        f"no config/bot.toml and no bot.toml; {INIT_HINT}"
    )


def load_settings(
    path: Path,
    env: Mapping[str, str],
    cwd: Path,
    *,
    overrides: Mapping[str, str] | None = None,
) -> Loaded:
    """Read a config, with what the environment and the command line set over it.

    Args:
        path: The file; relative to `cwd`.
        env: The environment; its `BOT_…` variables and HOME count.
        cwd: Absolute; where relative paths start that don't stand in the file.
        overrides: What the command line sets; `data_dir` is the only key.

    Raises:
        ConfigError: The file can't be read, or anything in it is wrong; then the
            message has one line a problem, all of them.
    """
    file = cwd / path
    data = read_toml(file)
    environment = read_environment(env)
    over = [*environment.values]
    if overrides:
        over.append(
            FromEnvironment("the command line", _DATA_DIR, overrides["data_dir"])
        )
    reading = _read_over(file, data, [_started(value, cwd, env) for value in over])
    wide = list(widened(reading.tables))
    braked = [problem for problem, cap in wide if cap in reading.origins]
    settings = reading.settings(
        [*leaks(data), *contradictions(data), *(p for p, _ in wide if p not in braked)]
    )
    settings = reading.placed(settings, env)
    uneasy = [*braked, *doubts(settings)]
    warnings = (*environment.warnings, *(reading.line(doubt) for doubt in uneasy))
    return Loaded(settings, warnings, file)


def _started(
    value: FromEnvironment, cwd: Path, env: Mapping[str, str]
) -> FromEnvironment:
    """Make a path absolute that was not written in the file."""
    if value.where != _DATA_DIR:
        return value
    try:
        return replace(value, text=str(place(value.text, cwd, env)))
    except ValueError as error:
        raise ConfigError(f"{value.variable}: {error}") from error


def _read_over(
    file: Path, data: Mapping[str, object], over: Sequence[FromEnvironment]
) -> _Reading:
    tables = dict(data)
    origins: dict[Where, str] = {}
    for value in over:
        *inside, key = value.where
        target = tables
        for name in inside:
            inner = target.get(name, {})
            if not isinstance(inner, dict):
                break  # the file is wrong here, and is told so
            target[name] = target = dict(inner)
        else:
            target[key] = value.text
            origins[value.where] = value.variable
    return _Reading(file, tables, origins)
