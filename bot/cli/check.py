"""`bot check`: set-up and checks on the base, in the real sandbox."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.session import Config, Json, Repo, Session, session_of

if TYPE_CHECKING:
    from bot.checks.run import CheckResult


def add_to(cli: typer.Typer) -> None:
    """Add the command."""
    cli.command("check")(check)


def check(
    context: typer.Context,
    shell: Annotated[
        bool, typer.Option("--shell", help="A shell where the checks would run.")
    ] = False,
    repo: Repo = None,
    config: Config = None,
    as_json: Json = False,
) -> int:
    """Run set-up and checks on the base, as a cycle would.

    They run in the sandbox; no gap is worked on, and no record is left.
    """
    session = session_of(context).with_options(config, as_json=as_json)
    from bot.cycle.check_base import check_base, open_shell

    with session.app() as app, session.signals():
        rooms = app.rooms(app.one_repo(repo))
        if shell:
            return open_shell(rooms)
        looked = check_base(rooms, session.say, _stream(session))
    if session.json:
        session.listing("checks", [_entry(looked.repo, r) for r in looked.results])
    else:
        session.line(f"base     {looked.base_sha[:12]} of {looked.repo}")
        session.line(f"sandbox  {looked.sandbox}")
        for result in looked.results:
            session.line(f"{'ok' if result.green else 'fail':<8} {_said(result)}")
        if looked.fault:
            session.line(f"fail     {looked.fault}")
    is_green = not looked.fault and all(r.green for r in looked.results)
    return 0 if is_green else 1


def _stream(session: Session) -> Any:
    if session.json:
        return None

    def show(chunk: str) -> None:
        session.err.write(chunk)
        session.err.flush()

    return show


def _said(result: "CheckResult") -> str:
    return f"`{result.check.run}`: {result.detail}, {result.finished.duration_ms} ms"


def _entry(repo: str, result: "CheckResult") -> dict[str, Any]:
    return {
        "repo": repo,
        "run": result.check.run,
        "green": result.green,
        "detail": result.detail,
        "exit_code": result.finished.exit_code,
        "duration_ms": result.finished.duration_ms,
        "output": result.finished.output,
    }
