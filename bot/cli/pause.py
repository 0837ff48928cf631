"""`bot pause` and `bot resume`: the same file that `touch bot.paused` makes."""

from typing import Annotated

import typer

from bot.cli.session import Config, Json, Repo, session_of
from bot.errors import ConfigError


def add_to(cli: typer.Typer) -> None:
    """Add the commands."""
    cli.command("pause")(pause)
    cli.command("resume")(resume)


def pause(
    context: typer.Context,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="Why.")
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="TIME", help="When it ends, as RFC 3339."),
    ] = None,
    repo: Repo = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Halt all cycles, or those of one repository."""
    session = session_of(context).with_options(config, as_json=as_json)
    from bot.cycle.pause import FILE_NAME, find_pause, parse_until, write_pause

    end = parse_until(until) if until else None
    with session.app() as app:
        if until and end is None:
            raise ConfigError(
                f"--until {until!r} is no moment: write it as 2026-12-01T08:00:00Z"
            )
        if end and end <= app.clock():
            raise ConfigError(f"--until {until} has passed already")
        folder = app.settings.data_dir
        if repo:
            folder /= app.settings.repo_named(repo).name
        write_pause(folder / FILE_NAME, reason, end)
        held = find_pause([folder / FILE_NAME], app.clock())
    if session.json:
        session.answer({"schema_version": 1, "paused": str(folder / FILE_NAME)})
        return
    session.line(str(held))


def resume(
    context: typer.Context,
    repo: Repo = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Let cycles run again by removing every pause file that applies."""
    session = session_of(context).with_options(config, as_json=as_json)
    with session.app() as app:
        removed = [str(path) for path in app.resume(repo)]
        woken = list(app.wake_models())
    if session.json:
        session.answer({"schema_version": 1, "removed": removed, "models": woken})
        return
    for name in woken:
        session.line(f"{name} is asked again")
    for path in removed:
        session.line(f"removed {path}")
    if not removed and not woken:
        session.line("nothing is paused")
