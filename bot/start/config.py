"""Writes a config for a repository, or says what to add to the one that stands."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.errors import ConfigError
from bot.settings import RepoSettings
from bot.settings.load import load_settings
from bot.start import compose
from bot.start.guess import Documents, Files, Guess, guess_documents
from bot.start.names import name_for
from bot.start.others import guess_go, guess_make, guess_node, guess_rust
from bot.start.python import guess_python
from bot.start.source import Source, open_source
from bot.start.toolbox import Toolbox, find_toolbox

_USUAL = ("config", "bot.toml")
_KINDS = (guess_python, guess_node, guess_rust, guess_go)


@dataclass(frozen=True, slots=True)
class Written:
    """What came of it.

    Attributes:
        config: The config: written now, or the one that stands.
        is_new: Whether it was written now.
        name: The repository's name in it.
        block: The `[[repo]]` that was written or is to be added; None where the config
            has this repository already.
        source: The repository.
        documents: Its requirements documents.
        guesses: How it is set up and checked.
        others: How many other repositories the config has.
    """

    config: Path
    is_new: bool
    name: str
    block: str | None
    source: Source
    documents: Documents
    guesses: tuple[Guess, ...]
    others: int


def initialise(
    path: str, cwd: Path, environ: Mapping[str, str], config: Path | None = None
) -> Written:
    """Write a config for the repository at `path`; one that stands is left as it is.

    Args:
        path: A folder in or of the repository, or a URL.
        cwd: Absolute; where `config/bot.toml` is written.
        environ: The environment.
        config: The config to write or add to, instead.

    Raises:
        ConfigError: There is no repository that the bot can work on, or no config can
            be written.
    """
    target = _target(cwd, environ, config)
    with open_source(path, cwd, environ) as source:
        documents = guess_documents(source.files)
        guesses = _guesses(source.files)
    toolbox = find_toolbox((p for guess in guesses for p in guess.programs), environ)
    standing = _standing(target, environ, cwd)
    known = next((repo for repo in standing if repo.path == source.path), None)
    name = known.name if known else name_for(source.path, {r.name for r in standing})
    block = compose.block(name, source, documents, guesses)
    text = _head(target, name, source.path, toolbox) + block
    _prove(text, environ)
    is_new = not os.path.lexists(target)
    if is_new:
        _create(target, text)
    added = (
        None if known else block if is_new else compose.tools_comment(toolbox) + block
    )
    others = len(standing) - (known is not None)
    return Written(target, is_new, name, added, source, documents, guesses, others)


def _target(cwd: Path, environ: Mapping[str, str], config: Path | None) -> Path:
    """Return the config that the other commands would find from here."""
    if config or environ.get("BOT_CONFIG"):
        return cwd / (config or environ["BOT_CONFIG"])
    usual, beside = cwd.joinpath(*_USUAL), cwd / "bot.toml"
    is_beside = os.path.lexists(beside) and not os.path.lexists(usual)
    return beside if is_beside else usual


def _guesses(files: Files) -> tuple[Guess, ...]:
    found = tuple(guess for kind in _KINDS if (guess := kind(files)))
    if found:
        return found
    make = guess_make(files)
    return (make,) if make else ()


def _standing(
    target: Path, environ: Mapping[str, str], cwd: Path
) -> tuple[RepoSettings, ...]:
    """Return the repositories of the config that stands, as far as it can be read."""
    if not target.is_file():
        return ()
    try:
        return load_settings(target, environ, cwd).settings.repo
    except ConfigError:
        return ()


def _head(target: Path, name: str, path: str, toolbox: Toolbox) -> str:
    """Return the head, with a data folder that the repository does not lie in."""
    start = "../" if target.parts[-2:] == _USUAL else ""
    usual = f"{start}data"
    data_dir = Path(os.path.realpath(target.parent / usual))
    is_free = Path(path) != data_dir and not Path(path).is_relative_to(data_dir / name)
    chosen = usual if is_free else f"{start}bot-data"
    return compose.head(path, chosen, is_usual=is_free, toolbox=toolbox)


def _prove(text: str, environ: Mapping[str, str]) -> None:
    """Refuse to hand out a config that the bot would not read."""
    home = {key: environ[key] for key in ("HOME",) if key in environ}
    with TemporaryDirectory(prefix="gapwright-") as scratch:
        file = Path(scratch).joinpath(*_USUAL)
        file.parent.mkdir()
        file.write_text(text, "utf-8")
        try:
            load_settings(file, home, Path(scratch))
        except ConfigError as error:
            said = str(error).replace(f"{file}: ", "")
            raise ConfigError(
                f"no config can be written for this repository: {said}"
            ) from error


def _create(target: Path, text: str) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        raise ConfigError(
            f"{target} can't be written: {error.strerror}; run this in another folder, "
            "or say where with --config"
        ) from error
