"""Uniform changes of indentation: what turns the searched lines into the file's."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_INDENT = re.compile(r"[ \t]*")
_UNITS = (4, 2, 8, 3)


@dataclass(frozen=True, slots=True)
class Shift:
    """One change of indentation for all lines of a block.

    Attributes:
        unit: Spaces a tab; positive turns spaces into tabs, negative tabs into spaces.
        added: What is put in front afterwards.
        dropped: What is taken from the front afterwards.
    """

    unit: int = 0
    added: str = ""
    dropped: str = ""

    def apply(self, line: str) -> str | None:
        """Return the shifted line, or None when it can't be shifted so."""
        if not line.strip():
            return line
        indent = indent_of(line)
        turned = _turn(indent, self.unit)
        if turned is None or not turned.startswith(self.dropped):
            return None
        if self.added and turned and set(self.added) != set(turned):
            return None  # tabs before spaces: how wide a level is can't be told
        return self.added + turned[len(self.dropped) :] + line[len(indent) :]


UNSHIFTED = Shift()


def indent_of(line: str) -> str:
    """Return the white space that a line begins with."""
    found = _INDENT.match(line)
    return found.group() if found else ""


def uniform_shift(pairs: Iterable[tuple[str, str]]) -> Shift | None:
    """Return the shift that gives each line of the file its searched line, if any.

    Args:
        pairs: Searched lines and the file's lines in their place.
    """
    indents = dict.fromkeys(
        (indent_of(wanted), indent_of(real)) for wanted, real in pairs if real.strip()
    )
    longest = max(indents, key=lambda pair: len(pair[0] + pair[1]), default=("", ""))
    for shift in _candidates(*longest):
        if all(_fits(shift, pair) for pair in indents):
            return shift
    return None


def _fits(shift: Shift, pair: tuple[str, str]) -> bool:
    return shift.apply(f"{pair[0]}x") == f"{pair[1]}x"


def _candidates(wanted: str, real: str) -> Iterator[Shift]:
    for unit in (0, *_UNITS, *(-unit for unit in _UNITS)):
        turned = _turn(wanted, unit)
        if turned is None:
            continue
        if real.endswith(turned):
            yield Shift(unit, added=real[: len(real) - len(turned)])
        if turned.endswith(real):
            yield Shift(unit, dropped=turned[: len(turned) - len(real)])


def _turn(indent: str, unit: int) -> str | None:
    if unit == 0:
        return indent
    if unit < 0:
        return None if " " in indent else " " * (len(indent) * -unit)
    if "\t" in indent or len(indent) % unit:
        return None
    return "\t" * (len(indent) // unit)
