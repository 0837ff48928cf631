"""Reads `BOT_…` variables: keys of tables that stand once, nothing else."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from bot.settings.keys import is_list, sections

_PREFIX = "BOT_"
_OTHERS = frozenset({"BOT_CONFIG"})


@dataclass(frozen=True, slots=True)
class FromEnvironment:
    """A value that a variable gives for a key."""

    variable: str
    where: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Environment:
    """What the environment says about the config."""

    values: tuple[FromEnvironment, ...]
    warnings: tuple[str, ...]


def read_environment(env: Mapping[str, str]) -> Environment:
    """Sort the `BOT_…` variables into values and warnings; no warning shows a value."""
    names = sorted(n for n in env if n.startswith(_PREFIX) and n not in _OTHERS)
    if not names:
        return Environment((), ())
    known = dict(_variables())
    values, warnings = [], []
    for name in names:
        where = known.get(name)
        if where is None:
            warnings.append(_unused(name, known))
        elif not env[name]:
            warnings.append(f"{name} is empty and not used")
        else:
            values.append(FromEnvironment(name, where, env[name]))
    return Environment(tuple(values), tuple(warnings))


def _variables() -> Iterator[tuple[str, tuple[str, ...]]]:
    for section in sections():
        if section.in_list:
            continue
        for name, field in section.own_keys():
            where = (*section.path, name)
            if not is_list(field):
                yield variable_of(where), where


def variable_of(where: tuple[str, ...]) -> str:
    """Return the variable that sets this key."""
    return _PREFIX + "__".join(where).upper()


def _unused(name: str, known: Mapping[str, tuple[str, ...]]) -> str:
    if any(name == other or name.startswith(other + "__") for other in _lists()):
        return f"{name} is not used: lists and [[repo]] are set in the file only"
    near = get_close_matches(name, [*known, *_OTHERS], n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"{name} is not used: no such setting{hint}"


def _lists() -> Iterator[str]:
    for section in sections():
        if section.repeats or section.is_named:
            path = section.path[:-1] if section.is_named else section.path
            yield variable_of(path)
            continue
        for name, field in section.own_keys():
            if is_list(field):
                yield variable_of((*section.path, name))
