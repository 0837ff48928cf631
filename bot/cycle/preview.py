"""`bot cycle --plan`: what a cycle would do, before anything is paid or run."""

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from bot.cycle.context import gather, may_run
from bot.cycle.draft import Draft
from bot.cycle.ending import Ending
from bot.cycle.pause import check
from bot.cycle.rooms import Rooms
from bot.cycle.survey import pick
from bot.cycle.work import Task
from bot.forge.body import branch_name
from bot.llm.values import Message
from bot.settings import Recipe

if TYPE_CHECKING:
    from bot.cycle.models import Asked


@dataclass(frozen=True, slots=True)
class Preview:
    """What a cycle would do.

    Attributes:
        ending: How it would end before its proposal; None when it would go on.
        task: The gap and its base; None when it would end.
        branch: The branch of its pull request.
        recipe: The recipe that would run.
        checks: The commands that would have to be green.
        models: Who would be asked, in order; empty for a recipe.
        files: The files that the first of them would see.
        messages: The prompt.
        worst_usd: The most that the first call could cost.
    """

    ending: Ending | None
    task: Task | None = None
    branch: str | None = None
    recipe: Recipe | None = None
    checks: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    worst_usd: Decimal = Decimal(0)


def preview(rooms: Rooms, draft: Draft) -> Preview:
    """Go through the steps that cost nothing and say what would follow; no record."""
    if ending := check(rooms, draft):
        return Preview(ending)
    seen = gather(rooms, draft)
    if ending := may_run(seen, draft):
        return Preview(ending)
    task = pick(rooms, draft, seen)
    if isinstance(task, Ending):
        return Preview(task)
    seen_by_model = _asked(rooms, draft, task) if _asks_a_model(rooms, task) else None
    return Preview(
        ending=None,
        task=task,
        branch=branch_name(rooms.repo.prefix, task.gap.id, task.gap.title),
        recipe=None if seen_by_model else _recipe(rooms, task.gap.recipe),
        checks=tuple(check.run for check in rooms.repo.check),
        models=rooms.models if seen_by_model else (),
        files=seen_by_model.files if seen_by_model else (),
        messages=seen_by_model.messages if seen_by_model else (),
        worst_usd=seen_by_model.worst_usd if seen_by_model else Decimal(0),
    )


def _asks_a_model(rooms: Rooms, task: Task) -> bool:
    return rooms.repo.proposer == "model" and task.gap.recipe is None


def _asked(rooms: Rooms, draft: Draft, task: Task) -> "Asked":
    from bot.cycle.models import first_question  # noqa: PLC0415 - only for models

    return first_question(rooms, task, draft.cycle_id)


def _recipe(rooms: Rooms, name: str | None) -> Recipe | None:
    recipes = rooms.repo.recipe
    if name is None and len(recipes) == 1:
        return recipes[0]
    return next((recipe for recipe in recipes if recipe.name == name), None)
