"""Counts the requests of a cycle, so that there are never more than it may send."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

from bot.errors import OverBudget
from bot.llm.replies import ReplyStore
from bot.llm.values import CallScope
from bot.store.ledger import Ledger


class Sent:
    """Requests by cycle; a cycle is one process's own, so counting here is enough.

    Args:
        ledger: Knows what an interrupted run of a cycle sent.
        replies: Tells whether there was one.
    """

    def __init__(self, ledger: Ledger, replies: ReplyStore) -> None:
        self._ledger = ledger
        self._replies = replies
        self._counts: dict[str, int] = {}
        self._lock = RLock()

    @contextmanager
    def one_more(self, scope: CallScope) -> Iterator[None]:
        """Count a request that is reserved meanwhile; one that is not doesn't count.

        Raises:
            OverBudget: The cycle sent all that it may.
        """
        if scope.cycle_id is None:
            yield
            return
        # Between the count and the reservation no other request may come.
        with self._lock:
            count = self._count(scope.cycle_id, scope.resumes)
            if count >= scope.max_calls:
                raise OverBudget(
                    f"the cycle made its {scope.max_calls} calls to models already"
                )
            yield
            self._counts[scope.cycle_id] = count + 1

    def take_back(self, scope: CallScope) -> None:
        """Count one less: it never left."""
        if scope.cycle_id is not None:
            with self._lock:
                self._counts[scope.cycle_id] -= 1

    def _count(self, cycle_id: str, resumes: str | None) -> int:
        if cycle_id in self._counts:
            return self._counts[cycle_id]
        if resumes is None and not self._replies.of_cycle(cycle_id):
            return 0
        earlier = {cycle_id, resumes or cycle_id}
        return sum(self._ledger.of_cycle(name).calls for name in earlier)
