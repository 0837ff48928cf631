"""`bot history` and `bot show`: what cycles did."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.screen import one_line
from bot.cli.session import Config, Json, Repo, Session, session_of
from bot.errors import ConfigError

if TYPE_CHECKING:
    from bot.domain.record import CycleRecord
    from bot.store.rows import CycleRow

_SHOWN = 20


def add_to(cli: typer.Typer) -> None:
    """Add the commands."""
    cli.command("history")(history)
    cli.command("show")(show)


def history(
    context: typer.Context,
    limit: Annotated[
        int, typer.Option("--limit", min=1, metavar="N", help="Most cycles.")
    ] = _SHOWN,
    outcome: Annotated[
        str | None,
        typer.Option("--outcome", metavar="NAME", help="Only cycles that ended so."),
    ] = None,
    gap: Annotated[
        str | None,
        typer.Option("--gap", metavar="ID", help="Only cycles on this gap."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Only cycles since (RFC 3339)."),
    ] = None,
    repo: Repo = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """List past cycles, newest first."""
    session = session_of(context).with_options(config, as_json=as_json)
    from bot.domain.record import rfc3339

    wanted = _outcome(outcome)
    moment = _moment(since)
    with session.app() as app:
        name = app.settings.repo_named(repo).name if repo else None
        app.reindex_if_due()
        rows = app.index.cycles(
            name, limit=limit, outcome=wanted, gap_id=gap, since=moment
        )
    if session.json:
        session.listing("cycles", [_entry(row) for row in rows])
        return
    session.table(
        ("CYCLE", "REPO", "OUTCOME", "GAP", "REASON"),
        [
            (row.cycle_id, row.repo, row.outcome, row.gap_id or "", row.reason)
            for row in rows
        ],
    )
    if not rows:
        session.line("no cycle yet" if not (outcome or gap or since) else "none")
    elif len(rows) == limit:
        session.line(
            f"the newest {limit}, the oldest of them {rfc3339(rows[-1].ended_at)}"
        )


def show(
    context: typer.Context,
    cycle_id: Annotated[str, typer.Argument(metavar="CYCLE", help="Id of the cycle.")],
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Show one cycle, step by step."""
    session = session_of(context).with_options(config, as_json=as_json)
    with session.app() as app:
        record = app.records.find(cycle_id)
        if record is None:
            raise ConfigError(
                f"there is no cycle {cycle_id!r}; `bot history` lists those there are"
            )
        path = app.records.path_of(record.repo, record.cycle_id)
    if session.json:
        session.record(record)
        return
    _timeline(session, record)
    session.line(f"record:   {path}")


def _timeline(session: Session, record: "CycleRecord") -> None:
    from bot.domain.record import rfc3339

    session.line(f"{record.cycle_id}  {record.repo}  {record.trigger}")
    session.line(f"{record.outcome}: {record.reason}")
    session.line()
    for step in record.steps:
        session.line(
            f"  {rfc3339(step.started_at)}  {step.name:<13} {step.duration_ms:>7} ms  "
            f"{one_line(step.detail)}"
        )
    session.line()
    for name, value in _facts(record):
        if value:
            session.line(f"{name + ':':<9} {one_line(str(value))}")
    if record.tests_output:
        session.line()
        session.block(record.tests_output)


def _facts(record: "CycleRecord") -> tuple[tuple[str, Any], ...]:
    gap, proposal = record.gap, record.proposal
    return (
        ("gap", gap and f"{gap.id} ({gap.path}:{gap.line_number}) {gap.title}"),
        ("summary", proposal and f"{proposal.summary} [{proposal.model_used}]"),
        ("added", ", ".join(record.files_added)),
        ("updated", ", ".join(record.files_updated)),
        ("deleted", ", ".join(record.files_deleted)),
        ("as it was", ", ".join(record.files_noop)),
        ("base", record.base_sha),
        ("commit", record.commit_sha),
        ("branch", record.branch),
        ("pull", record.pr_url),
        (
            "cost",
            record.cloud_calls and f"${record.cost_usd} in {record.cloud_calls} calls",
        ),
        ("sandbox", record.sandbox),
    )


def _entry(row: "CycleRow") -> dict[str, Any]:
    from bot.domain.record import rfc3339

    return {
        "cycle_id": row.cycle_id,
        "repo": row.repo,
        "trigger": row.trigger,
        "slot": row.slot,
        "started_at": rfc3339(row.started_at),
        "ended_at": rfc3339(row.ended_at),
        "duration_ms": row.duration_ms,
        "outcome": row.outcome,
        "reason": row.reason,
        "gap_id": row.gap_id,
        "gap_title": row.gap_title,
        "summary": row.summary,
        "model_used": row.model_used,
        "cost_usd": float(row.cost_usd),
        "branch": row.branch,
        "commit_sha": row.commit_sha,
        "pr_number": row.pr_number,
        "pr_url": row.pr_url,
    }


def _outcome(name: str | None) -> Any:
    from difflib import get_close_matches

    from bot.domain.outcome import Outcome

    if name is None:
        return None
    try:
        return Outcome(name)
    except ValueError:
        near = get_close_matches(name, list(Outcome), n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(Outcome)}"
        raise ConfigError(f"no cycle ends as {name!r}; {hint}") from None


def _moment(text: str | None) -> datetime | None:
    from bot.cycle.pause import parse_until

    if text is None:
        return None
    moment = parse_until(text)
    if moment is None:
        raise ConfigError(f"--since {text!r} is no moment: write it as 2026-12-01")
    return moment
