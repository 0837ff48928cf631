"""`bot reindex`: the index anew from the JSON files alone."""

import typer

from bot.cli.session import Config, Json, session_of


def add_to(cli: typer.Typer) -> None:
    """Add the command."""
    cli.command("reindex")(reindex)


def reindex(
    context: typer.Context, config: Config = None, as_json: Json = False
) -> int:
    """Rebuild the index from the JSON files; they are the truth."""
    session = session_of(context).with_options(config, as_json=as_json)
    with session.app() as app:
        counts = app.reindex()
    unreadable = [str(path) for path in counts.unreadable]
    if session.json:
        session.answer(
            {
                "schema_version": 1,
                "cycles": counts.cycles,
                "pulls": counts.pulls,
                "spend": counts.spend,
                "unreadable": unreadable,
            }
        )
        return 1 if unreadable else 0
    session.line(
        f"{counts.cycles} cycles, {counts.pulls} pull requests and {counts.spend} "
        "pieces of spending indexed"
    )
    for path in unreadable:
        session.line(f"can't be read, left as it is: {path}")
    return 1 if unreadable else 0
