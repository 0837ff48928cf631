"""`bot cycle --plan`: what a cycle would do, before anything is paid or run."""

from dataclasses import dataclass

from bot.cycle.context import gather, may_run
from bot.cycle.draft import Draft
from bot.cycle.ending import Ending
from bot.cycle.pause import check
from bot.cycle.rooms import Rooms
from bot.cycle.survey import pick
from bot.cycle.work import Task
from bot.forge.body import branch_name
from bot.settings import Recipe


@dataclass(frozen=True, slots=True)
class Preview:
    """What a cycle would do.

    Attributes:
        ending: How it would end before its proposal; None when it would go on.
        task: The gap and its base; None when it would end.
        branch: The branch of its pull request.
        recipe: The recipe that would run.
        checks: The commands that would have to be green.
    """

    ending: Ending | None
    task: Task | None = None
    branch: str | None = None
    recipe: Recipe | None = None
    checks: tuple[str, ...] = ()


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
    return Preview(
        ending=None,
        task=task,
        branch=branch_name(rooms.repo.prefix, task.gap.id, task.gap.title),
        recipe=_recipe(rooms, task.gap.recipe),
        checks=tuple(check.run for check in rooms.repo.check),
    )


def _recipe(rooms: Rooms, name: str | None) -> Recipe | None:
    recipes = rooms.repo.recipe
    if name is None and len(recipes) == 1:
        return recipes[0]
    return next((recipe for recipe in recipes if recipe.name == name), None)
