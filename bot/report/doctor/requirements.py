"""The requirements documents at the base: read, and what can be done with their gaps."""

from collections import Counter
from collections.abc import Iterator

from bot.cycle.document import standing
from bot.cycle.gaps import Document, decode, read_document
from bot.cycle.standing import History, standing_of
from bot.domain.gap import GapState, GapStatus
from bot.report.doctor.finding import Finding, fail, ok, warn
from bot.report.doctor.subject import Subject
from bot.workspace import history

_SHOWN = 3
_MARKER = b"[bot-eligible]"


def gaps(subject: Subject) -> Iterator[Finding]:
    """Look at the gaps of the base.

    Raises:
        Misconfigured: A document is not UTF-8.
    """
    if subject.base is None:
        return  # told by the look at the base
    git, sha = subject.base
    repo = subject.repo
    globs = ", ".join(repo.prd)
    found = history.files(git, sha, subject.rooms.prd_globs)
    if not found:
        detail = f"no file at {sha[:12]} matches prd = {globs}"
        yield fail(
            "gaps", detail, _uncommitted(subject) or "commit one, or correct `prd`"
        )
        return
    files = [decode(file.path, history.blob(git, file.blob)) for file in found]
    names = frozenset(recipe.name for recipe in repo.recipe)
    document = read_document(files, recipes=names, recipe_needed=len(names) != 1)
    if document.entries:
        yield from told(_standing(subject, document))
    elif document.done_ids:
        yield ok("gaps", f"all {len(document.done_ids)} gaps of {globs} are done")
    else:
        advice = _uncommitted(subject) or "mark a line with [bot-eligible]"
        yield warn("gaps", f"no line of {globs} at {sha[:12]} is marked", advice)


def told(statuses: tuple[GapStatus, ...]) -> Iterator[Finding]:
    """Say how many gaps are in which state, and what is wrong with the faulty ones."""
    count = Counter(status.state for status in statuses)
    states = ", ".join(f"{count[state]} {state}" for state in GapState if count[state])
    yield ok("gaps", states)
    faulty = [status for status in statuses if status.state is GapState.FAULTY]
    if faulty:
        shown = "; ".join(
            f"{s.gap.path}:{s.gap.line_number}: {s.why}" for s in faulty[:_SHOWN]
        )
        more = f"; and {len(faulty) - _SHOWN} more" if len(faulty) > _SHOWN else ""
        yield warn(
            "gaps", f"{len(faulty)} faulty: {shown}{more}", "correct those lines"
        )


def _standing(subject: Subject, document: Document) -> tuple[GapStatus, ...]:
    rooms = subject.rooms
    if subject.has_index:
        return tuple(standing(rooms, document))
    past = History(done_ids=document.done_ids)
    return standing_of(document.entries, past, rooms.clock(), rooms.repo.policy)


def _uncommitted(subject: Subject) -> str:
    """Say so when the person's checkout has markers that the base lacks."""
    checkout = subject.rooms.checkout
    if checkout is None:
        return ""
    for pattern in subject.repo.prd:
        for path in sorted(checkout.glob(pattern)):
            if path.is_file() and _MARKER in path.read_bytes():
                name = path.relative_to(checkout)
                return f"{name} of the checkout has some: commit it to the base"
    return ""
