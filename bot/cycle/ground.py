"""Step 9: what can be known before anything is paid.

The set-up and the checks on the base itself, and whether the gap names nothing but
protected paths. Set-up results and baselines are kept, so this is free on a known base.
"""

import re
from collections.abc import Callable

from bot.checks.setup import SetUpFailed
from bot.cycle.draft import Draft
from bot.cycle.ending import Ending
from bot.cycle.rooms import Rooms
from bot.cycle.runs import baseline_of, require_checks, set_up
from bot.cycle.work import Ground, Task
from bot.domain.outcome import Outcome
from bot.workspace.paths import first_protected

# Two looks that each take linear time: one pattern for both would try every split of a
# long word, and a word may be as long as the document.
_WORD = re.compile(r"[\w.@+/-]+")
_SUFFIX = re.compile(r"\.[A-Za-z]\w{0,9}\Z")

OnOutput = Callable[[str], None]


def prepare(rooms: Rooms, draft: Draft, task: Task) -> Ground | Ending:
    """Set the base up, run its checks unless they are known, look at the gap's paths.

    Raises:
        Misconfigured: The repository has no check.
        SandboxUnavailable: Untrusted code can't be confined here.
    """
    require_checks(rooms)
    if reason := _only_protected(rooms, task.gap.text):
        return Ending(Outcome.PROPOSAL_REJECTED, reason)
    with draft.step("sandbox"):
        draft.sandbox = rooms.sandbox().describe()
        draft.note(draft.sandbox)
    with draft.step("set-up", durable=True):
        ready = set_up(rooms, task.base_sha)
        draft.note(ready.reason if isinstance(ready, SetUpFailed) else ready.note)
    if isinstance(ready, SetUpFailed):
        draft.tests_output = rooms.redactor.text(ready.output)
        return Ending(Outcome.BASELINE_FAILED, rooms.redactor.text(ready.reason))
    with draft.step("baseline", durable=True):
        baseline = baseline_of(rooms, task.base_sha, ready)
        rooms.stop_if_cancelled(draft)
        draft.note(baseline.note)
    if not baseline.usable:
        draft.tests_output = rooms.redactor.text(baseline.output)
        return Ending(Outcome.BASELINE_FAILED, rooms.redactor.text(baseline.reason))
    return Ground(ready, baseline)


def named_paths(text: str) -> tuple[str, ...]:
    """Return the words of a text that read as paths: with a slash, or with a suffix."""
    words = (word.rstrip("./") for word in _WORD.findall(text))
    return tuple(word for word in words if "/" in word or _SUFFIX.search(word))


def _only_protected(rooms: Rooms, text: str) -> str | None:
    """Return why a gap is turned away that names protected paths and no others."""
    rules = rooms.rules()
    named = named_paths(text)
    if rules.on_protected != "block" or not named:
        return None
    hits = [(path, first_protected(rules.protected, path)) for path in named]
    if not all(pattern for _, pattern in hits):
        return None
    path, pattern = hits[0]
    return (
        f"the gap names only protected paths ({path} matches {pattern}): do it by hand, "
        "or change `policy.protected` or `policy.on_protected`"
    )
