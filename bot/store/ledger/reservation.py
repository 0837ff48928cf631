"""Money set aside for one request, and the four ways in which it ends."""

from collections.abc import Callable

from bot.errors import BotError
from bot.store.ledger.values import Settled, Usage


class AlreadySettled(BotError):
    """The reservation was settled before; settling is done once."""


class Reservation:
    """Money set aside for one request; each way to end it raises `AlreadySettled`.

    Args:
        ident: Its id in the ledger.
        worst: What was set aside.
        end: Writes the settlement, once.
    """

    def __init__(
        self, ident: str, worst: Usage, end: Callable[[Settled], None]
    ) -> None:
        self.id = ident
        self.worst = worst
        self._end = end

    def settle(self, usage: Usage) -> Settled:
        """Charge the usage in full, also when it is above the worst case."""
        over = not usage.fits(self.worst)
        return self._ended(Settled.at(usage, "usage", over=over))

    def release_unsent(self) -> Settled:
        """Charge nothing: the request never left."""
        return self._ended(Settled(how="unsent"))

    def settle_lost(self) -> Settled:
        """Charge the worst case: the request left and no answer came."""
        return self._ended(Settled.at(self.worst, "lost"))

    def settle_http_error(self) -> Settled:
        """Charge a call and no money: the answer was an error without usage."""
        return self._ended(Settled(calls=1, how="http_error"))

    def _ended(self, settled: Settled) -> Settled:
        self._end(settled)
        return settled
