"""Everything that is looked at for one repository, in the order in which it matters."""

from functools import partial

from bot.cycle.rooms import Rooms
from bot.report.doctor import (
    base,
    commands,
    models,
    observer,
    place,
    requirements,
    work,
)
from bot.report.doctor.finding import Check
from bot.report.doctor.machine import Machine
from bot.report.doctor.subject import Subject

_LOOKS = (
    ("path", place.path),
    ("owner", place.owner),
    ("hooks", place.hooks),
    ("base", base.base),
    ("branches", base.branches),
    ("merging", base.merging),
    ("gaps", requirements.gaps),
    ("recipes", commands.recipes),
    ("models", models.models),
    ("checks", commands.checks),
    ("set-up", commands.set_up),
    ("secrets", commands.secrets),
    ("programs", commands.programs),
    ("budget", work.budget),
    ("limits", work.limits),
    ("pause", work.pauses),
    ("checkout", place.dirty),
    ("finished", work.waiting),
    ("locks", work.locks),
    ("last cycle", work.last_cycle),
)


def repository_checks(rooms: Rooms, machine: Machine) -> tuple[Check, ...]:
    """Return what is looked at in one repository; nothing of it is changed."""
    name = rooms.repo.name
    subject = Subject(
        rooms,
        machine.git_env,
        has_index=machine.has_index,
        online=machine.online,
    )
    busy_url = rooms.repo.policy.busy_url
    busy = partial(observer.busy_probe, busy_url, online=machine.online)
    looks = [Check(label, partial(look, subject), name) for label, look in _LOOKS]
    return (*looks, Check("busy_url", busy, name))
