"""`bot init`: a config for a repository, guessed from its files."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.screen import one_line
from bot.cli.session import Config, Json, Session, session_of

if TYPE_CHECKING:
    from bot.start.config import Written
    from bot.start.next_steps import Step


def add_to(cli: typer.Typer) -> None:
    """Add the command."""
    cli.command("init")(init)


def init(
    context: typer.Context,
    path: Annotated[
        str,
        typer.Argument(metavar="PATH", help="A checkout, a bare repository, a URL."),
    ],
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Write a config for a repository, guessed from its files.

    Where a config stands already it is left alone, and what to add is printed.
    """
    session = session_of(context).with_options(config, as_json=as_json)
    from bot.start.config import initialise
    from bot.start.interpreter import program
    from bot.start.next_steps import after_init

    written = initialise(path, Path.cwd(), session.env, session.config)
    steps = after_init(
        program(sys.argv[0], os.environ),
        ("--config", str(session.config)) if session.config else (),
        ("--repo", written.name) if written.others else (),
    )
    if session.json:
        _answer(session, written, steps)
    else:
        _print(session, written, steps)


def _answer(session: Session, written: "Written", steps: tuple["Step", ...]) -> None:
    session.answer(
        {
            "schema_version": 1,
            "config": str(written.config),
            "written": written.is_new,
            "repo": written.name,
            "block": written.block,
            "next": [step.command for step in steps],
        }
    )


def _print(session: Session, written: "Written", steps: tuple["Step", ...]) -> None:
    config = one_line(str(written.config))
    if written.is_new:
        session.line(f"wrote {config}")
        _print_guesses(session, written)
    elif written.block is None:
        session.line(f"{config} has this repository already, as {written.name!r}")
    else:
        session.say(f"{config} stands and is left as it is; add this to it:\n")
        session.block(written.block)
    tell = session.say if written.block and not written.is_new else session.line
    tell("Go on with:")
    width = max(len(step.command) for step in steps)
    for step in steps:
        tell(f"  {step.command:<{width}}  # {step.what}")


def _print_guesses(session: Session, written: "Written") -> None:
    base, documents = written.source.base, written.documents
    rows = [
        ("name", written.name),
        ("base", f"{base.name} ({base.why})"),
        ("prd", f"{', '.join(documents.prd)} ({documents.why})"),
    ]
    rows += [("set-up", g.setup.run) for g in written.guesses if g.setup]
    rows += [("check", g.check.run) for g in written.guesses]
    if not written.guesses:
        rows.append(("check", "none was recognised: add one to the config"))
    rows.append(("recipe", "none yet: the config has an example; gaps need one"))
    for noun, what in rows:
        session.line(f"  {noun:<8}{one_line(what)}")
