"""`bot config check` and `bot config schema`."""

from pathlib import Path

import typer

from bot.cli.session import Config, Json, session_of


def add_to(cli: typer.Typer) -> None:
    """Add the commands."""
    noun = typer.Typer(
        help="Check the config, or print its schema.", no_args_is_help=True
    )
    noun.command("check")(check)
    noun.command("schema")(schema)
    cli.add_typer(noun, name="config")


def check(context: typer.Context, config: Config = None, as_json: Json = False) -> None:
    """Read the config and say everything that is wrong with it."""
    session = session_of(context).with_options(config, as_json=as_json)
    from bot.settings.load import find_config, load_settings

    cwd = Path.cwd()
    loaded = load_settings(
        find_config(session.config, session.env, cwd), session.env, cwd
    )
    names = [repo.name for repo in loaded.settings.repo]
    if session.json:
        session.answer(
            {
                "schema_version": 1,
                "path": str(loaded.path),
                "repos": names,
                "warnings": list(loaded.warnings),
            }
        )
        return
    for warning in loaded.warnings:
        session.line(f"warn  {warning}")
    session.line(f"ok    {loaded.path}: {', '.join(names) or 'no repository yet'}")


def schema(context: typer.Context) -> None:
    """Print the JSON schema of the config."""
    from bot.settings.schema import config_schema

    session_of(context).answer(config_schema())
