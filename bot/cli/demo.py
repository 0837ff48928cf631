"""`bot demo`: a complete real cycle on a bundled sample repository."""

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.cycle import cycle
from bot.cli.session import Json, Session, session_of

if TYPE_CHECKING:
    from bot.app import App
    from bot.start.demo import Demo


def add_to(cli: typer.Typer) -> None:
    """Add the command."""
    cli.command("demo")(demo)


def demo(
    context: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--dir", metavar="DIR", help="Where it takes place; else data/demo."
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Run a real cycle on a sample repository: offline, without a key, in a folder."""
    session = session_of(context).with_options(None, as_json=as_json)
    from bot.start.demo import USUAL, own_environment, prepare

    session.env = own_environment(session.env)
    ready = prepare(Path.cwd() / (folder or USUAL), session.env)
    session.config = ready.config
    if not session.json:
        made = "made just now" if ready.is_new else "as it stands"
        session.say(f"sample repository {_near(ready.repository)}, {made}")
    code = cycle(context, as_json=as_json)
    if not session.json:
        with session.app() as app:
            _show_pull(session, app)
            _show_next(session, app, ready, folder)
    return code


def _show_pull(session: Session, app: "App") -> None:
    """Show what the cycle just run has made, where it opened a pull request."""
    from bot.domain.outcome import Outcome
    from bot.start.demo import NAME
    from bot.start.diff import diff_lines

    last = app.index.last_cycle(NAME)
    if last is None or last.outcome != Outcome.OK or last.pr_number is None:
        return
    page = app.settings.data_dir / NAME / "pulls" / f"{last.pr_number}.md"
    session.line()
    colour = session.out.isatty() and not session.env.get("NO_COLOR")
    patch = page.with_suffix(".patch").read_bytes()
    for line in diff_lines(patch, colour=colour):
        session.line(line)
    session.line()
    session.line(f"What the pull request says:  {_near(page)}")


def _show_next(
    session: Session, app: "App", ready: "Demo", folder: Path | None
) -> None:
    from bot.domain.pull import PullState
    from bot.start.demo import NAME
    from bot.start.interpreter import program

    bot = program(sys.argv[0], os.environ)
    again = f"{bot} demo" + (f" --dir {shlex.quote(str(folder))}" if folder else "")
    config = f"--config {shlex.quote(_near(ready.config))}"
    waiting = app.index.pulls(NAME, PullState.OPEN)
    commands = [
        (f"{bot} pulls merge {pull.number} {config}", f"take in: {pull.title}")
        for pull in sorted(waiting, key=lambda pull: pull.number)[:1]
    ]
    commands.append((again, "the next gap"))
    commands.append((f"{bot} gaps {config}", "what there is to do, and why not"))
    width = max(len(command) for command, _ in commands)
    session.line("Go on with:")
    for command, what in commands:
        session.line(f"  {command:<{width}}  # {what}")


def _near(path: Path) -> str:
    """Return a path as short as it can be typed from here."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
