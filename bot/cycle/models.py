"""The model proposer of one repository, built where models are configured."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from bot.cycle.rooms import Rooms
from bot.errors import Misconfigured
from bot.llm.gateway import Gateway
from bot.llm.prices import price_of
from bot.llm.replies import ReplyStore
from bot.llm.target import target_of
from bot.llm.values import CallScope, Message, Reply
from bot.propose.edits import Texts
from bot.propose.model import MAX_OUTPUT, ModelProposer
from bot.propose.prompt import is_searched
from bot.propose.proposer import Task
from bot.store.search import Search
from bot.workspace.corpus import Corpus
from bot.workspace.rules import EXECUTABLE
from bot.workspace.snapshot import Snapshot
from bot.workspace.text import conform, decode

if TYPE_CHECKING:
    from bot.cycle.work import Task as CycleTask
    from bot.workspace.trees import Tree

ROLE = "proposer"


class BaseFiles:
    """A commit's files as they lie in the cycle's tree, which is moved there first."""

    def __init__(self, tree: "Tree", sha: str) -> None:
        tree.move_to(sha)
        self._snapshot = Snapshot(tree.git, sha)

    def read(self, path: str) -> bytes | None:
        """Return a file; None where there is none."""
        entry = self._snapshot.entry(path)
        return None if entry is None else entry.content

    def paths(self) -> Collection[str]:
        """Return all paths."""
        return self._snapshot.paths()

    def is_executable(self, path: str) -> bool:
        """Whether a file has its x bit."""
        entry = self._snapshot.entry(path)
        return entry is not None and entry.mode == EXECUTABLE


def open_gateway(rooms: Rooms) -> Gateway:
    """Return the door to models for this repository."""
    return Gateway(
        rooms.settings.models,
        rooms.ledger,
        ReplyStore(rooms.folder / "replies"),
        rooms.settings.data_dir / "models",
        zone=rooms.settings.zone,
        clock=rooms.clock,
        secret=rooms.secret,
        redact=rooms.redactor.text,
        warn=rooms.watcher.warn,
        is_cancelled=rooms.is_cancelled,
    )


def model_proposer(rooms: Rooms, gateway: Gateway) -> ModelProposer:
    """Return the proposer that asks this repository's models."""
    corpus = Corpus(
        rooms.clone().git,
        Search(rooms.folder / "cache" / "search.sqlite3"),
        is_searched,
    )

    def ask(messages: Sequence[Message], task: Task) -> Reply:
        scope = CallScope(
            repo=rooms.repo.name,
            caps=rooms.caps(),
            gap_id=task.gap.id,
            cycle_id=task.cycle_id,
            resumes=task.resumes,
            after=task.tried,
        )
        return gateway.ask(ROLE, messages, scope, MAX_OUTPUT)

    return ModelProposer(
        ask,
        lambda: gateway.room(ROLE, MAX_OUTPUT),
        corpus.at,
        lambda sha: BaseFiles(rooms.tree(), sha),
        [check.run for check in rooms.repo.check],
        Texts(decode=decode, conform=conform),
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """What the first model would be asked, and what that could cost."""

    messages: tuple[Message, ...]
    files: tuple[str, ...]
    worst_usd: Decimal


def first_question(rooms: Rooms, task: "CycleTask", cycle_id: str) -> Asked:
    """Build the prompt of a gap without asking anybody.

    Raises:
        Misconfigured: A price or a server is not right.
    """
    gateway = open_gateway(rooms)
    question = Task(task.gap, task.base_sha, cycle_id, task.memory, origin=cycle_id)
    prompt = model_proposer(rooms, gateway).first_prompt(question)
    worst = gateway.worst_case(ROLE, prompt.messages, MAX_OUTPUT)
    return Asked(prompt.messages, prompt.files_shown, worst)


def can_spend(rooms: Rooms) -> bool:
    """Whether a model of the proposer could cost money; an unknown price counts as one."""
    models = rooms.settings.models
    for name in models.proposer:
        target = target_of(name, models)
        if not (target.is_free or _is_free(rooms, name)):
            return True
    return False


def _is_free(rooms: Rooms, name: str) -> bool:
    models = rooms.settings.models
    try:
        return price_of(target_of(name, models), models, rooms.clock()).worst(1, 1) == 0
    except Misconfigured:
        return False
