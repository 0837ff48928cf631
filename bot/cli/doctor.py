"""`bot doctor`: whether the bot can work here, and what to do where not."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.screen import one_line
from bot.cli.session import Config, Json, Repo, Session, session_of
from bot.errors import ConfigError

if TYPE_CHECKING:
    from bot.report.doctor import Check, Finding
    from bot.settings.load import Loaded

_NO_CONFIG = 2


def add_to(cli: typer.Typer) -> None:
    """Add the command."""
    cli.command("doctor")(doctor)


def doctor(
    context: typer.Context,
    online: Annotated[
        bool,
        typer.Option("--online", help="Look at remotes by URL and web addresses too."),
    ] = False,
    repo: Repo = None,
    config: Config = None,
    as_json: Json = False,
) -> int:
    """Look whether the bot can work here, and say what to do where not.

    Prints one line a check, and ends with 1 where one failed, with 2 where the config
    can't be read. Changes nothing in any repository.
    """
    session = session_of(context).with_options(config, as_json=as_json)
    from bot.report.doctor import Level

    try:
        loaded = _load(session)
    except ConfigError as error:
        _show(session, _without_config(session, error))
        return _NO_CONFIG
    found = _show(session, _with_config(session, loaded, repo, online=online))
    return 1 if found[Level.FAIL] else 0


def _load(session: Session) -> "Loaded":
    from bot.settings.load import find_config, load_settings

    cwd = Path.cwd()
    path = find_config(session.config, session.env, cwd)
    return load_settings(path, session.env, cwd)


def _without_config(session: Session, error: ConfigError) -> Iterator["Finding"]:
    from bot.report.doctor import Finding, Level, bare_checks, examine

    for line in str(error).splitlines():
        yield Finding("config", Level.FAIL, line)
    yield from examine(bare_checks(session.env), _progress(session))


def _with_config(
    session: Session, loaded: "Loaded", name: str | None, *, online: bool
) -> Iterator["Finding"]:
    from bot.app import App
    from bot.report import doctor

    begin = _progress(session)
    with App(loaded, session.env) as app, doctor.private_git_env(app.env) as git_env:
        repos = app.repos(name) if name or app.settings.repo else ()
        machine = doctor.Machine(
            loaded=loaded,
            env=app.env,
            clock=app.clock,
            index=app.index,
            owner=app.owner,
            git_env=git_env,
            online=online,
        )
        yield from doctor.examine(doctor.machine_checks(machine), begin)
        for one in repos:
            checks = doctor.repository_checks(app.rooms(one), machine)
            yield from doctor.examine(checks, begin)


def _progress(session: Session) -> "Callable[[Check], None]":
    """Return what shows on a terminal which look is being taken."""

    def begin(check: "Check") -> None:
        where = f" of {check.repo}" if check.repo else ""
        session.progress(f"looking at {check.name}{where}")

    return begin


def _show(session: Session, findings: Iterable["Finding"]) -> Counter[str]:
    """Print the findings as they come, or all at once as JSON; count their levels."""
    from bot.report.doctor import Level

    count: Counter[str] = Counter()
    entries = []
    for finding in findings:
        count[finding.level] += 1
        if session.json:
            entries.append(_entry(finding))
        else:
            session.line(_line(finding))
    if session.json:
        session.listing("checks", entries)
    else:
        session.line(", ".join(f"{count[level]} {level}" for level in Level))
    return count


def _line(finding: "Finding") -> str:
    about = f"{finding.repo}: " if finding.repo else ""
    advice = f" -> {one_line(finding.advice)}" if finding.advice else ""
    said = one_line(finding.detail)
    return f"{finding.level:<4}  {finding.name:<10}  {about}{said}{advice}"


def _entry(finding: "Finding") -> dict[str, Any]:
    return {
        "repo": finding.repo,
        "name": finding.name,
        "level": finding.level,
        "detail": finding.detail,
        "advice": finding.advice,
    }
