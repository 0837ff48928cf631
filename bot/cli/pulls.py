"""`bot pulls`: the local forge."""

from typing import Annotated, Any

import typer

from bot.cli.session import Config, Json, Repo, session_of
from bot.errors import ConfigError


def add_to(cli: typer.Typer) -> None:
    """Add the commands."""
    noun = typer.Typer(
        help="List, merge and close the pull requests of the local forge.",
        no_args_is_help=True,
    )
    noun.command("list")(list_)
    noun.command("merge")(merge)
    noun.command("close")(close)
    cli.add_typer(noun, name="pulls")


Number = Annotated[int, typer.Argument(metavar="N", min=1, help="Its number.")]


def list_(
    context: typer.Context,
    all_: Annotated[
        bool, typer.Option("--all", help="Those that have ended as well.")
    ] = False,
    repo: Repo = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """List the pull requests; their files are the truth."""
    session = session_of(context).with_options(config, as_json=as_json)
    from bot.domain.pull import PullState

    with session.app() as app:
        app.reindex_if_due()
        state = None if all_ else PullState.OPEN
        found = [
            (one.name, pull)
            for one in app.repos(repo)
            for pull in app.rooms(one).forge().listing(state)
        ]
    if session.json:
        session.listing("pulls", [_entry(name, pull) for name, pull in found])
        return
    session.table(
        ("N", "REPO", "STATE", "GAP", "BRANCH", "TITLE"),
        [
            (str(p.number), name, p.state, p.gap_id, p.branch, p.title)
            for name, p in found
        ],
    )
    if not found:
        session.line("no pull request" if all_ else "no open pull request")


def merge(
    context: typer.Context,
    number: Number,
    repo: Repo = None,
    config: Config = None,
    as_json: Json = False,
) -> int:
    """Merge a pull request: its edits and its tick, as one commit.

    Where the base is checked out, prints the git command to use there instead.
    """
    session = session_of(context).with_options(config, as_json=as_json)
    from bot.cycle.merge import merge_pull

    with session.app() as app:
        merged = merge_pull(app.rooms(app.one_repo(repo)), number)
    if session.json:
        session.answer(
            {
                "schema_version": 1,
                "number": number,
                "merged": merged.sha is not None,
                "sha": merged.sha,
                "command": merged.command,
                "reason": merged.reason,
            }
        )
    else:
        session.line(merged.reason)
        if merged.command:
            session.line(f"  {merged.command}")
    return 0 if merged.sha else 1


def close(
    context: typer.Context,
    number: Number,
    comment: Annotated[
        str, typer.Option("--comment", metavar="TEXT", help="Why.")
    ] = "closed by hand",
    repo: Repo = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Close a pull request and count its gap as rejected.

    The gap stays rejected until its title (its [id:] where it has one) changes, or
    until you ask for it with `bot cycle --gap`.
    """
    session = session_of(context).with_options(config, as_json=as_json)
    from bot.cycle.merge import close_pull

    with session.app() as app:
        one = app.one_repo(repo)
        forge = app.rooms(one).forge()
        if all(known.number != number for known in forge.listing()):
            raise ConfigError(
                f"repository {one.name!r} has no pull request {number}; "
                "`bot pulls list --all` shows those there are"
            )
        pull = close_pull(app.rooms(one), number, comment)
    if session.json:
        session.answer({"schema_version": 1, **_entry(one.name, pull)})
        return
    session.line(f"pull request {pull.number} is {pull.state.replace('_', ' ')}")


def _entry(repo: str, pull: Any) -> dict[str, Any]:
    from bot.domain.record import rfc3339

    return {
        "repo": repo,
        "number": pull.number,
        "state": pull.state,
        "gap_id": pull.gap_id,
        "cycle_id": pull.cycle_id,
        "title": pull.title,
        "branch": pull.branch,
        "head_sha": pull.head_sha,
        "base": pull.base,
        "base_sha": pull.base_sha,
        "url": pull.url,
        "created_at": rfc3339(pull.created_at),
        "ended_at": rfc3339(pull.ended_at) if pull.ended_at else None,
        "labels": list(pull.labels),
        "draft": pull.draft,
    }
