"""`bot cycle`: one cycle now, by hand."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.screen import one_line
from bot.cli.session import Config, Json, Repo, Session, session_of
from bot.errors import ConfigError

if TYPE_CHECKING:
    from bot.app import App
    from bot.cycle.draft import Watcher
    from bot.cycle.rooms import Rooms
    from bot.domain.record import CycleRecord


def add_to(cli: typer.Typer) -> None:
    """Add the command."""
    cli.command("cycle")(cycle)


def cycle(
    context: typer.Context,
    gap: Annotated[
        str | None,
        typer.Option("--gap", metavar="ID", help="This gap, whatever its cooldown."),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Stop before the pull request; the next cycle opens it."
        ),
    ] = False,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Show what would be done; pay and run nothing."),
    ] = False,
    prd: Annotated[
        Path | None,
        typer.Option(
            "--prd",
            metavar="FILE",
            help="Read gaps from this file; with --dry-run or --plan only.",
        ),
    ] = None,
    repo: Repo = None,
    config: Config = None,
    as_json: Json = False,
) -> int:
    """Work through one cycle now and print how it ended.

    Exit status: 0 done or rightly skipped, 1 failed, 2 a person must act.
    """
    session = session_of(context).with_options(config, as_json=as_json)
    if prd and not (dry_run or plan):
        raise ConfigError(
            "--prd reads gaps that nobody has committed, so it needs --dry-run or --plan"
        )
    from bot.cycle.rooms import Options

    options = Options(gap=gap, dry_run=dry_run, prd=prd)
    with session.app() as app, session.signals():
        rooms = app.rooms(app.one_repo(repo), options, _watcher(session, app))
        if plan:
            return _plan(session, rooms)
        return _cycle(session, rooms)


class _Progress:
    """Shows on the terminal what is under way."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def step(self, name: str, detail: str) -> None:
        if detail:
            self._session.say(f"  {name:<13} {one_line(detail, 160)}")

    def ended(self, record: "CycleRecord") -> None:
        """Say nothing: the command prints how it ended."""

    def warn(self, event: str, detail: str) -> None:
        self._session.say(f"warning: {event}: {one_line(detail)}")


def _watcher(session: Session, app: "App") -> "Watcher":
    """Return progress for people, or log lines for a program that reads JSON."""
    if not session.json or session.err.isatty():
        return _Progress(session)
    from bot.observe.watch import LogWatcher

    return LogWatcher(app.redactor, session.err)


def _plan(session: Session, rooms: "Rooms") -> int:
    from bot.cycle.preview import preview
    from bot.cycle.tick import draft_of
    from bot.domain.outcome import exit_code

    seen = preview(rooms, draft_of(rooms, "manual", None))
    ending, task = seen.ending, seen.task
    if session.json:
        session.answer(
            {
                "schema_version": 1,
                "repo": rooms.repo.name,
                "outcome": ending and ending.outcome,
                "reason": ending and ending.reason,
                "gap": task and task.gap.model_dump(mode="json"),
                "base_sha": task and task.base_sha,
                "branch": seen.branch,
                "recipe": seen.recipe and seen.recipe.run,
                "checks": list(seen.checks),
                "models": list(seen.models),
                "files": list(seen.files),
                "prompt": [{"role": m.role, "text": m.text} for m in seen.messages],
                "worst_case_usd": float(seen.worst_usd),
            }
        )
    elif task:
        gap = task.gap
        session.line(f"gap:     {gap.id}  {one_line(gap.title, 100)}")
        session.line(f"at:      {gap.path}:{gap.line_number} of {task.base_sha[:12]}")
        if seen.models:
            session.line(f"models:  {', '.join(seen.models)}")
            session.line(f"sees:    {', '.join(seen.files) or 'no file whole'}")
        else:
            session.line(f"recipe:  {seen.recipe.run if seen.recipe else 'none'}")
        session.line(f"checks:  {'; '.join(seen.checks) or 'none'}")
        session.line(f"branch:  {seen.branch}")
        cost = f"at most ${seen.worst_usd:f} a call" if seen.models else "nothing"
        session.line(f"cost:    {cost}")
    if ending and not session.json:
        session.line(f"{ending.outcome}: {ending.reason}")
    return exit_code(ending.outcome) if ending else 0


def _cycle(session: Session, rooms: "Rooms") -> int:
    from bot.cycle.tick import run_tick
    from bot.domain.outcome import exit_code

    record = run_tick(rooms, "manual")
    if session.json:
        session.record(record)
        return exit_code(record.outcome)
    session.line(f"{record.outcome}: {record.reason}")
    if record.gap:
        session.line(f"gap:     {record.gap.id}  {one_line(record.gap.title, 100)}")
    if record.pr_url:
        session.line(f"pull:    {record.pr_url}")
    session.line(f"record:  {rooms.records.path_of(record.repo, record.cycle_id)}")
    return exit_code(record.outcome)
