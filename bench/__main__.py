"""`make bench`: measure, print the table, write it to `bench/results/`."""

import os
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bench import commands, cycles, gateway, ticks
from bench.measure import Line, machine

_RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Run every measurement; the exit status says whether all bounds held."""
    with tempfile.TemporaryDirectory(prefix="gapwright-bench-") as folder:
        os.environ["HOME"] = folder
        lines = []
        for line in _all(Path(folder)):
            print(f"{line.what:<45} {line.ours:>10}   {line.beside}", file=sys.stderr)
            lines.append(line)
    text = _table(lines)
    print(text)
    _RESULTS.mkdir(exist_ok=True)
    (_RESULTS / "cycle.md").write_text(text)
    return 0 if all(line.holds for line in lines) else 1


def _all(place: Path) -> Iterator[Line]:
    yield from commands.measure(place)
    yield from ticks.measure(place)
    yield from cycles.measure(place)
    yield from gateway.measure(place)


def _table(lines: list[Line]) -> str:
    head = (
        "# Cycle: measured side by side\n\n"
        f"{datetime.now(UTC):%Y-%m-%d}, {machine()}. Medians; each pair ran in turns in "
        "one process.\nWritten by `make bench`.\n\n"
        "| what | ours | beside it, in the same run | bound | held |\n"
        "|---|---|---|---|---|\n"
    )
    rows = (
        f"| {x.what} | {x.ours} | {x.beside} | {x.bound} | {'yes' if x.holds else 'NO'} |"
        for x in lines
    )
    return head + "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.exit(main())
