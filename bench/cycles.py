"""A whole cycle with a trivial recipe beside the bare git commands for the same work."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.ground import config, repository, warm_disk
from bench.measure import Line, git, in_turns, median_ms
from bot.app import App
from bot.cycle.tick import run_tick
from bot.domain.outcome import Outcome
from bot.settings.load import load_settings

_ROUNDS = 7
_MORE_MS = {10_000: 500, 90_000: 1000}


def measure(place: Path) -> Iterator[Line]:
    """Measure a cycle on small and large repositories."""
    for files, more in _MORE_MS.items():
        folder = place / f"files-{files}"
        source = repository(folder / "source", files, gaps=_ROUNDS + 3)
        cycle, bare = _cycle(folder / "bot", source), _bare(folder, source)
        warm_disk(folder)
        ours_s, bare_s = in_turns(_ROUNDS, cycle, bare, warm=2)
        ours, beside = median_ms(ours_s), median_ms(bare_s)
        yield Line(
            f"whole cycle, {files:,} files",
            f"{ours:.0f} ms",
            f"bare git {beside:.0f} ms: {ours / beside:.2f}x",
            f"1.5x plus {more} ms",
            ours <= 1.5 * beside + more,
        )


def _cycle(folder: Path, source: Path) -> Callable[[], None]:
    loaded = load_settings(config(folder, source), {"HOME": str(folder)}, folder)
    app = App(loaded, dict(os.environ))
    rooms = app.rooms(app.one_repo(None))

    def run() -> None:
        record = run_tick(rooms, "tick")
        if record.outcome is not Outcome.OK:
            raise SystemExit(f"a cycle ended {record.outcome}: {record.reason}")

    return run


def _bare(folder: Path, source: Path) -> Callable[[], None]:
    """Return fetch, switch, edit, add, commit and push by plain git."""
    clone = folder / "bare"
    git(folder, "clone", "-q", "-b", "main", str(source), str(clone))
    git(clone, "config", "user.name", "Bench")
    git(clone, "config", "user.email", "bench@example.org")
    number = 0

    def run() -> None:
        nonlocal number
        number += 1
        git(clone, "fetch", "-q", "origin", "main")
        git(clone, "switch", "-q", "-C", f"plain/{number}", "origin/main")
        (clone / f"closed-{number}.txt").write_text(f"{number}\n")
        git(clone, "add", "-A")
        git(clone, "commit", "-q", "-m", f"close {number}")
        git(clone, "push", "-q", "origin", f"plain/{number}")

    return run
