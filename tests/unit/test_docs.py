"""The documentation is held against the program: pages, links, configs and commands."""

import ast
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.domain.outcome import Outcome, exit_code
from bot.settings.load import load_settings

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from reference import commands, tables  # noqa: E402 - found by the line above

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], key=str)
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REPO = '[[repo]]\nname = "docs"\npath = "."\nbase = "main"\n'
_HERE = ROOT / "docs/sources"


def named(page: Path) -> str:
    """Return a page's path in the repository, as the id of a case."""
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """Yield the fenced blocks of a page with their info string."""
    yield from FENCE.findall(page.read_text("utf-8"))


def commands_in(page: Path) -> Iterator[str]:
    """Yield every command line of `bot` that a page names."""
    text = FENCE.sub("", page.read_text("utf-8"))
    yield from re.findall(r"`(bot(?: [^`\n]+)?)`", text)
    for info, block in blocks(page):
        if info == "sh":
            lines = (line.partition("  #")[0].strip() for line in block.splitlines())
            yield from (line for line in lines if re.match(r"bot\b", line))


def docs(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `scripts/docs.py`."""
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts/docs.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_generated_pages_are_up_to_date() -> None:
    """The pages in the repository are what the program says now."""
    checked = docs("--check")
    assert (0, "") == (checked.returncode, checked.stdout)


def test_check_names_each_stale_page_and_writes_nothing(tmp_path: Path) -> None:
    """A changed and a missing page are named, and `--check` leaves them so."""
    written = docs("--into", str(tmp_path))
    assert 0 == written.returncode
    (tmp_path / "reference/config.md").write_text("old")
    (tmp_path / "schema/event.schema.json").unlink()
    checked = docs("--check", "--into", str(tmp_path))
    assert 1 == checked.returncode
    assert [
        f"{tmp_path}/reference/config.md: is out of date: run `make docs`",
        f"{tmp_path}/schema/event.schema.json: is out of date: run `make docs`",
    ] == checked.stdout.splitlines()
    assert "old" == (tmp_path / "reference/config.md").read_text()


def test_writing_makes_only_what_is_out_of_date(tmp_path: Path) -> None:
    """A second run has nothing to write."""
    docs("--into", str(tmp_path))
    assert "" == docs("--into", str(tmp_path)).stdout


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    """Each relative link names a file that is there, and a heading in it."""
    text = FENCE.sub("", page.read_text("utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if anchor:
            assert anchor in set(anchors(file)), target


def anchors(page: Path) -> Iterator[str]:
    """Yield the anchors that headings of a page get."""
    for heading in re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE):
        kept = re.sub(r"[^\w\- ]", "", heading.lower())
        yield kept.replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_configs_load(page: Path, tmp_path: Path) -> None:
    """Each block of TOML is a whole config or a part of `[[repo]]`, and loads."""
    for info, block in blocks(page):
        if not info.startswith("toml"):
            continue
        assert info in {"toml config", "toml repo"}
        file = tmp_path / "bot.toml"
        file.write_text(block if info == "toml config" else REPO + block, "utf-8")
        loaded = load_settings(file, {"HOME": str(tmp_path)}, tmp_path)
        about_keys = [w for w in loaded.warnings if "there is no [[repo." not in w]
        unconfined = 'kind = "none"' in block
        assert unconfined == bool(about_keys), about_keys


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_exist(page: Path) -> None:
    """Each command line of `bot` names a command that is there, with such options."""
    known = dict(commands.walk())
    groups = {name.rpartition(" ")[0] for name in known}
    for line in commands_in(page):
        words = shlex.split(line.replace("…", "X"))
        bare = [word for word in words if not word.startswith("-")]
        name = next(
            (
                " ".join(bare[:count])
                for count in (3, 2)
                if " ".join(bare[:count]) in known
            ),
            None,
        )
        if name is None:
            assert line in {
                *groups,
                "bot --help",
                "bot --version",
                "bot COMMAND --help",
            }
            continue
        options = {opt for param in known[name].params for opt in param.opts}
        for word in words:
            if word.startswith("-"):
                assert word.partition("=")[0] in {*options, "--help"}, line


def test_readme_is_short_and_tells_every_outcome() -> None:
    """README has under 150 lines and the outcomes in order with their exit statuses."""
    text = (ROOT / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| (\d+) \|$", text, re.MULTILINE)
    assert [(o.value, str(exit_code(o))) for o in Outcome] == rows
    assert len(text.splitlines()) < 150


@pytest.mark.parametrize("change", ["missing", "unknown"])
def test_meanings_are_tied_to_the_outcomes(tmp_path: Path, change: str) -> None:
    """A meaning too few or too many is an error that names it."""
    text = (_HERE / "outcomes.toml").read_text("utf-8")
    source = tmp_path / "outcomes.toml"
    if change == "missing":
        source.write_text(text.replace("[crashed]", "[crushed]"), "utf-8")
    else:
        source.write_text(text + '\n[crushed]\nmeaning = "x"\nacts = "y"\n', "utf-8")
    with pytest.raises(ValueError, match="crushed on one side only"):
        tables.outcomes_page(source)


def test_index_links_every_page() -> None:
    """Each page of the documentation is reached from its index."""
    index = (ROOT / "docs/index.md").read_text("utf-8")
    pages = [p.relative_to(ROOT / "docs") for p in (ROOT / "docs").rglob("*.md")]
    unlinked = [str(p) for p in pages if f"({p})" not in index and p.name != "index.md"]
    assert [] == unlinked


def imported_by(module: str) -> set[str]:
    """Return the modules of the program that import this one, by reading them."""
    found = set()
    for file in (ROOT / "bot").rglob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        names = [
            name
            for node in ast.walk(tree)
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        ]
        if any(name.partition(".")[0] == module for name in names):
            found.add(".".join(file.relative_to(ROOT).with_suffix("").parts))
    return found


@pytest.mark.parametrize("package", tables.needed())
def test_dependencies_are_imported_where_the_page_says(package: str) -> None:
    """Each package is imported in the places that its line names, and nowhere else."""
    line = tables.read(_HERE / "dependencies.toml")["needed"][package]
    places = line["modules"]
    importers = imported_by(line["imports"])
    strangers = [i for i in importers if not any(within(i, p) for p in places)]
    unused = [p for p in places if not any(within(i, p) for i in importers)]
    assert ([], []) == (strangers, unused)


def within(module: str, place: str) -> bool:
    """Say whether a module is a place or below it."""
    return module == place or module.startswith(f"{place}.")


@pytest.mark.parametrize("kind", ["needed", "extra", "dev"])
def test_a_dependency_without_a_line_is_an_error(tmp_path: Path, kind: str) -> None:
    """Taking out one line of the page's source is an error that names the package."""
    text = (_HERE / "dependencies.toml").read_text("utf-8")
    name = next(iter(tables.read(_HERE / "dependencies.toml")[kind]))
    source = tmp_path / "dependencies.toml"
    source.write_text(text.replace(f"[{kind}.{name}]", f"[{kind}.other]"), "utf-8")
    with pytest.raises(ValueError, match=f"{name}.*on one side only"):
        tables.dependencies_page(source)


def test_rooms_page_names_every_room() -> None:
    """The page of rooms has a row for each folder and module at the top of `bot/`."""
    text = (ROOT / "docs/explanation/rooms.md").read_text("utf-8")
    rows = re.findall(r"^\| `bot/([\w.]+)` \|", text, re.MULTILINE)
    rooms = {
        p.name
        for p in (ROOT / "bot").iterdir()
        if (p / "__init__.py").exists() or p.suffix == ".py"
    }
    assert rooms - {"__init__.py", "__main__.py", "testing"} == set(rows)


def test_cycle_page_names_every_step() -> None:
    """Each step that a record can hold is explained on the page of the cycle."""
    text = (ROOT / "docs/explanation/cycle.md").read_text("utf-8")
    source = "".join(p.read_text("utf-8") for p in (ROOT / "bot/cycle").glob("*.py"))
    steps = set(re.findall(r'draft\.step\(\s*"([^"]+)"', source))
    told = set(re.findall(r"\*([a-z -]+)\*", text))
    assert steps == told & steps
    assert len(steps) > 10


def test_the_extra_is_named_as_the_docs_say() -> None:
    """`gapwright[bwrap]`, as the docs write it, is an extra that there is."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert "bwrap" in project["optional-dependencies"]
