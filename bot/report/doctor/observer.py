"""The web addresses of the config; nothing is sent to them unless asked for."""

from collections.abc import Iterator

from bot.observe.http import reach
from bot.report.doctor.finding import Finding, ok, warn

_LATER = "`bot doctor --online` looks whether it answers"


def observer(url: str | None, *, online: bool) -> Iterator[Finding]:
    """Look whether the observer answers at all; events wait for it meanwhile."""
    if url is None:
        yield ok("observer", "none: nobody is told of cycles")
    elif not online:
        yield ok("observer", "set, not looked at", _LATER)
    elif said := reach(url):
        advice = "events wait in the outbox until it does"
        yield warn("observer", said, advice)
    else:
        yield ok("observer", "answers")


def busy_probe(url: str | None, *, online: bool) -> Iterator[Finding]:
    """Look whether the address that is asked before a cycle answers at all."""
    if url is None:
        return
    if not online:
        yield ok("busy_url", "set, not looked at", _LATER)
    elif said := reach(url):
        yield warn("busy_url", said, "until it answers it counts as not busy")
    else:
        yield ok("busy_url", "answers")
