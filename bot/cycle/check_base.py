"""`bot check`: set-up and checks on the base as a cycle would run them, or a shell there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bot.checks.run import CheckResult
from bot.checks.setup import SetUpFailed, SetUpResult
from bot.cycle.rooms import Rooms
from bot.cycle.runs import require_checks, run_on_tree, set_up
from bot.errors import BotError
from bot.sandbox.job import Job
from bot.store.files import probe
from bot.store.locks import holder, repository_lock


@dataclass(frozen=True, slots=True)
class Looked:
    """What the checks said of the base.

    Attributes:
        repo: The repository's name.
        base_sha: The base they ran on.
        sandbox: What confined them.
        results: Each check that ran.
        fault: Why they could not run; None when they did.
    """

    repo: str
    base_sha: str
    sandbox: str
    results: tuple[CheckResult, ...] = ()
    fault: str | None = None


def check_base(
    rooms: Rooms,
    say: Callable[[str], None],
    on_output: Callable[[str], None] | None = None,
) -> Looked:
    """Run set-up and every check on the fetched base, in the sandbox.

    Args:
        rooms: The repository.
        say: Told what is under way.
        on_output: Called with what the checks print, as it comes.

    Raises:
        BotError: A cycle is at work, or the repository can't be used.
    """
    require_checks(rooms)
    with _held(rooms):
        say("fetching the base")
        base = rooms.clone().fetch_base()
        looked = Looked(rooms.repo.name, base.sha, rooms.sandbox().describe())
        say("set-up")
        ready = _ready(rooms, base.sha)
        if isinstance(ready, SetUpFailed):
            return _failed(looked, ready)
        say("checks")
        results = run_on_tree(
            rooms, rooms.repo.check, ready, stop_at_red=False, on_output=on_output
        )
        rooms.tree().move_to(base.sha)
    return Looked(looked.repo, looked.base_sha, looked.sandbox, results)


def open_shell(rooms: Rooms) -> int:
    """Open a shell on the base where the checks would run; return its exit status.

    Raises:
        BotError: A cycle is at work, the repository can't be used, or set-up failed.
    """
    with _held(rooms):
        base = rooms.clone().fetch_base()
        ready = _ready(rooms, base.sha)
        if isinstance(ready, SetUpFailed):
            raise BotError(f"{ready.reason}\n{ready.output}")
        job = Job(
            command="exec sh -i",
            tree=rooms.tree().path,
            timeout_s=_A_DAY_S,
            binds=ready.binds,
            git_dir=rooms.clone().path,
        )
        code = rooms.sandbox().shell(job)
        rooms.tree().move_to(base.sha)
        return code


_A_DAY_S = 86_400.0


@contextmanager
def _held(rooms: Rooms) -> Iterator[None]:
    """Hold the repository's lock, or say who does."""
    probe(rooms.settings.data_dir)
    with repository_lock(rooms.folder, "bot check") as is_ours:
        if not is_ours:
            other = holder(rooms.folder) or "another process"
            raise BotError(f"a cycle is at work ({other}); try again when it has ended")
        yield


def _ready(rooms: Rooms, base_sha: str) -> SetUpResult | SetUpFailed:
    ready = set_up(rooms, base_sha)
    rooms.tree().move_to(base_sha)
    return ready


def _failed(looked: Looked, failed: SetUpFailed) -> Looked:
    fault = f"{failed.reason}\n{failed.output}"
    return Looked(looked.repo, looked.base_sha, looked.sandbox, fault=fault)
