"""The published schemas and the page of the data folder are held against real output."""

import json
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from bot.cli.main import run
from bot.domain.record import CycleRecord
from bot.observe.event import event_body
from bot.observe.redact import Redactor
from bot.settings.file import read_toml

ROOT = Path(__file__).resolve().parents[2]
PRD = """\
# Requirements

- [ ] Greet in capitals [bot-eligible] [id:capitals] [p1] [recipe:capitals]
    - Only `hello.txt`.
- [ ] Say goodbye [bot-eligible] [id:goodbye] [recipe:unsure]
- [ ] Write nothing [bot-eligible] [id:empty] [recipe:empty]
- [ ] Ask nobody [bot-eligible] [recipe:nobody]
"""
CONFIG = """\
data_dir = "state"

[observer]
url = "http://127.0.0.1:9/nobody-listens"

[[repo]]
name = "hello"
path = "repository"
base = "main"

[[repo.recipe]]
name = "capitals"
run = "echo HELLO > hello.txt"

[[repo.recipe]]
name = "unsure"
run = "echo 'unclear: to whom?'; echo '- To all?'; exit 78"

[[repo.recipe]]
name = "empty"
run = ": > hello.txt"

[[repo.setup]]
run = "mkdir made && echo yes > made/it"
network = false

[[repo.check]]
run = "test -s hello.txt && test -s made/it"
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a config, a repository, and a past of three cycles."""
    folder = tmp_path_factory.mktemp("shapes")
    repository = folder / "repository"
    repository.mkdir()
    (repository / "PRD.md").write_text(PRD, "utf-8")
    (repository / "hello.txt").write_text("hello\n")
    (folder / "bot.toml").write_text(CONFIG, "utf-8")
    for words in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        ("commit", "-q", "-m", "Begin"),
    ):
        subprocess.run(["git", "-C", str(repository), *words], check=True)
    for gap, code in (("capitals", 0), ("goodbye", 1), ("empty", 1)):
        assert code == bot(folder, "cycle", "--gap", gap)
    return folder


def bot(folder: Path, *arguments: str) -> int:
    """Run a command of the bot in this process."""
    return run([*arguments, "--config", str(folder / "bot.toml")], {})


def asked(
    folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str
) -> dict[str, Any]:
    """Run a command of the bot and return the JSON that it prints."""
    capsys.readouterr()
    bot(folder, *arguments, "--json")
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def faults(name: str, value: object) -> list[str]:
    """Return what a published schema finds wrong with a value."""
    file = ROOT / f"docs/schema/{name}.schema.json"
    schema = json.loads(file.read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema, format_checker=FormatChecker())
    return [error.message for error in validator.iter_errors(value)]


@pytest.mark.parametrize(
    ("name", "noun", "count", "arguments"),
    [
        ("gaps", "gaps", 4, ("gaps",)),
        ("why", "gaps", 1, ("why", "goodbye")),
        ("cycles", "cycles", 3, ("history",)),
        ("pulls", "pulls", 1, ("pulls", "list", "--all")),
        ("checks", "checks", 1, ("check",)),
    ],
)
def test_lists_match_their_schema(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    noun: str,
    count: int,
    arguments: tuple[str, ...],
) -> None:
    """What a command prints with `--json` is as its schema says, entry by entry."""
    printed = asked(place, capsys, *arguments)
    assert [] == faults(name, printed)
    assert count == len(printed[noun])


@pytest.mark.parametrize("name", ["gaps", "why", "cycles", "pulls", "checks"])
def test_list_schemas_are_exact(
    place: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """A key too many or too few in an entry is refused."""
    arguments = {
        "gaps": ("gaps",),
        "why": ("why", "goodbye"),
        "cycles": ("history",),
        "pulls": ("pulls", "list"),
        "checks": ("check",),
    }
    printed = asked(place, capsys, *arguments[name])
    noun = "gaps" if name == "why" else name
    entry = printed[noun][0]
    assert [] != faults(name, {**printed, noun: [{**entry, "more": 1}]})
    for key in entry:
        less = {k: v for k, v in entry.items() if k != key}
        assert [] != faults(name, {**printed, noun: [less]})


def records(place: Path) -> Iterator[Path]:
    """Yield the record files."""
    yield from (place / "state/hello/cycles").rglob("*.json")


def test_records_and_events_match_their_schema(place: Path) -> None:
    """Each record file and its event are as their schemas say."""
    outcomes = set()
    for path in records(place):
        record = CycleRecord.model_validate_json(path.read_bytes())
        event = json.loads(event_body(record, Redactor([])))
        assert [] == faults("record", json.loads(path.read_bytes()))
        assert [] == faults("event", event)
        outcomes.add(record.outcome.value)
    assert {"ok", "proposal_rejected", "tests_failed"} == outcomes


def test_a_record_lacks_nothing(place: Path) -> None:
    """A record without one of its fields is refused by the schema."""
    record = json.loads(next(records(place)).read_bytes())
    for key in record:
        less = {k: v for k, v in record.items() if k != key}
        assert [] != faults("record", less), key


def test_show_prints_the_record(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`bot show CYCLE --json` prints the record file's content."""
    path = next(records(place))
    printed = asked(place, capsys, "show", path.stem)
    assert json.loads(path.read_bytes()) == printed


def test_configs_match_their_schema(place: Path) -> None:
    """The commented default config and one in use are as the schema says."""
    for file in (place / "bot.toml", ROOT / "config/bot.toml"):
        as_json = json.loads(json.dumps(read_toml(file), default=float))
        assert [] == faults("config", as_json)
    assert [] != faults("config", {"repo": [{"name": "x", "pth": "."}]})


def test_every_file_of_the_data_folder_is_told_of(place: Path) -> None:
    """Whatever cycles leave under the data folder has a line on its page."""
    source = read_toml(ROOT / "docs/sources/data-folder.toml")
    entries: Any = source["entry"]
    patterns = [pattern for entry in entries for pattern in entry["match"]]
    state = place / "state"
    left = [str(path.relative_to(state)) for path in state.rglob("*") if path.is_file()]
    assert [] == [name for name in left if not any(fits(name, p) for p in patterns)]
    used = [p for p in patterns if any(fits(name, p) for name in left)]
    assert {"bot.sqlite3", "outbox/*", "*/setup/**", "*/attempts/*"} <= set(used)


def fits(name: str, pattern: str) -> bool:
    """Say whether a path fits a pattern in which `*` stays within a name."""
    if pattern.endswith("/**"):
        depth = pattern.count("/")
        return fits("/".join(name.split("/")[:depth]), pattern.removesuffix("/**"))
    parts, wanted = name.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))
