"""Values as JSON files: stable text out, one reader per `schema_version` in."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticSerializationError

from bot.errors import BotError

Value = TypeVar("Value", bound=BaseModel)
Readers = Mapping[int, Callable[[bytes], Value]]


class UnreadableError(BotError):
    """A file of ours can't be understood; the message names it and why."""


class _Version(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    schema_version: int


def dump(value: BaseModel) -> bytes:
    """Return the value as UTF-8 JSON in field order, indented by 2, ending in LF.

    What UTF-8 can't hold (half of a surrogate pair in a file name) becomes `?`, so
    that a record is written whatever a repository calls its files.
    """
    try:
        text = value.model_dump_json(indent=2)
    except PydanticSerializationError:
        text = json.dumps(value.model_dump(mode="json"), indent=2, ensure_ascii=False)
    return clean(text + "\n").encode()


def clean(text: str) -> str:
    """Return the text with all that UTF-8 can't hold replaced by `?`."""
    return text.encode("utf-8", "replace").decode()


def load(path: Path, readers: Readers[Value]) -> Value:
    """Read the file with the reader of its version.

    Raises:
        UnreadableError: It is not there, torn, of a newer version or of another shape.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"can't read {path}: {error.strerror}") from error
    return parse(raw, path, readers)


def parse(raw: bytes, path: Path, readers: Readers[Value]) -> Value:
    """Read bytes that came from `path` with the reader of their version.

    Raises:
        UnreadableError: They are of a version or shape that no reader knows.
    """
    try:
        version = _Version.model_validate_json(raw).schema_version
        reader = readers.get(version)
        if reader is not None:
            return reader(raw)
    except ValidationError as error:
        raise UnreadableError(f"{path} is not understood: {_first(error)}") from error
    known = max(readers)
    advice = "upgrade gapwright" if version > known else "it never existed"
    raise UnreadableError(
        f"{path} has schema_version {version}, this bot reads up to {known}; {advice}"
    )


def _first(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    return f"{place}: {fault['msg']}" if place else fault["msg"]
