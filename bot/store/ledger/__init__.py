"""The money: every request is reserved at its worst case and settled at its cost."""

from bot.store.ledger.book import CapReached
from bot.store.ledger.ledger import Ledger
from bot.store.ledger.money import in_words, micro_usd, usd
from bot.store.ledger.reservation import AlreadySettled, Reservation
from bot.store.ledger.values import (
    Caps,
    Left,
    PeriodCaps,
    Request,
    Scope,
    Settled,
    SpendRow,
    Totals,
    Usage,
)

__all__ = [
    "AlreadySettled",
    "CapReached",
    "Caps",
    "Ledger",
    "Left",
    "PeriodCaps",
    "Request",
    "Reservation",
    "Scope",
    "Settled",
    "SpendRow",
    "Totals",
    "Usage",
    "in_words",
    "micro_usd",
    "usd",
]
