"""The title and body of a pull request, from what the cycle knows."""

from bot.checks.baseline import Baseline
from bot.cycle.draft import Draft
from bot.cycle.rooms import Rooms
from bot.cycle.work import Made, Task
from bot.domain.change import Action
from bot.domain.record import CheckRecord
from bot.forge.body import CheckLine, PullFacts, pull_body, pull_title


def title_of(rooms: Rooms, made: Made) -> str:
    """Return the pull request's title; the commit's subject follows the same rule."""
    return pull_title(rooms.repo.commit_subject, made.answer.proposal.summary)


def body_of(
    rooms: Rooms, draft: Draft, task: Task, made: Made, baseline: Baseline
) -> str:
    """Return the pull request's body with the hidden marker."""
    proposal = made.answer.proposal
    return pull_body(
        PullFacts(
            gap=task.gap,
            cycle_id=draft.cycle_id,
            base_sha=task.base_sha,
            rationale=rooms.redactor.text(proposal.rationale),
            model_used=proposal.model_used,
            tokens_used=proposal.tokens_used,
            skills_used=proposal.skills_used,
            checks=_checks(draft.tests, baseline),
            output=draft.tests_output,
            added=draft.files[Action.ADD],
            updated=draft.files[Action.UPDATE],
            deleted=draft.files[Action.DELETE],
            unchanged=draft.files[Action.NOOP],
        )
    )


def _checks(
    after: tuple[CheckRecord, ...], baseline: Baseline
) -> tuple[CheckLine, ...]:
    """Return every check with both results; one that is red on the base tells nothing."""
    ran = {record.run: record for record in after}
    return tuple(
        CheckLine(
            run=result.check.run,
            before="green" if result.green else result.detail,
            after=_said(ran.get(result.check.run)),
        )
        for result in baseline.results
    )


def _said(record: CheckRecord | None) -> str:
    if record is None:
        return "not run: it is red on the base already"
    return "green" if record.exit_code == 0 else f"exit code {record.exit_code}"
