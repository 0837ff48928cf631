"""Everything that waits for a person, each with the command that answers it."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from bot.cycle.pause import find_pause, pause_files
from bot.cycle.rooms import Rooms
from bot.domain.gap import GapState, GapStatus
from bot.domain.outcome import Outcome
from bot.domain.pull import PullState
from bot.report.gaps import list_gaps

_ENDED_FOR_A_PERSON = frozenset({Outcome.MISCONFIGURED, Outcome.BASELINE_FAILED})


@dataclass(frozen=True, slots=True)
class Waiting:
    """One thing that only a person can decide.

    Attributes:
        repo: The repository it is about.
        kind: `paused`, `misconfigured`, `baseline_failed`, `refused`, `pull_request`,
            or the state of a gap.
        about: The gap, pull request or file.
        why: The reason in words.
        answer: The command that answers it.
    """

    repo: str
    kind: str
    about: str
    why: str
    answer: str


def inbox_of(rooms: Rooms) -> tuple[Waiting, ...]:
    """Return what waits for a person in one repository, the most pressing first."""
    return (
        *_paused(rooms),
        *_last_cycle(rooms),
        *_refused(rooms),
        *_gaps(rooms),
        *_pulls(rooms),
    )


def _paused(rooms: Rooms) -> Iterator[Waiting]:
    files = pause_files(rooms.settings.data_dir, rooms.folder, rooms.checkout)
    pause = find_pause(files, rooms.clock())
    if pause:
        name = rooms.repo.name
        yield Waiting(
            name, "paused", str(pause.path), pause.reason, f"bot resume --repo {name}"
        )


def _last_cycle(rooms: Rooms) -> Iterator[Waiting]:
    last = rooms.index.last_cycle(rooms.repo.name)
    if last and last.outcome in _ENDED_FOR_A_PERSON:
        check = "bot doctor" if last.outcome is Outcome.MISCONFIGURED else "bot check"
        yield Waiting(
            last.repo,
            last.outcome.value,
            last.cycle_id,
            last.reason,
            f"{check} --repo {last.repo}",
        )


def _refused(rooms: Rooms) -> Iterator[Waiting]:
    for finished in rooms.unpublished.all():
        if finished.refused:
            yield Waiting(
                finished.repo,
                "refused",
                finished.gap.id,
                finished.refused,
                _again(rooms, finished.gap.id),
            )


def _gaps(rooms: Rooms) -> Iterator[Waiting]:
    listed = list_gaps(rooms)
    refused = {f.gap.id for f in rooms.unpublished.all() if f.refused}
    if listed.fault:
        yield Waiting(
            listed.repo,
            "misconfigured",
            listed.repo,
            listed.fault,
            f"bot doctor --repo {listed.repo}",
        )
    for status in listed.statuses:
        answer = _answer(rooms, status)
        if answer and status.gap.id not in refused:
            yield Waiting(
                listed.repo, status.state.value, status.gap.id, status.why, answer
            )


def _answer(rooms: Rooms, status: GapStatus) -> str | None:
    gap = status.gap
    again = _again(rooms, gap.id)
    place = f"{gap.path}:{gap.line_number}"
    answers = {
        GapState.NEEDS_HUMAN: f"{again}, or reword {place}",
        GapState.NEEDS_INFO: f"answer in the notes under {place}, or {again}",
        GapState.FAULTY: f"correct {place}",
        GapState.DONE: f"remove the marker in {place}",
    }
    return answers.get(status.state)


def _again(rooms: Rooms, gap_id: str) -> str:
    return f"bot cycle --repo {rooms.repo.name} --gap {gap_id}"


def _pulls(rooms: Rooms) -> Iterator[Waiting]:
    for pull in rooms.index.pulls(rooms.repo.name, PullState.OPEN):
        name = shlex.quote(rooms.repo.name)
        yield Waiting(
            rooms.repo.name,
            "pull_request",
            str(pull.number),
            f"{pull.title}: {pull.url}",
            f"bot pulls merge {pull.number} --repo {name}, or close it",
        )
