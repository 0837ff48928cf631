"""The calls of a cycle as its record tells them; they sum up to what the ledger says."""

from collections import defaultdict
from collections.abc import Sequence
from threading import Lock

from bot.domain.record import CallRecord
from bot.store.ledger import Totals, micro_usd, usd

UNKNOWN = "unknown"
"""The role and model of a call whose process died before it could write them."""


class CallLog:
    """Calls by cycle, in the order in which they ended."""

    def __init__(self) -> None:
        self._calls: dict[str, list[CallRecord]] = defaultdict(list)
        self._replies: dict[str, set[int]] = defaultdict(set)
        self._lock = Lock()

    def add(
        self, cycle_id: str | None, call: CallRecord, reply: int | None = None
    ) -> None:
        """Note a call that was charged, with the number of its reply if there is one."""
        if not cycle_id:
            return
        with self._lock:
            self._calls[cycle_id].append(call)
            if reply is not None:
                self._replies[cycle_id].add(reply)

    def of_cycle(self, cycle_id: str) -> tuple[CallRecord, ...]:
        """Return the calls noted for a cycle."""
        with self._lock:
            return tuple(self._calls[cycle_id])

    def has_reply(self, cycle_id: str, number: int) -> bool:
        """Tell whether a stored reply is among the calls noted."""
        with self._lock:
            return number in self._replies[cycle_id]


def reconciled(calls: Sequence[CallRecord], charged: Totals) -> tuple[CallRecord, ...]:
    """Return the calls with all that the ledger charged beyond them.

    A call whose process died is in the ledger at its worst case and nowhere else; one
    that died between storing and settling is charged more than its reply says.
    """
    money = charged.micro_usd - sum(micro_usd(call.cost_usd) for call in calls)
    tokens = charged.tokens - sum(c.input_tokens + c.output_tokens for c in calls)
    missing = charged.calls - len(calls)
    if missing <= 0 and money <= 0 and tokens <= 0:
        return tuple(calls)
    if missing <= 0:
        *rest, last = calls
        return (*rest, _dearer(last, max(0, money), max(0, tokens)))
    lost = CallRecord(
        role=UNKNOWN,
        model=UNKNOWN,
        input_tokens=0,
        output_tokens=0,
        cost_usd=usd(0),
        finish_reason="lost",
    )
    first = _dearer(lost, max(0, money), max(0, tokens))
    return (*calls, first, *[lost] * (missing - 1))


def _dearer(call: CallRecord, micro: int, tokens: int) -> CallRecord:
    return call.model_copy(
        update={
            "input_tokens": call.input_tokens + tokens,
            "cost_usd": call.cost_usd + usd(micro),
        }
    )
