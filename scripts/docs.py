#!/usr/bin/env python3
"""Writes the pages of `docs/` that are made from the program, or checks them.

scripts/docs.py            writes every page that is out of date
scripts/docs.py --check    names each page that is out of date, and then ends with 1
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from reference import pages

_DOCS = Path(__file__).resolve().parent.parent / "docs"


def main(arguments: Sequence[str]) -> int:
    """Run with the arguments of the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument(
        "--into", type=Path, default=_DOCS, metavar="DIR", help="default: docs/"
    )
    options = parser.parse_args(arguments)
    made = pages(_DOCS / "sources")
    stale = sorted(out_of_date(options.into, made))
    for path in stale:
        if not options.check:
            _write(options.into / path, made[path])
        said = "is out of date: run `make docs`" if options.check else "written"
        sys.stdout.write(f"{options.into / path}: {said}\n")
    return 1 if options.check and stale else 0


def out_of_date(folder: Path, made: Mapping[str, str]) -> Iterator[str]:
    """Yield the pages that the folder lacks or has otherwise."""
    for path, text in made.items():
        page = folder / path
        if not page.is_file() or page.read_text("utf-8") != text:
            yield path


def _write(page: Path, text: str) -> None:
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
