"""Reads a TOML file; numbers with a point stay exact."""

import re
import tomllib
from decimal import Decimal
from pathlib import Path

from bot.errors import ConfigError

INIT_HINT = "write one with `bot init PATH`, where PATH is your repository"


def read_toml(file: Path) -> dict[str, object]:
    """Return the tables of a file.

    Raises:
        ConfigError: There is no such file, or it is not readable, UTF-8 or TOML.
    """
    try:
        raw = file.read_bytes()
    except FileNotFoundError as error:
        raise ConfigError(f"there is no config at {file}; {INIT_HINT}") from error
    except OSError as error:
        raise ConfigError(
            f"the config {file} can't be read: {error.strerror}; make it a file that "
            f"the bot's user may read, or {INIT_HINT}"
        ) from error
    return _tables(file, _text(file, raw))


def _text(file: Path, raw: bytes) -> str:
    try:
        # Some editors put a byte order mark first; TOML knows none.
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{file}: line {line} is not UTF-8; save the file as UTF-8 text, or "
            f"{INIT_HINT}"
        ) from error


def _tables(file: Path, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:
        said = str(error)
        place = re.search(r" \(at (.*)\)$", said)
        if place is None:
            raise ConfigError(f"{file} is no TOML: {said}") from error
        raise ConfigError(
            f"{file}: {place[1]}: this is no TOML: {said[: place.start()]}"
        ) from error
