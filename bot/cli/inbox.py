"""`bot inbox`: everything that waits for a person."""

import dataclasses

import typer

from bot.cli.screen import one_line
from bot.cli.session import Config, Json, Repo, session_of


def add_to(cli: typer.Typer) -> None:
    """Add the command."""
    cli.command("inbox")(inbox)


def inbox(
    context: typer.Context,
    repo: Repo = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """List what waits for you, each with the command that answers it."""
    session = session_of(context).with_options(config, as_json=as_json)
    from bot.report.inbox import inbox_of

    with session.app() as app:
        app.reindex_if_due()
        waiting = [item for one in app.repos(repo) for item in inbox_of(app.rooms(one))]
    if session.json:
        session.listing("items", [dataclasses.asdict(item) for item in waiting])
        return
    for item in waiting:
        session.line(f"{item.kind}  {item.repo}  {item.about}")
        session.line(f"  why:    {one_line(item.why)}")
        session.line(f"  answer: {item.answer}")
    if not waiting:
        session.line("nothing waits for you")
