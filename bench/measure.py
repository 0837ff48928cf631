"""Timing two things in turns, so that a machine's mood falls on both alike."""

import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the result.

    Attributes:
        what: What was measured.
        ours: Our figure, with its unit.
        beside: What stood beside it in the same run, with its figure.
        bound: The bound as the project states it.
        holds: Whether it held.
    """

    what: str
    ours: str
    beside: str
    bound: str
    holds: bool


def in_turns(
    rounds: int, *things: Callable[[], object], warm: int = 2
) -> tuple[list[float], ...]:
    """Run each thing in turn; return the seconds of each, round by round."""
    for _ in range(warm):
        for thing in things:
            thing()
    taken: tuple[list[float], ...] = tuple([] for _ in things)
    for _ in range(rounds):
        for thing, seconds in zip(things, taken, strict=True):
            began = time.perf_counter()
            thing()
            seconds.append(time.perf_counter() - began)
    return taken


def median_ms(seconds: list[float]) -> float:
    """Return the median in milliseconds."""
    return statistics.median(seconds) * 1000


def git(folder: Path, *args: str) -> str:
    """Run plain git, as a person would."""
    done = subprocess.run(
        ("git", "-C", str(folder), *args), check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def machine() -> str:
    """Describe this machine in one line."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    version = subprocess.run(
        ("git", "--version"), check=True, capture_output=True, text=True
    ).stdout.strip()
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), {memory} GB, "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}, "
        f"{version}"
    )
