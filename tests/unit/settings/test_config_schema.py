"""The JSON schema, the reference page and the commented config hold every key."""

import json
import re
import subprocess
import sys
import tomllib
from decimal import Decimal
from pathlib import Path

import jsonschema
import pytest

from bot.settings.keys import NAME, section_at, sections
from bot.settings.load import load_settings
from bot.settings.schema import (
    as_toml,
    config_schema,
    reference_markdown,
    written_defaults,
)

EXAMPLE = Path(__file__).parents[3] / "config" / "bot.toml"
KEYS = [
    pytest.param(section, name, id=f"{section.header}{name}")
    for section in sections()
    for name, _ in section.own_keys()
]


def uncommented() -> str:
    """Return the example with every commented key and header switched on."""
    return re.sub(r"(?m)^#(?=[\w\[])", "", EXAMPLE.read_text(encoding="utf-8"))


def written_at(section, tables):
    """Return the tables of the first entry of a section."""
    for name in section.path:
        inner = next(iter(tables.values())) if name == NAME else tables[name]
        tables = inner[0] if isinstance(inner, list) else inner
    return tables


def test_the_example_loads_as_it_is():
    """The config in the repository is sound, with no repository yet."""
    loaded = load_settings(EXAMPLE, {}, Path("/"))
    assert (loaded.settings.repo, loaded.warnings) == ((), ())


def test_the_example_loads_with_everything_switched_on(tmp_path):
    """With every comment sign taken away the config is sound, too."""
    file = tmp_path / "bot.toml"
    file.write_text(uncommented(), encoding="utf-8")
    assert load_settings(file, {}, tmp_path).warnings == ()


@pytest.mark.parametrize(("section", "name"), KEYS)
def test_the_example_has_every_key_with_its_default(section, name):
    """Every key stands in the example once, with its default where it has one."""
    tables = tomllib.loads(uncommented(), parse_float=Decimal)
    written = written_at(section, tables)[name]
    default = written_defaults(section.model).get(name)
    if (section.path, name) == ((), "data_dir"):
        default = "../data"  # that of a file named config/bot.toml, as this one is
    expected = default
    if default is None or (section.path[-1:] == ("setup",) and name in TIMES):
        expected = written  # no default: the value is an example
    assert expected == written


TIMES = {"timeout", "silence"}


def test_the_example_says_nothing_twice():
    """No key is commented in two places of one section."""
    text = EXAMPLE.read_text(encoding="utf-8")
    keys = re.findall(r"(?m)^#?(\w+) = ", text)
    known = [name for section in sections() for name, _ in section.own_keys()]
    assert sorted(known) == sorted(keys)


def test_the_example_is_sound_by_the_schema():
    """The JSON schema accepts the config as a person writes it."""
    tables = tomllib.loads(uncommented())
    schema = config_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(tables, schema)


@pytest.mark.parametrize(
    "text",
    [
        "zzz = 1",
        "[budget]\nusd_per_day = -1",
        "[sandbox]\ntimeout = 90",
        "[sandbox]\nmemory = '4gb'",
        "[sandbox]\nprocesses = 0",
        "[[repo]]\nname = 'a'",
        "[[repo]]\nname = 'a'\npath = 'b'\npolicy.on_protected = 'x'",
    ],
)
def test_the_schema_refuses_what_the_bot_refuses(text):
    """Unknown keys, wrong units and values out of bounds fail the schema."""
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(text), config_schema())


def test_the_schema_is_plain_json():
    """The schema is JSON, has no null in it and no bound on text."""
    text = json.dumps(config_schema())
    assert "null" not in text
    assert '"ge"' not in text


def test_the_schema_shows_defaults_as_they_are_written():
    """Defaults stand in the schema with their units."""
    definitions = config_schema()["$defs"]
    assert (
        definitions["SandboxSettings"]["properties"]["timeout"]["default"],
        definitions["Policy"]["properties"]["max_bytes"]["default"],
        definitions["Policy"]["properties"]["cooldown"]["default"],
    ) == ("15m", "512KB", ["1d", "3d", "7d"])


@pytest.mark.parametrize(("section", "name"), KEYS)
def test_every_key_has_its_meaning_in_one_line(section, name):
    """Every key is described, in one sentence on one line."""
    description = section.model.model_fields[name].description
    assert re.fullmatch(r"[A-Z`b].*\.", description or "")


@pytest.mark.parametrize(
    "row",
    [
        (
            "| `usd_per_day` (`BOT_BUDGET__USD_PER_DAY`) | US dollars | `5` | Most US "
            "dollars a day. |"
        ),
        '| `cooldown` | list of durations | `["1d", "3d", "7d"]` | Rest of a gap after ',
        "| `run` | text | must be given | Command, run by sh; exit status 0 is green. |",
        '| `forge` | `"local"` | `"local"` | ',
        '| `kind` (`BOT_SANDBOX__KIND`) | `"bwrap"` or `"none"` | `"bwrap"` | ',
        "| `tools` | list of paths | `[]` | ",
        "| `env` | table of text | `{}` | ",
        "| `network` | true or false | `true` | ",
    ],
)
def test_the_reference_has_a_row_for_a_key(row):
    """The page shows key, variable, type, default and meaning."""
    assert f"\n{row}" in reference_markdown()


def test_the_reference_has_every_section_and_key():
    """Nothing of the model is left out of the page."""
    page = reference_markdown()
    headers = [f"## `{section.header}`\n" for section in sections() if section.path]
    assert [header for header in headers if header not in page] == []
    assert len(KEYS) == len(re.findall(r"(?m)^\| `", page))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.25, "0.25"), (50.0, "50"), (1000000.0, "1000000"), (False, "false"), (7, "7")],
)
def test_defaults_are_written_as_toml(value, text):
    """Numbers stand without needless zeros or exponents."""
    assert text == as_toml(value)


def test_a_place_that_is_in_no_section():
    """A key inside a table of free keys has no section of its own."""
    assert section_at(("repo", 0, "check", 0, "env", "X")) is None


def test_loading_the_settings_loads_no_more_than_pydantic():
    """Importing the settings stays cheap: no HTTP, git, database or settings package."""
    code = (
        "import sys, pydantic; from pydantic import BaseModel, Field\n"
        "before = set(sys.modules); import bot.settings\n"
        "print(' '.join(set(sys.modules) - before))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    heavy = {"httpx", "git", "sqlite3", "pydantic_settings", "structlog", "subprocess"}
    assert "bot.settings.model" in out
    assert heavy & set(out) == set()
