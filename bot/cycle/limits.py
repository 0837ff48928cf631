"""How many pull requests there are, against how many there may be."""

from collections.abc import Iterable
from datetime import datetime, time, timedelta, tzinfo

from bot.cycle.policy import CycleContext
from bot.cycle.rooms import Rooms
from bot.domain.pull import Pull, PullState

_A_DAY = timedelta(hours=25)  # the longest there is


def gather_limits(rooms: Rooms) -> CycleContext:
    """Count the pull requests against their limits; the rest is taken for granted."""
    now, name, index = rooms.clock(), rooms.repo.name, rooms.index
    limits, everywhere = rooms.settings.limits_of(rooms.repo), rooms.settings.limits
    today = day_start(now, rooms.settings.zone)
    return CycleContext(
        now=now,
        dirty=(),
        clean_tree_required=False,
        busy=False,
        open_pulls=len(index.pulls(name, PullState.OPEN)),
        pulls_today=_within_a_day(index.pulls(name, since=today), today),
        open_pulls_all=len(index.pulls(None, PullState.OPEN)),
        pulls_today_all=_within_a_day(index.pulls(None, since=today), today),
        max_open_prs=limits.max_open_prs,
        prs_per_day=limits.prs_per_day,
        max_open_prs_all=everywhere.max_open_prs,
        prs_per_day_all=everywhere.prs_per_day,
        last_gap_id=index.last_gap(name),
        forced_gap=rooms.options.gap,
    )


def _within_a_day(pulls: Iterable[Pull], start: datetime) -> int:
    """Count those of one day: a clock that was ahead must not count until it is reached."""
    return sum(pull.created_at < start + _A_DAY for pull in pulls)


def day_start(now: datetime, zone: tzinfo) -> datetime:
    """Return the moment at which the present day of the zone began."""
    return datetime.combine(now.astimezone(zone).date(), time(), tzinfo=zone)
