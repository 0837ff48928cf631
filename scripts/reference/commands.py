"""The page of commands, from the command line itself."""

from collections.abc import Iterator

import typer
from typer.core import TyperCommand, TyperGroup

from bot.cli.main import cli
from bot.domain.outcome import Outcome, exit_code

_INTRODUCTION = """\
# Command reference

Made from the command line itself; `bot COMMAND --help` says the same. `--config` and
`--json` may stand before or behind the command.

What a person asked for goes to standard output, everything else to standard error. With
`--json`, standard output is JSON alone; a list is `{"schema_version": 1, "<noun>": […]}`
with the shapes in [`docs/schema/`](../schema/).

Without `--repo` a command speaks of every repository of the config. Those that work on
one (`cycle`, `check`, `pulls merge`, `pulls close`) need `--repo` where there are several.
"""
_STATUSES = """\
## Exit statuses

| Status | Meaning |
|---|---|
| 0 | done, or rightly nothing to do: {done} |
| 1 | the cycle failed ({failed}), or a check found a fault |
| 2 | wrong usage or a wrong config, or `misconfigured`; a person must act |
| 3 | the data folder can't be written, so nothing was done |
| 130 | interrupted by a signal |
"""


def page() -> str:
    """Return the page."""
    parts = [_INTRODUCTION, _statuses()]
    parts += ["\n".join(_section(command, name)) for name, command in walk()]
    return "\n".join(parts)


def walk(
    group: TyperGroup | None = None, prefix: str = "bot"
) -> Iterator[tuple[str, TyperCommand]]:
    """Yield every command that does something, with its whole name."""
    for name, command in (group or _root()).commands.items():
        if isinstance(command, TyperGroup):
            yield from walk(command, f"{prefix} {name}")
        elif isinstance(command, TyperCommand) and not command.hidden:
            yield f"{prefix} {name}", command


def _root() -> TyperGroup:
    root = typer.main.get_command(cli)
    if not isinstance(root, TyperGroup):
        raise TypeError("the command line has no commands")
    return root


def _section(command: TyperCommand, name: str) -> Iterator[str]:
    context = typer.Context(command, info_name=name)
    usage = command.get_usage(context).removeprefix("Usage: ")
    yield f"## `{name}`\n"
    yield f"{command.help}\n"
    yield f"    {' '.join(usage.split())}\n"
    yield "| Argument or option | Meaning |"
    yield "|---|---|"
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if record:
            left, right = (cell.replace("|", "\\|") for cell in record)
            yield f"| `{left}` | {' '.join(right.split())} |"
    yield ""


def _statuses() -> str:
    def named(code: int) -> str:
        found = (f"`{o}`" for o in Outcome if exit_code(o) == code)
        return ", ".join(found)

    return _STATUSES.format(done=named(0), failed=named(1))
