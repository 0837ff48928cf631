"""The text of a new config, each guess with a word on where it comes from."""

from collections.abc import Iterator, Sequence

from bot.start.guess import Command, Documents, Guess
from bot.start.source import Source
from bot.start.toml import array, comment, inline, quoted
from bot.start.toolbox import Toolbox

_RECIPE = """\
# What closes gaps: a command that changes files, run in the sandbox without network.
# A gap chooses one with [recipe:NAME]; the only one there is needs no choosing. Take
# the first "#" of each line away and change it: without a recipe no gap can be closed.
#[[repo.recipe]]
#name = "spelling"
#run = "sed -i 's/recieve/receive/g' README.md"
#summary = "Spell receive right"
"""
_CHECK = """\
# No test command was recognised, and one is needed: without a check nothing can be
# called green, so no cycle runs. Take the first "#" of each line away and change it.
#[[repo.check]]
#run = "make test"
"""
_FORGE = """\
# "local": branches stay in that repository, pull requests are files under data_dir.
forge = "local"
"""


def head(path: str, data_dir: str, *, is_usual: bool, toolbox: Toolbox) -> str:
    """Return what stands before the repositories.

    Args:
        path: The repository.
        data_dir: The folder of the bot's data, relative to the config's folder.
        is_usual: Whether the bot would take that folder without being told.
        toolbox: What the sandbox has to be shown.
    """
    lines = [
        comment(f"Written by `bot init` for {path}."),
        "# All of it was guessed from the files there, so look it through. `bot config check`",
        "# reads this file as the bot does; `bot config schema` names every key there is.",
        "",
        "# Where the bot keeps its clone, its records and the pull requests.",
        f"{'#' if is_usual else ''}data_dir = {quoted(data_dir)}",
        "",
        *_sandbox(toolbox),
    ]
    return "\n".join(lines) + "\n"


def block(
    name: str, source: Source, documents: Documents, guesses: Sequence[Guess]
) -> str:
    """Return the `[[repo]]` of a repository."""
    parts = [
        "\n".join(_repo(name, source, documents)) + "\n" + _FORGE,
        _RECIPE,
        *("\n".join(_setup(guess.setup)) for guess in guesses if guess.setup),
        *("\n".join(_check(guess.check)) for guess in guesses),
    ]
    return "\n".join(parts if guesses else [*parts, _CHECK])


def tools_comment(toolbox: Toolbox) -> str:
    """Return what a config that stands already may lack, as comments."""
    lines = _missing(toolbox)
    for folder, programs in toolbox.folders.items():
        names = ", ".join(programs)
        lines.append(comment(f"[sandbox] tools has to name {folder}, for {names}."))
    return "".join(f"{line}\n" for line in lines)


def _sandbox(toolbox: Toolbox) -> Iterator[str]:
    missing = _missing(toolbox)
    if not toolbox.folders and not missing:
        return
    yield "[sandbox]"
    yield from missing
    if toolbox.folders:
        programs = ", ".join(sum(toolbox.folders.values(), ()))
        yield comment(f"Read-only folders outside /usr that hold {programs}.")
        yield f"tools = {array(toolbox.folders)}"
    yield ""


def _missing(toolbox: Toolbox) -> list[str]:
    return [
        comment(
            f"{name} was not found here: install it under /usr, or name its folder in tools."
        )
        for name in toolbox.missing
    ]


def _repo(name: str, source: Source, documents: Documents) -> Iterator[str]:
    yield "[[repo]]"
    yield f"name = {quoted(name)}"
    yield f"path = {quoted(source.path)}"
    yield comment(f"Branch that the bot works from and for: {source.base.why}")
    yield f"base = {quoted(source.base.name)}"
    yield comment(f"Files that gaps are read from. {documents.why}.")
    yield f"prd = {array(documents.prd)}"


def _setup(command: Command) -> Iterator[str]:
    yield comment(f"Guessed {command.why}. Runs with network, on the base alone.")
    yield "[[repo.setup]]"
    yield f"run = {quoted(command.run)}"
    if command.key:
        yield f"key = {array(command.key)}"
    if command.env:
        yield f"env = {inline(command.env)}"
    yield ""


def _check(command: Command) -> Iterator[str]:
    yield comment(f"Guessed {command.why}. Runs without network.")
    yield "[[repo.check]]"
    yield f"run = {quoted(command.run)}"
    yield ""
