"""Pages that are tables of what the program knows and what `docs/sources` says of it."""

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bot.domain.outcome import ATTEMPTS, Outcome, exit_code

_PROJECT = Path(__file__).resolve().parent.parent.parent / "pyproject.toml"


def read(source: Path) -> dict[str, Any]:
    """Return a source's tables."""
    return tomllib.loads(source.read_text("utf-8"))


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells) + "\n"


def outcomes_page(source: Path) -> str:
    """Return the page of outcomes; a missing or unknown one is an error."""
    texts = read(source)
    if unknown := texts.keys() ^ {*Outcome, "page"}:
        raise ValueError(f"{source}: {', '.join(sorted(unknown))} on one side only")
    rows = [
        (
            f"`{outcome}`",
            texts[outcome]["meaning"],
            str(exit_code(outcome)),
            "yes" if outcome in ATTEMPTS else "no",
            texts[outcome]["acts"],
            "yes" if texts[outcome].get("exists", True) else "not yet",
        )
        for outcome in Outcome
    ]
    headings = ("Outcome", "Meaning", "Exit", "An attempt?", "Who acts", "Happens?")
    page = texts["page"]
    return "\n".join([page["before"], table(headings, rows), page["after"]])


def data_folder_page(source: Path) -> str:
    """Return the page of the files under the data folder."""
    texts = read(source)
    rows = [(_listed(one["paths"]), one["what"], one["kept"]) for one in texts["entry"]]
    headings = ("Path under `data_dir`", "What it is", "May it be deleted?")
    return "\n".join([texts["before"], table(headings, rows), texts["after"]])


def dependencies_page(source: Path) -> str:
    """Return the page of dependencies; a missing or unknown one is an error."""
    texts = read(source)
    kinds = {"needed": needed(), "extra": extras(), "dev": development()}
    parts = [texts["before"]]
    for kind, names in kinds.items():
        lines = texts[kind]
        if unknown := lines.keys() ^ set(names):
            raise ValueError(f"{source}: {', '.join(sorted(unknown))} on one side only")
        parts.append(texts["heading"][kind] + "\n")
        parts.append(_dependencies(kind, names, lines))
    return "\n".join(parts)


def _dependencies(kind: str, names: Sequence[str], lines: dict[str, Any]) -> str:
    if kind != "needed":
        rows = [(f"`{name}`", lines[name]["why"]) for name in names]
        return table(("Package", "Why"), rows)
    full = [
        (f"`{name}`", _listed(lines[name]["modules"]), lines[name]["why"])
        for name in names
    ]
    return table(("Package", "Imported by", "Why"), full)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def needed() -> list[str]:
    """Return the names of the packages that the program needs to run."""
    return list(_names(_project()["project"]["dependencies"]))


def extras() -> list[str]:
    """Return the names of the packages of all extras."""
    groups = _project()["project"]["optional-dependencies"].values()
    return list(dict.fromkeys(name for group in groups for name in _names(group)))


def development() -> list[str]:
    """Return the names of the packages that the checks of this repository need."""
    return list(_names(_project()["dependency-groups"]["dev"]))


def _project() -> dict[str, Any]:
    return tomllib.loads(_PROJECT.read_text("utf-8"))


def _names(requirements: Iterable[str]) -> Iterator[str]:
    for requirement in requirements:
        yield requirement.partition(">")[0].partition("[")[0].strip()
