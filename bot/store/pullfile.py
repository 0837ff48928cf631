"""A pull request of the local forge as it lies in `<data>/<repo>/pulls/<n>.json`."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, PositiveInt

from bot.domain.pull import Pull, PullState
from bot.domain.record import Moment
from bot.store.files import write_atomic
from bot.store.jsonfile import UnreadableError, dump, load

_NAME = re.compile(r"[1-9][0-9]{0,17}\.json")


class PullFile(BaseModel):
    """All that a pull request is, in a file; the forge and the index share it."""

    model_config = ConfigDict(frozen=True, extra="forbid", from_attributes=True)

    schema_version: Literal[1] = 1
    number: PositiveInt
    gap_id: str
    cycle_id: str
    branch: str
    head_sha: str
    base: str
    base_sha: str
    title: str
    url: str
    state: PullState
    created_at: Moment
    ended_at: Moment | None = None
    labels: tuple[str, ...] = ()
    draft: bool = False

    @classmethod
    def of(cls, pull: Pull) -> "PullFile":
        """Return the file's shape of a pull request."""
        return cls.model_validate(pull)

    def pull(self) -> Pull:
        """Return the value that rooms hand to each other."""
        fields = {name: getattr(self, name) for name in Pull.__dataclass_fields__}
        return Pull(**fields)


_READERS = {1: PullFile.model_validate_json}


def pull_path(folder: Path, number: int) -> Path:
    """Return where pull request `number` stands in `<data>/<repo>/pulls`."""
    return folder / f"{number}.json"


def write_pull(folder: Path, pull: Pull) -> Path:
    """Write the pull request whole and durably.

    Raises:
        DataFolderUnusable: The file system refused it.
    """
    path = pull_path(folder, pull.number)
    write_atomic(path, dump(PullFile.of(pull)))
    return path


def read_pull(path: Path) -> Pull:
    """Read one pull request.

    Raises:
        UnreadableError: It is missing, torn, of a newer version, or another's number.
    """
    file = load(path, _READERS)
    if path.name != f"{file.number}.json":
        raise UnreadableError(f"{path} says that it is number {file.number}")
    return file.pull()


def walk_pulls(folder: Path) -> Iterator[Path]:
    """Yield the paths of all pull requests by number."""
    if not folder.is_dir():
        return
    paths = (p for p in folder.iterdir() if _NAME.fullmatch(p.name))
    yield from sorted(paths, key=lambda path: int(path.stem))
