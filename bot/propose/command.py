"""The proposer that runs a configured command, a recipe, on the base and reads the tree.

The command sees the gap in its environment only: `BOT_GAP_ID`, `BOT_GAP_TITLE`,
`BOT_GAP_TEXT` and `BOT_BASE_SHA`. It runs in the sandbox, without network.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

from bot.domain.change import Declined, FileEdit, NoAnswer, Proposal
from bot.domain.gap import Gap
from bot.errors import BotError, Interrupted
from bot.propose.proposer import Feedback, Task
from bot.sandbox.job import Bind, Ended, Finished, Job, Sandbox, never
from bot.settings.repo import Recipe

DECLINES = 78
"""Exit status by which a recipe declines; its first line of output says why."""

_OF_LINTERS = 1  # with it many say that they changed or left something
_OUTPUT_KEPT = 4000  # characters of a failed recipe's output, from its end
_ENV_LIMIT = 64 * 1024  # bytes of a variable; the kernel refuses more than 128 KB
_QUESTIONS = 3
_WHY_DECLINED = re.compile(r"\s*(unclear|too_big|already_done):[ \t]*(.*)")
_TICKS = re.compile(r"`+")


class RecipeTree(Protocol):
    """A working tree that recipes may change as they like."""

    @property
    def path(self) -> Path:
        """Where it lies."""

    def move_to(self, sha: str, /) -> object:
        """Make it exactly this commit, without anything else in it."""
        ...

    def changes(self, base_sha: str, /) -> tuple[FileEdit, ...]:
        """Return how it differs from a commit."""
        ...


class CommandProposer:
    """Closes gaps with recipes.

    Args:
        recipes: The repository's recipes.
        tree: The tree they run in; never that of the cycle.
        sandbox: Confines them.
        binds: Returns what else they see for a base, such as results of set-up.
        timeout_s: Wall time of a recipe that sets none.
        silence_s: Time without output of a recipe that sets none.
        git_dir: The private clone, so that `git` works inside; readable only.
        on_output: Called with a recipe's output as it comes.
        cancel: Asked while a recipe runs; True stops it.
    """

    can_spend = False

    def __init__(
        self,
        recipes: Sequence[Recipe],
        tree: RecipeTree,
        sandbox: Sandbox,
        binds: Callable[[str], Sequence[Bind]],
        *,
        timeout_s: float,
        silence_s: float | None,
        git_dir: Path | None = None,
        on_output: Callable[[str], None] | None = None,
        cancel: Callable[[], bool] = never,
    ) -> None:
        self._recipes = {recipe.name: recipe for recipe in recipes}
        self._tree = tree
        self._sandbox = sandbox
        self._binds = binds
        self._timeout_s = timeout_s
        self._silence_s = silence_s
        self._git_dir = git_dir
        self._on_output = on_output
        self._cancel = cancel

    def repair_rounds(self, gap: Gap) -> int:  # noqa: ARG002 - the same for each
        """Return 0: a command gives the same answer again."""
        return 0

    def propose(
        self, task: Task, feedback: Feedback | None = None
    ) -> Proposal | Declined | NoAnswer:
        """Run the gap's recipe on the base and return what it changed.

        Raises:
            Interrupted: A signal asked the running cycle to stop.
            SandboxUnavailable: The recipe can't be confined, so it was not run.
        """
        if feedback is not None:
            return NoAnswer("a recipe can't act on feedback: it would answer the same")
        recipe = self._recipe_of(task.gap)
        if isinstance(recipe, NoAnswer):
            return recipe
        # What a recipe leaves stays until the next move, which starts with a clean-up.
        self._tree.move_to(task.base_sha)
        answer = self._answer(task, recipe)
        if isinstance(answer, NoAnswer):
            self._tree.move_to(task.base_sha)  # it may have failed by filling the disk
        return answer

    def _recipe_of(self, gap: Gap) -> Recipe | NoAnswer:
        names = ", ".join(self._recipes) or "none"
        if gap.recipe is None and len(self._recipes) == 1:
            return next(iter(self._recipes.values()))
        if gap.recipe is None:
            return NoAnswer(
                f"gap {gap.id} has no [recipe:NAME], and one is needed to choose from "
                f"those configured: {names}"
            )
        if gap.recipe not in self._recipes:
            return NoAnswer(
                f"gap {gap.id} asks for recipe {gap.recipe!r}; configured: {names}"
            )
        return self._recipes[gap.recipe]

    def _answer(self, task: Task, recipe: Recipe) -> Proposal | Declined | NoAnswer:
        finished = self._sandbox.run(
            self._job(task, recipe), self._on_output, self._cancel
        )
        if finished.ended is Ended.CANCELLED:
            raise Interrupted(f"recipe {recipe.name!r} was stopped by a signal")
        if finished.exit_code == DECLINES:
            return _declined(recipe, finished)
        if not finished.is_green:
            return _failed(recipe, finished, self._how(finished, task.base_sha))
        return Proposal(
            summary=recipe.summary or task.gap.title,
            rationale=recipe.rationale or f"Ran {_code(recipe.run)}.",
            edits=self._tree.changes(task.base_sha),
            model_used=_model(recipe),
        )

    def _how(self, finished: Finished, base_sha: str) -> str:
        if finished.ended is not Ended.EXIT:
            return f"{finished.ended.value} after {finished.duration_ms / 1000:.1f} s"
        how = f"exit code {finished.exit_code}"
        if finished.exit_code != _OF_LINTERS or not self._has_changes(base_sha):
            return how
        return f"{how} and changes (if {how} is no failure of it, add `|| true`)"

    def _has_changes(self, base_sha: str) -> bool:
        try:
            return bool(self._tree.changes(base_sha))
        except BotError:
            return False  # what a failed command left may be past reading

    def _job(self, task: Task, recipe: Recipe) -> Job:
        return Job(
            command=recipe.run,
            tree=self._tree.path,
            timeout_s=recipe.timeout or self._timeout_s,
            silence_s=recipe.silence or self._silence_s,
            env=_environment(task, recipe.env),
            binds=tuple(self._binds(task.base_sha)),
            git_dir=self._git_dir,
            network=False,
        )


def _environment(task: Task, own: Mapping[str, str]) -> dict[str, str]:
    return {
        **own,
        "BOT_GAP_ID": task.gap.id,
        "BOT_GAP_TITLE": _variable(task.gap.title),
        "BOT_GAP_TEXT": _variable(task.gap.text),
        "BOT_BASE_SHA": task.base_sha,
    }


def _variable(text: str) -> str:
    """Return text as an environment can hold it: no NUL, not too long, valid UTF-8."""
    raw = text.replace("\0", "").encode("utf-8", "replace")[:_ENV_LIMIT]
    return raw.decode("utf-8", "ignore")


def _declined(recipe: Recipe, finished: Finished) -> Declined | NoAnswer:
    first, *rest = finished.output.strip().splitlines() or [""]
    found = _WHY_DECLINED.fullmatch(first)
    if not found:
        return _failed(
            recipe,
            finished,
            f"exit code {DECLINES} without a first line `unclear: …`, `too_big: …` or "
            "`already_done: …`",
        )
    asked = [line[2:].strip() for line in rest if line.startswith("- ")]
    return Declined(
        kind=_KINDS[found[1]],
        reason=found[2].strip() or "no reason was given",
        questions=tuple(asked[:_QUESTIONS]),
        model_used=_model(recipe),
    )


_KINDS: Mapping[str, Literal["unclear", "too_big", "already_done"]] = {
    "unclear": "unclear",
    "too_big": "too_big",
    "already_done": "already_done",
}


def _failed(recipe: Recipe, finished: Finished, how: str) -> NoAnswer:
    said = finished.output.strip().rpartition("\n")[2]
    last = f"; it last said: {said[:200]}" if said else "; it said nothing"
    return NoAnswer(
        reason=f"recipe {recipe.name!r} ended with {how}{last}",
        output=finished.output[-_OUTPUT_KEPT:],
    )


def _model(recipe: Recipe) -> str:
    return f"recipe:{recipe.name}"


def _code(command: str) -> str:
    ticks = "`" * (max(map(len, _TICKS.findall(command)), default=0) + 1)
    pad = " " if "`" in command else ""
    return f"{ticks}{pad}{command}{pad}{ticks}"
