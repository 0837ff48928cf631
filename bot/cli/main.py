"""The command line as a whole: its commands, its global options, its exit statuses."""

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from bot import __version__
from bot.cli import (
    check,
    config,
    cycle,
    demo,
    doctor,
    gaps,
    history,
    inbox,
    init,
    pause,
    pulls,
    reindex,
    status,
)
from bot.cli.screen import hush
from bot.cli.session import Config, Json, Session, session_of
from bot.errors import BotError

_INTERRUPTED = 130
_FAILED = 1

cli = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Closes the gaps in a requirements document, one tested pull request at a time.",
)
for _noun in (
    init,
    doctor,
    demo,
    cycle,
    check,
    pause,
    inbox,
    status,
    gaps,
    history,
    pulls,
    reindex,
    config,
):
    _noun.add_to(cli)


def _print_version(context: typer.Context, value: bool) -> None:
    if value:
        session_of(context).line(f"bot {__version__}")
        raise typer.Exit


@cli.callback()
def _globals(
    context: typer.Context,
    config_path: Config = None,
    as_json: Json = False,
    version: Annotated[  # noqa: ARG001 - its callback acts
        bool,
        typer.Option(
            "--version",
            is_eager=True,
            callback=_print_version,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    session_of(context).with_options(config_path, as_json=as_json)


def run(arguments: Sequence[str], env: Mapping[str, str]) -> int:
    """Run one command and return its exit status; every error ends here."""
    session = Session(env)
    try:
        code = _run(session, arguments)
        session.flush()
    except BrokenPipeError:
        hush(session.out)
        return _FAILED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BotError as error:
        session.say(f"bot: {error}")
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the outermost boundary
        return _unexpected(session, error)
    return code


def _run(session: Session, arguments: Sequence[str]) -> int:
    try:
        code = cli(list(arguments), prog_name="bot", standalone_mode=False, obj=session)
    except typer.TyperException as usage:
        session.say(_usage(usage))
        return usage.exit_code
    return code if isinstance(code, int) else 0


def _usage(error: typer.TyperException) -> str:
    """Say what is wrong with a command line and what it could have been."""
    said = error.format_message()
    context = getattr(error, "ctx", None)
    if context is None or said.startswith("Usage:"):
        return said
    hint = f"`{context.command_path} --help` says more"
    if said.startswith("No such option: --repo") and not context.parent:
        hint = "--repo stands behind the command, as in `bot cycle --repo NAME`"
    return f"{context.get_usage()}\nbot: {said}\n{hint}"


def _unexpected(session: Session, error: Exception) -> int:
    """Say that this is a bug, with what a report needs; never a bare traceback."""
    import traceback

    session.say("".join(traceback.format_exception(error)))
    session.say(
        f"bot: unexpected {type(error).__name__}: {error}\n"
        f"This is a bug in gapwright {__version__} (Python {sys.version.split()[0]}): "
        "please report the lines above."
    )
    return _FAILED
