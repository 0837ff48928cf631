"""The proposer that goes by the gap: a recipe where it names one, else a model."""

from bot.domain.change import Declined, NoAnswer, Proposal, Refused
from bot.domain.gap import Gap
from bot.propose.proposer import Feedback, Proposer, Task


class TaggedProposer:
    """Sends `[recipe:NAME]` gaps to the recipes and all others to the model.

    Args:
        model: Answers gaps without a recipe.
        recipes: Answers those with one.
    """

    can_spend = True

    def __init__(self, model: Proposer, recipes: Proposer) -> None:
        self._model = model
        self._recipes = recipes

    def repair_rounds(self, gap: Gap) -> int:
        """Return how often the gap's proposer may be asked again."""
        return self._of(gap).repair_rounds(gap)

    def propose(
        self, task: Task, feedback: Feedback | None = None
    ) -> Proposal | Declined | NoAnswer | Refused:
        """Answer as the gap's own proposer does."""
        return self._of(task.gap).propose(task, feedback)

    def _of(self, gap: Gap) -> Proposer:
        return self._recipes if gap.recipe else self._model
