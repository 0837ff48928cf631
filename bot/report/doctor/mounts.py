"""The file system that a path lies on, from the kernel's table of mounts."""

import re
from dataclasses import dataclass
from pathlib import Path

_ESCAPE = re.compile(r"\\([0-7]{3})")
_POINT, _OPTIONS = 4, 5


@dataclass(frozen=True, slots=True)
class Mount:
    """One mounted file system."""

    point: Path
    kind: str
    options: frozenset[str]


def mount_of(path: Path, table: str) -> Mount | None:
    """Return what a path lies on; None where the table doesn't say.

    Args:
        path: Absolute; need not be resolved.
        table: The text of `/proc/self/mountinfo`.
    """
    real = path.resolve()
    found = None
    for mount in filter(None, map(_parsed, table.splitlines())):
        # A later mount hides an earlier one at the same point.
        if real.is_relative_to(mount.point) and (
            found is None or mount.point.is_relative_to(found.point)
        ):
            found = mount
    return found


def _parsed(line: str) -> Mount | None:
    before, dash, after = line.partition(" - ")
    fields = before.split(" ")
    if not dash or len(fields) <= _OPTIONS:
        return None
    point = _ESCAPE.sub(lambda code: chr(int(code[1], 8)), fields[_POINT])
    kind = after.split(" ", 1)[0]
    return Mount(Path(point), kind, frozenset(fields[_OPTIONS].split(",")))
