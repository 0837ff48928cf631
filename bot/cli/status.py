"""`bot status`: how things stand."""

from typing import TYPE_CHECKING, Any

import typer

from bot.cli.screen import one_line
from bot.cli.session import Config, Json, Repo, Session, session_of

if TYPE_CHECKING:
    from bot.app import App
    from bot.report.status import RepoStatus

_MISCONFIGURED = 2


def add_to(cli: typer.Typer) -> None:
    """Add the command."""
    cli.command("status")(status)


def status(
    context: typer.Context,
    repo: Repo = None,
    config: Config = None,
    as_json: Json = False,
) -> int:
    """Say what each repository is doing, could do and did last."""
    session = session_of(context).with_options(config, as_json=as_json)
    from bot.report.status import status_of

    with session.app() as app:
        app.reindex_if_due()
        found = [status_of(app.rooms(one)) for one in app.repos(repo)]
        if session.json:
            session.listing("repos", [_entry(one) for one in found])
        else:
            for one in found:
                _print(session, app, one)
    for one in found:
        if one.fault:
            session.say(f"bot: repository {one.repo!r}: {one.fault}")
    return _MISCONFIGURED if any(one.fault for one in found) else 0


def _print(session: Session, app: "App", one: "RepoStatus") -> None:
    from bot.domain.record import rfc3339
    from bot.report.status import ran_for

    session.line(one.repo)
    if one.running:
        took = ran_for(one.running, app.clock())
        session.line(
            f"  running  {one.running.stage} of {one.running.cycle_id}, {took}"
        )
    session.line(f"  state    {one.pause or ('at work' if one.running else 'idle')}")
    gaps = ", ".join(f"{count} {state}" for state, count in one.states.items())
    session.line(f"  gaps     {gaps or 'none'}")
    session.line(f"  pulls    {one.open_pulls} open, {one.waiting} not yet published")
    for row in one.last:
        session.line(
            f"  {rfc3339(row.ended_at)}  {row.outcome:<20} {one_line(row.reason, 100)}"
        )


def _entry(one: "RepoStatus") -> dict[str, Any]:
    from bot.domain.record import rfc3339

    running = one.running
    return {
        "repo": one.repo,
        "paused": str(one.pause) if one.pause else None,
        "running": running
        and {
            "cycle_id": running.cycle_id,
            "step": running.stage,
            "started_at": rfc3339(running.started_at),
        },
        "base_sha": one.base_sha,
        "gaps": {state.value: count for state, count in one.states.items()},
        "open_pulls": one.open_pulls,
        "unpublished": one.waiting,
        "last": [
            {"cycle_id": row.cycle_id, "outcome": row.outcome, "reason": row.reason}
            for row in one.last
        ],
        "fault": one.fault,
    }
