"""Whole processes: how long a command takes and how much memory it needs."""

import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.ground import config, repository
from bench.measure import Line

_ROUNDS = 15


def measure(place: Path) -> Iterator[Line]:
    """Measure `bot --help` and a paused `bot cycle` beside a Python that does nothing."""
    source = repository(place / "paused", files=10, gaps=1)
    file = config(place / "paused-bot", source)
    (source / "bot.paused").touch()
    bot = (sys.executable, "-m", "bot")
    commands = {
        "python -c pass": (sys.executable, "-c", "pass"),
        "bot --help": (*bot, "--help"),
        "bot cycle, paused": (*bot, "cycle", "--config", str(file)),
    }
    seconds, memory = _in_turns(commands, place)
    nothing = statistics.median(seconds["python -c pass"])
    for name, bound in (("bot --help", 0.25), ("bot cycle, paused", 0.6)):
        took = statistics.median(seconds[name])
        yield Line(
            name,
            f"{took:.2f} s",
            f"an empty Python {nothing:.2f} s: {took / nothing:.1f}x",
            f"{bound} s",
            took <= bound,
        )
    peak = max(memory["bot cycle, paused"]) / 1024
    plain = max(memory["python -c pass"]) / 1024
    yield Line(
        "peak memory of it",
        f"{peak:.0f} MB",
        f"an empty Python {plain:.0f} MB",
        "80 MB",
        peak <= 80,
    )


def _in_turns(
    commands: dict[str, Sequence[str]], cwd: Path
) -> tuple[dict[str, list[float]], dict[str, list[int]]]:
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    memory: dict[str, list[int]] = {name: [] for name in commands}
    for turn in range(_ROUNDS + 1):
        for name, command in commands.items():
            took, peak = _process(command, cwd)
            if turn:  # the first fills the caches
                seconds[name].append(took)
                memory[name].append(peak)
    return seconds, memory


def _process(command: Sequence[str], cwd: Path) -> tuple[float, int]:
    """Run a command; return its wall time in seconds and its peak memory in KB."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    began = time.perf_counter()
    pid = os.posix_spawn(
        command[0],
        command,
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, fd) for fd in (0, 1, 2)],
    )
    _, status, usage = os.wait4(pid, 0)
    took = time.perf_counter() - began
    os.close(nowhere)
    if status:
        raise SystemExit(f"{' '.join(command)} in {cwd} ended with {status}")
    return took, usage.ru_maxrss
