"""How a stage says that the cycle ends here: a value, never an exception."""

from dataclasses import dataclass

from bot.domain.outcome import Outcome
from bot.errors import (
    ApplyFailed,
    BotError,
    Conflict,
    Deferred,
    Interrupted,
    OverBudget,
    PushRejected,
)


@dataclass(frozen=True, slots=True)
class Ending:
    """The outcome of a cycle and the reason a person reads."""

    outcome: Outcome
    reason: str


_BY_ERROR: tuple[tuple[type[BotError], Outcome], ...] = (
    (Interrupted, Outcome.INTERRUPTED),
    (Deferred, Outcome.DEFERRED),
    (OverBudget, Outcome.SKIPPED_COST),
    (ApplyFailed, Outcome.APPLY_FAILED),
    (Conflict, Outcome.APPLY_FAILED),
    (PushRejected, Outcome.PR_FAILED),
)
_PERSON_MUST_ACT = 2


def ending_of(error: BotError) -> Ending | None:
    """Return how a cycle ends that met this error; None for one that is a bug."""
    for kind, outcome in _BY_ERROR:
        if isinstance(error, kind):
            return Ending(outcome, str(error))
    if error.exit_code == _PERSON_MUST_ACT:
        return Ending(Outcome.MISCONFIGURED, str(error))
    return None
