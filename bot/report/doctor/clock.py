"""Whether the clock can be trusted: days, cooldowns and ids are read off it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from bot.domain.record import rfc3339
from bot.report.doctor.finding import Finding, fail, ok, warn
from bot.settings import Settings
from bot.store.index import Index

_NAME = "clock"
_EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
"""No released bot ever ran before; a machine without a battery starts at 1970."""
_TOLERANCE = timedelta(minutes=1)
_SET = "set the clock, as with `timedatectl set-ntp true`"


def clock(
    settings: Settings, index: Index | None, now: Callable[[], datetime]
) -> Iterator[Finding]:
    """Look at the wall clock and at the zone in which the days of the limits begin."""
    moment = now()
    local = moment.astimezone(settings.zone)
    shown = f"{local:%Y-%m-%d %H:%M} in {settings.timezone}"
    newest = index.cycles(limit=1) if index else ()
    if moment < _EARLIEST:
        yield fail(_NAME, f"it is {shown}, which can't be", _SET)
    elif newest and newest[0].ended_at > moment + _TOLERANCE:
        yield warn(
            _NAME,
            f"it is {shown}, but {newest[0].cycle_id} ended at "
            f"{rfc3339(newest[0].ended_at)}: limits and cooldowns count wrongly until then",
            _SET,
        )
    else:
        yield ok(_NAME, shown)
