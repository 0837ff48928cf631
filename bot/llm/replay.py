"""Gives a recorded cycle's replies again: no model, no network, no cost."""

from collections.abc import Sequence

from bot.llm.replies import ReplyStore
from bot.llm.values import FILTERED, CallScope, Message, ModelFailed, Reply


class Replay:
    """Answers with the stored replies of one cycle, in order, whatever is asked.

    Args:
        replies: Where they are stored.
        cycle_id: The cycle.
    """

    def __init__(self, replies: ReplyStore, cycle_id: str) -> None:
        self._cycle_id = cycle_id
        self._left = list(replies.of_cycle(cycle_id))

    def ask(
        self,
        role: str,
        messages: Sequence[Message],  # noqa: ARG002  as the gateway
        scope: CallScope,  # noqa: ARG002  as the gateway
        max_output: int,  # noqa: ARG002  as the gateway
    ) -> Reply:
        """Return the next reply.

        Raises:
            ModelFailed: It was a refusal, or there is no further one.
        """
        if not self._left:
            raise ModelFailed(
                f"cycle {self._cycle_id} has no further stored reply for the {role}"
            )
        reply = self._left.pop(0).reply()
        if reply.finish_reason == FILTERED:
            raise ModelFailed(f"{reply.model} refused: {reply.text.strip()}")
        return reply
