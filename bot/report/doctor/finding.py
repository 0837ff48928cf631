"""One thing that was looked at, and the loop that looks at one after the other."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.errors import BotError, Deferred


class Level(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of looking at one thing.

    Attributes:
        name: What was looked at, in a word or two.
        level: How much it matters.
        detail: What was seen; untrusted where a repository says it.
        advice: What to do, a command where there is one.
        repo: The repository it is about; None where it is the whole machine.
    """

    name: str
    level: Level
    detail: str
    advice: str = ""
    repo: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """A look at one thing, taken when it is called.

    Attributes:
        name: As its findings are called.
        look: Takes the look; may raise what the rooms raise.
        repo: The repository it is about.
    """

    name: str
    look: Callable[[], Iterable["Finding"]]
    repo: str | None = None


def ok(name: str, detail: str, advice: str = "") -> Finding:
    """Return that all is well."""
    return Finding(name, Level.OK, detail, advice)


def warn(name: str, detail: str, advice: str = "") -> Finding:
    """Return what a person should know, though cycles run."""
    return Finding(name, Level.WARN, detail, advice)


def fail(name: str, detail: str, advice: str = "") -> Finding:
    """Return what keeps cycles from working."""
    return Finding(name, Level.FAIL, detail, advice)


def examine(
    checks: Iterable[Check], begin: Callable[[Check], None] = lambda _check: None
) -> Iterator[Finding]:
    """Take every look and yield what came of it; one that breaks hides no other.

    Args:
        checks: What to look at, in order.
        begin: Told of each before it is taken.
    """
    for check in checks:
        begin(check)
        for finding in _taken(check):
            yield replace(finding, repo=check.repo)


def _taken(check: Check) -> tuple[Finding, ...]:
    try:
        return tuple(check.look())
    except Deferred as error:
        return (warn(check.name, f"can't be told now: {error}", "try again later"),)
    except BotError as error:
        return (fail(check.name, str(error)),)
    except Exception as error:  # noqa: BLE001 - the other checks are still worth seeing
        kind = type(error).__name__
        said = f"could not be looked at: {kind}: {error}"
        return (fail(check.name, said, "please report this as a bug"),)
