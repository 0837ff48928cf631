"""The commands that a person goes on with, as they are typed."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.domain.outcome import Outcome, exit_code


class LastCycle(Protocol):
    """What is asked of the cycle that just ended."""

    @property
    def cycle_id(self) -> str:
        """Its id."""
        ...

    @property
    def outcome(self) -> str:
        """How it ended."""
        ...

    @property
    def pr_number(self) -> int | None:
        """The pull request that it opened."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """A command and what it is for."""

    command: str
    what: str


def after_demo(
    bot: str,
    *,
    last: LastCycle | None,
    waiting: Sequence[int],
    config: str,
    repository: str,
    options: Sequence[str],
) -> tuple[Step, ...]:
    """Return what follows a cycle of the demo.

    Args:
        bot: How the program is called, ready for a shell.
        last: The cycle.
        waiting: Numbers of the open pull requests, smallest first.
        config: Path of the demo's config.
        repository: Path of the sample.
        options: What `bot demo` was called with.
    """
    configured = shlex.join(("--config", config))

    def step(command: str, what: str) -> Step:
        return Step(f"{bot} {command}", what)

    if last and exit_code(Outcome(last.outcome)):
        return (
            step(f"show {last.cycle_id} {configured}", "how it went"),
            step(f"doctor {configured}", "what this machine lacks"),
        )
    gaps = step(f"gaps {configured}", "what there is to do, and why not")
    if not waiting:
        log = shlex.join(("git", "--git-dir", repository, "log", "-p", "main"))
        return (gaps, Step(log, "what came of it"))
    opened = last.pr_number if last else None
    merges = (
        step(f"pulls merge {number} {configured}", "bring it into main")
        for number in ((opened,) if opened in waiting else waiting)
    )
    return (*merges, step(shlex.join(("demo", *options)), "the next gap"), gaps)


def after_init(
    bot: str, config: Sequence[str], repo: Sequence[str]
) -> tuple[Step, ...]:
    """Return what follows a new config.

    Args:
        bot: How the program is called, ready for a shell.
        config: `--config` and its path, where they are needed.
        repo: `--repo` and the name, where they are needed.
    """
    commands = (
        (("doctor", *config), "whether this machine is ready"),
        (("check", *config, *repo), "set-up and checks on the base, in the sandbox"),
        (("cycle", "--plan", *config, *repo), "which gap comes first; runs nothing"),
    )
    return tuple(Step(f"{bot} {shlex.join(words)}", what) for words, what in commands)
