"""`bot demo`: a complete real cycle on a bundled sample repository."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.cycle import cycle
from bot.cli.session import Json, Session, session_of
from bot.domain.outcome import Outcome
from bot.errors import ConfigError

if TYPE_CHECKING:
    from bot.start.demo import Demo
    from bot.start.next_steps import Step


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
    """Run a real cycle on a sample repository: no network, no key."""
    session = session_of(context).with_options(None, as_json=as_json)
    from bot.start.demo import USUAL, own_environment, prepare

    if session.config:
        raise ConfigError("`bot demo` has a config of its own: leave --config out")
    session.env = own_environment(session.env)
    ready = prepare(Path.cwd() / (folder or USUAL), session.env)
    session.config = ready.config
    if not session.json:
        made = "made just now" if ready.is_new else "as it stands"
        session.say(f"sample repository {_near(ready.repository)}, {made}")
    code = cycle(context, as_json=as_json)
    if not session.json:
        options = ("--dir", str(folder)) if folder else ()
        _show(session, ready, options)
    return code


def _show(session: Session, ready: "Demo", options: Sequence[str]) -> None:
    """Show what the cycle has made, and what a person may do next."""
    from bot.domain.pull import PullState
    from bot.start.demo import NAME, in_the_way
    from bot.start.interpreter import program
    from bot.start.next_steps import after_demo

    with session.app() as app:
        last = app.index.last_cycle(NAME)
        waiting = app.index.pulls(NAME, PullState.OPEN)
        pulls = app.settings.data_dir / NAME / "pulls"
    if last and last.outcome == Outcome.OK and last.pr_number:
        _show_pull(session, pulls, last.pr_number)
    steps = after_demo(
        program(sys.argv[0], os.environ, in_the_way(os.environ)),
        last=last,
        waiting=sorted(pull.number for pull in waiting),
        config=_near(ready.config),
        repository=_near(ready.repository),
        options=options,
    )
    _show_next(session, steps)


def _show_pull(session: Session, pulls: Path, number: int) -> None:
    from bot.start.diff import diff_lines

    colour = session.out.isatty() and not session.env.get("NO_COLOR")
    patch = (pulls / f"{number}.patch").read_bytes()
    session.line()
    for line in diff_lines(patch, colour=colour):
        session.verbatim(line)
    session.line()
    session.line(f"What the pull request says: {_near(pulls / f'{number}.md')}")


def _show_next(session: Session, steps: Sequence["Step"]) -> None:
    width = max(len(step.command) for step in steps)
    session.line("Go on with:")
    for step in steps:
        session.line(f"  {step.command:<{width}}  # {step.what}")


def _near(path: Path) -> str:
    """Return a path as short as it can be typed from here."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
