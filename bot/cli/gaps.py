"""`bot gaps` and `bot why`: what could be worked on, and why not."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.screen import one_line
from bot.cli.session import Config, Json, Repo, Session, session_of
from bot.errors import ConfigError

if TYPE_CHECKING:
    from bot.domain.gap import GapStatus
    from bot.report.gaps import GapList

_MISCONFIGURED = 2


def add_to(cli: typer.Typer) -> None:
    """Add the commands."""
    cli.command("gaps")(gaps)
    cli.command("why")(why)


def gaps(
    context: typer.Context,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Fetch the base first.")
    ] = False,
    repo: Repo = None,
    config: Config = None,
    as_json: Json = False,
) -> int:
    """List the gaps of the base, with what may be done with each.

    The base is taken as last fetched; where it never was, it is fetched now.
    """
    session = session_of(context).with_options(config, as_json=as_json)
    from bot.report.gaps import list_gaps

    with session.app() as app:
        lists = [list_gaps(app.rooms(one), fetch=fetch) for one in app.repos(repo)]
    if session.json:
        entries = [_entry(one.repo, s) for one in lists for s in one.statuses]
        session.listing("gaps", entries)
    else:
        for one in lists:
            _print(session, one, with_name=len(lists) > 1)
    for one in lists:
        if one.fault:
            session.say(f"bot: repository {one.repo!r}: {one.fault}")
    return _MISCONFIGURED if any(one.fault for one in lists) else 0


def why(
    context: typer.Context,
    gap: Annotated[str, typer.Argument(metavar="GAP", help="Id of the gap.")],
    repo: Repo = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Say what may be done with a gap, why, and what was tried."""
    session = session_of(context).with_options(config, as_json=as_json)
    from bot.report.gaps import explain

    with session.app() as app:
        found = [
            answer
            for one in app.repos(repo)
            if (answer := explain(app.rooms(one), gap)) is not None
        ]
    if not found:
        raise ConfigError(
            f"no gap has the id {gap!r}; `bot gaps` lists those there are"
        )
    if session.json:
        entries = [
            {**_entry(a.repo, a.status), "cycles": [c.cycle_id for c in a.cycles]}
            for a in found
        ]
        session.listing("gaps", entries)
        return
    for answer in found:
        status = answer.status
        place = f"{status.gap.path}:{status.gap.line_number}"
        session.line(f"{status.gap.id} ({answer.repo}, {place})")
        session.line(f"  {one_line(status.gap.title)}")
        session.line(f"  {status.state}: {one_line(status.why)}")
        for row in answer.cycles:
            session.line(
                f"  {row.cycle_id}  {row.outcome}: {one_line(row.reason, 120)}"
            )


def _print(session: Session, one: "GapList", *, with_name: bool) -> None:
    if with_name:
        session.line(f"{one.repo}:")
    session.table(
        ("GAP", "PRIO", "STATE", "WHERE", "TITLE"),
        [
            (
                status.gap.id,
                status.gap.priority,
                status.state,
                f"{status.gap.path}:{status.gap.line_number}",
                status.gap.title,
            )
            for status in one.statuses
        ],
    )
    for status in one.statuses:
        if status.state in {"faulty", "needs_human", "needs_info", "cooling"}:
            session.line(f"{status.gap.id}: {one_line(status.why)}")
    if not one.statuses and not one.fault:
        session.line(one.note)


def _entry(repo: str, status: "GapStatus") -> dict[str, Any]:
    gap = status.gap.model_dump(mode="json")
    return {"repo": repo, **gap, "state": status.state, "why": status.why}
