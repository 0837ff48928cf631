"""The folder of `bot demo`: a config, the sample repository and the bot's data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.errors import ConfigError
from bot.start.interpreter import interpreter_folder
from bot.start.sample_repository import BRANCH, make_repository
from bot.start.toml import array, quoted
from bot.store.files import usable, write_atomic
from bot.workspace.gitconfig import GitEnv

USUAL = Path("data/demo")
NAME = "teatime"

_CONFIG = "bot.toml"
_REPOSITORY = "repository.git"
_VARIABLES = "BOT_"
_MARK = "# Made by `bot demo`."

_HEAD = f"""\
{_MARK} Play with it as you like: it is never written again,
# and the folder it stands in can be deleted at any time.

"""
_TOOLS = """\
# There is no python3 under /usr here, so the sandbox is shown the bot's own.
[sandbox]
tools = {tools}

"""
_BODY = f"""\
# Room for all that the sample has to offer in one day.
[limits]
max_open_prs = 5
prs_per_day = 20

[[repo]]
name = {quoted(NAME)}
path = {quoted(_REPOSITORY)}
base = {quoted(BRANCH)}
prd = ["PRD.md"]

# The gaps of PRD.md name these with [recipe:NAME]. They are scripts of the sample.
[[repo.recipe]]
name = "f-strings"
run = "python3 recipes/f_strings.py teatime/labels.py"
rationale = "What is printed stands where it is printed."

[[repo.recipe]]
name = "plain-asserts"
run = "python3 recipes/plain_asserts.py tests/test_*.py"
rationale = "A failing test then shows both values."

[[repo.recipe]]
name = "sort-imports"
run = "python3 recipes/sort_imports.py teatime/shelf.py"
rationale = "One order of imports keeps changes small."

[[repo.recipe]]
name = "plain-types"
run = "python3 recipes/plain_types.py teatime/shelf.py"
rationale = "The built-in types say the same without an import."

[[repo.check]]
run = "python3 -m unittest"
timeout = "1m"

[repo.policy]
max_open_prs = 5
prs_per_day = 20
"""


@dataclass(frozen=True, slots=True)
class Demo:
    """A demo that is ready to run a cycle.

    Attributes:
        config: Its config.
        repository: The sample repository, bare.
        is_new: Whether the repository was made just now.
    """

    config: Path
    repository: Path
    is_new: bool


def prepare(folder: Path, environ: Mapping[str, str]) -> Demo:
    """Make in a folder what a demo lacks there, and change nothing else.

    Args:
        folder: Absolute; created when it is missing.
        environ: The environment that git's configuration is found by.

    Raises:
        ConfigError: The folder holds something else.
        DataFolderUnusable: It can't be written.
    """
    config, repository = folder / _CONFIG, folder / _REPOSITORY
    with usable(folder):
        _refuse_others(folder, config)
        if not config.exists():
            write_atomic(config, config_text(_tools()).encode())
    is_new = not repository.exists()
    if is_new:
        make_repository(repository, GitEnv.make(folder / "data", environ))
    return Demo(config, repository, is_new)


def own_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the bot's variables: a demo is its folder alone."""
    return {k: v for k, v in environ.items() if not k.startswith(_VARIABLES)}


def in_the_way(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the variables that would take a later command away from the demo."""
    return tuple(
        sorted(k for k in environ if k.startswith(_VARIABLES) and k != "BOT_CONFIG")
    )


def config_text(tools: Sequence[Path]) -> str:
    """Return the demo's config."""
    shown = _TOOLS.format(tools=array(map(str, tools))) if tools else ""
    return _HEAD + shown + _BODY


def _tools() -> Sequence[Path]:
    folder = interpreter_folder()
    return (folder,) if folder else ()


def _refuse_others(folder: Path, config: Path) -> None:
    advice = "choose another with --dir"
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file, so the demo can't use it; {advice}")
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    if not config.is_file():
        raise ConfigError(
            f"{folder} holds something else than a demo (there is no {config.name} in "
            f"it), so it is left alone; {advice}"
        )
    if not config.read_bytes().startswith(_MARK.encode()):
        raise ConfigError(
            f"{config} was not made by `bot demo`, so {folder} is left alone; {advice}"
        )
