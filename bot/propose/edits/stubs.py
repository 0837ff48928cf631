"""Functions of Python whose body became `...`: what elisions look like in code."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_STUB = re.compile(r"[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[^#]*:[ \t]*\.\.\.[ \t]*\Z")
_OPEN = re.compile(r"[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[^#]*:[ \t]*\Z")
_MAX_WIDTH = 400


def find_stub(path: str, new: Sequence[str], old: Sequence[str]) -> int | None:
    """Return the line of a body `...` whose function had a longer one before."""
    if not path.endswith(".py"):
        return None
    had, has = _bodies(old), _bodies(new)
    stubs_before = Counter(name for name, _ in had.stubs)
    stubs_after = Counter(name for name, _ in has.stubs)
    for name, at in has.stubs:
        is_fewer = has.full[name] < had.full[name]
        if is_fewer and stubs_after[name] > stubs_before[name]:
            return at
    return None


@dataclass(frozen=True, slots=True)
class _Bodies:
    stubs: tuple[tuple[str, int], ...]
    full: Counter[str]


def _bodies(lines: Sequence[str]) -> _Bodies:
    stubs: list[tuple[str, int]] = []
    full: Counter[str] = Counter()
    for at, line in enumerate(lines):
        inline = _STUB.match(line) if len(line) <= _MAX_WIDTH else None
        name = inline[1] if inline else _opened(line)
        if name is None:
            continue
        below = lines[at + 1].strip() if at + 1 < len(lines) else ""
        if inline or below == "...":
            stubs.append((name, at))
        else:
            full[name] += 1
    return _Bodies(tuple(stubs), full)


def _opened(line: str) -> str | None:
    found = _OPEN.match(line) if len(line) <= _MAX_WIDTH else None
    return found[1] if found else None
