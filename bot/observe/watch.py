"""What the log says of cycles: one line each, with every measured number."""

from typing import TYPE_CHECKING

from bot.domain.outcome import Outcome, exit_code
from bot.domain.record import CycleRecord
from bot.observe.log import configure, get_logger
from bot.observe.redact import Redactor

if TYPE_CHECKING:
    from typing import TextIO


class LogWatcher:
    """Logs how cycles end, for machines; steps stand in the record.

    Args:
        redactor: Takes the secrets out of every entry.
        stream: Where entries go; None is standard error.
    """

    def __init__(self, redactor: Redactor, stream: "TextIO | None" = None) -> None:
        configure(redactor, stream=stream, json=True)
        self._log = get_logger()

    def step(self, name: str, detail: str) -> None:
        """Leave the steps to the record."""

    def ended(self, record: CycleRecord) -> None:
        """Log the one line of a cycle."""
        gap, proposal = record.gap, record.proposal
        say = self._log.error if _is_failure(record.outcome) else self._log.info
        say(
            "cycle.done",
            cycle_id=record.cycle_id,
            repo=record.repo,
            outcome=record.outcome.value,
            reason=record.reason,
            duration_ms=record.duration_ms,
            gap=gap.id if gap else None,
            model=proposal.model_used if proposal else None,
            files=len(proposal.files) if proposal else 0,
            tests_green=record.tests_green,
            pr=record.pr_number,
            calls=record.cloud_calls,
            tokens=record.tokens_used,
            cost_usd=float(record.cost_usd),
            steps={step.name: step.duration_ms for step in record.steps},
        )

    def warn(self, event: str, detail: str) -> None:
        """Log a warning."""
        self._log.warning(event, detail=detail)


def _is_failure(outcome: Outcome) -> bool:
    return exit_code(outcome) != 0
