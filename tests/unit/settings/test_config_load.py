"""Finding the config, reading it, and what stands over it."""

import os
import zoneinfo
from datetime import UTC
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.errors import ConfigError
from bot.settings.keys import sections
from bot.settings.load import find_config, load_settings

REPO = """
[[repo]]
name = "lakehouse"
path = "/srv/lakehouse"
base = "main"
[[repo.recipe]]
name = "sort"
run = "true"
[[repo.check]]
run = "true"
"""


def test_the_given_config_wins(tmp_path):
    """`--config` beats the environment, and starts at the working directory."""
    env = {"BOT_CONFIG": "other.toml"}
    assert tmp_path / "mine.toml" == find_config(Path("mine.toml"), env, tmp_path)


def test_the_environment_names_the_config(tmp_path):
    """`BOT_CONFIG` is next, and starts at the working directory too."""
    (tmp_path / "bot.toml").touch()
    env = {"BOT_CONFIG": "other.toml"}
    assert tmp_path / "other.toml" == find_config(None, env, tmp_path)


def test_the_usual_places_are_looked_at(tmp_path):
    """`config/bot.toml` beats `bot.toml`; an empty BOT_CONFIG counts as none."""
    (tmp_path / "bot.toml").touch()
    assert tmp_path / "bot.toml" == find_config(None, {"BOT_CONFIG": ""}, tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "bot.toml").touch()
    assert tmp_path / "config/bot.toml" == find_config(None, {}, tmp_path)


def test_no_config_says_how_to_get_one(tmp_path):
    """Where there is no config, the error names the places and `bot init PATH`."""
    with pytest.raises(ConfigError, match=r"no config/bot\.toml.*`bot init PATH`"):
        find_config(None, {}, tmp_path)


def test_a_config_that_is_not_there(tmp_path):
    """A named file that doesn't exist is an error that names it and `bot init`."""
    with pytest.raises(ConfigError, match=r"no config at .*/x.toml; .*`bot init PATH`"):
        load_settings(Path("x.toml"), {}, tmp_path)


def test_a_config_that_is_a_folder(tmp_path):
    """What can't be read is an error with the system's own words."""
    with pytest.raises(ConfigError, match=r"can't be read: Is a directory.*bot init"):
        load_settings(tmp_path, {}, tmp_path)


def test_a_config_that_is_not_utf8(tmp_path):
    """Other encodings are an error that names the line."""
    file = tmp_path / "bot.toml"
    file.write_bytes(b'timezone = "UTC"\n# gr\xfcn\n')
    with pytest.raises(ConfigError, match=r"line 2 is not UTF-8.*bot init"):
        load_settings(file, {}, tmp_path)


def test_a_byte_order_mark_is_no_harm(tmp_path):
    """A file that an editor began with a byte order mark is read."""
    file = tmp_path / "bot.toml"
    file.write_bytes(b'\xef\xbb\xbftimezone = "UTC"\r\n')
    assert load_settings(file, {}, tmp_path).settings.timezone == "UTC"


def test_a_syntax_error_has_line_and_column(refusals):
    """What is no TOML is told with line and column."""
    (line,) = refusals('timezone = "UTC"\nbudget == 5\n')
    assert line == "line 2, column 9: this is no TOML: Invalid value"


@pytest.mark.parametrize("text", ["x = " + "9" * 5000, "x = " + "[" * 5000])
def test_a_hostile_file_is_still_one_error(refusals, text):
    """Numbers and nesting without bound end as an error of the config."""
    (line,) = refusals(text)
    assert "is no TOML" in line


def test_an_empty_config_is_legal(load, tmp_path):
    """A file without any key gives the defaults, and no repository."""
    loaded = load("")
    assert (tmp_path / "data", (), (), UTC) == (
        loaded.settings.data_dir,
        loaded.settings.repo,
        loaded.warnings,
        loaded.settings.zone,
    )


def test_the_path_is_told_absolute(tmp_path):
    """A config given relative is loaded and reported absolute."""
    (tmp_path / "x.toml").touch()
    loaded = load_settings(Path("x.toml"), {}, tmp_path)
    assert tmp_path / "x.toml" == loaded.path


def test_money_is_read_exactly(load):
    """A fraction in the file never becomes a float."""
    loaded = load("[budget]\nusd_per_day = 0.1\n")
    assert Decimal("0.1") == loaded.settings.budget.usd_per_day


def test_paths_of_the_file_start_at_its_folder(load, tmp_path):
    """Relative paths inside the file start at the file's folder."""
    text = f'data_dir = "var"\n[sandbox]\ntools = ["../t"]\n{REPO}'
    settings = load(text.replace("/srv", "..")).settings
    assert (
        tmp_path / "config/var",
        (tmp_path / "t",),
        str(tmp_path / "lakehouse"),
    ) == (
        settings.data_dir,
        settings.sandbox.tools,
        settings.repo[0].path,
    )


@pytest.mark.parametrize(
    ("file", "data_dir"),
    [
        ("config/bot.toml", "data"),
        ("bot.toml", "data"),
        ("config/my.toml", "config/data"),
    ],
)
def test_where_the_data_goes_by_default(tmp_path, file, data_dir):
    """Data lies beside the config, or beside its folder for `config/bot.toml`."""
    (tmp_path / "config").mkdir()
    (tmp_path / file).touch()
    settings = load_settings(tmp_path / file, {}, Path("/")).settings
    assert tmp_path / data_dir == settings.data_dir


def test_home_is_written_out(load, tmp_path):
    """`~` is HOME, in the file and in the environment."""
    env = {"HOME": str(tmp_path / "me"), "BOT_DATA_DIR": "~/bot"}
    settings = load(REPO.replace("/srv", "~"), env).settings
    assert (tmp_path / "me/bot", f"{tmp_path}/me/lakehouse") == (
        settings.data_dir,
        settings.repo[0].path,
    )


def test_a_url_is_left_alone(load):
    """A repository's URL is not made a path."""
    settings = load(REPO.replace("/srv/lakehouse", "git@example.org:a/b")).settings
    assert (
        settings.repo[0].path,
        settings.repo[0].is_url,
    ) == ("git@example.org:a/b", True)


def test_command_line_beats_environment_beats_file(load, tmp_path):
    """The nearest to the person wins; what they give starts where they stand."""
    text, env = 'data_dir = "file"', {"BOT_DATA_DIR": "env"}
    given = {"data_dir": "line"}
    places = (
        load(text).settings.data_dir,
        load(text, env).settings.data_dir,
        load(text, env, given).settings.data_dir,
    )
    work = tmp_path / "work"
    assert (tmp_path / "config/file", work / "env", work / "line") == places


def test_a_tilde_without_home_names_the_variable(refusals):
    """A `~` from the environment that means nothing is told with its variable."""
    (line,) = refusals("", {"BOT_DATA_DIR": "~/x"})
    assert line.startswith("BOT_DATA_DIR: ")


def test_tables_are_set_by_the_environment(load):
    """Keys of tables come from variables, whether or not the file has the table."""
    env = {
        "BOT_TIMEZONE": "Europe/Berlin",
        "BOT_BUDGET__USD_PER_DAY": "0.10",
        "BOT_BUDGET__CALLS_PER_DAY": "7",
        "BOT_SANDBOX__TIMEOUT": "1h",
        "BOT_SANDBOX__MEMORY": "1GB",
        "BOT_OBSERVER__URL": "http://127.0.0.1/x",
    }
    settings = load("[sandbox]\nsilence = '1m'\n", env).settings
    assert (
        "Europe/Berlin",
        Decimal("0.10"),
        7,
        3600.0,
        60.0,
        1 << 30,
        "http://127.0.0.1/x",
    ) == (
        str(settings.zone),
        settings.budget.usd_per_day,
        settings.budget.calls_per_day,
        settings.sandbox.timeout,
        settings.sandbox.silence,
        settings.sandbox.memory,
        settings.observer.url,
    )


def test_a_bad_variable_is_named(refusals):
    """What a variable got wrong is told with the variable, not the file."""
    (line,) = refusals("", {"BOT_BUDGET__USD_PER_DAY": "much"})
    assert line == (
        'BOT_BUDGET__USD_PER_DAY: budget.usd_per_day: "much" is no amount of money; '
        "write US dollars like 5 or 0.25, with at most six decimals"
    )


def test_a_variable_does_not_hide_a_broken_table(refusals):
    """Where the file has no table, that is told, and the variable changes nothing."""
    (line,) = refusals("budget = 5", {"BOT_BUDGET__USD_PER_DAY": "1"})
    assert line.startswith("budget: 5 is no table; write its header")


@pytest.mark.parametrize(
    ("name", "warning"),
    [
        ("BOT_BUDGET__USD_PER_DY", "; did you mean BOT_BUDGET__USD_PER_DAY?"),
        ("BOT_DATADIR", "; did you mean BOT_DATA_DIR?"),
        ("BOT_CONFG", "; did you mean BOT_CONFIG?"),
        ("BOT_ZZZ", ""),
    ],
)
def test_an_unknown_variable_is_a_warning(load, name, warning):
    """An unknown variable is not used and told with the nearest name, not its value."""
    loaded = load("", {name: "5", "BOT_CONFIG": "x", "OTHER": "y"})
    assert (f"{name} is not used: no such setting{warning}",) == loaded.warnings


@pytest.mark.parametrize(
    "name",
    ["BOT_REPO", "BOT_REPO__0__NAME", "BOT_SANDBOX__TOOLS", "BOT_OBSERVER__SKIP"],
)
def test_lists_are_not_set_by_the_environment(load, name):
    """A variable for a list or a repository is not used, and the warning says why."""
    warning = f"{name} is not used: lists and [[repo]] are set in the file only"
    assert (warning,) == load("", {name: "x"}).warnings


def test_an_empty_variable_is_not_used(load, tmp_path):
    """An empty variable leaves the file's value, with a warning."""
    loaded = load("", {"BOT_DATA_DIR": ""})
    assert (tmp_path / "data", ("BOT_DATA_DIR is empty and not used",)) == (
        loaded.settings.data_dir,
        loaded.warnings,
    )


def test_the_environment_may_put_the_brake_on(load, tmp_path):
    """A global cap lowered by a variable wins over a repository's without an error."""
    text = f"{REPO}[repo.budget]\nusd_per_day = 3\n"
    loaded = load(text, {"BOT_BUDGET__USD_PER_DAY": "1"})
    settings = loaded.settings
    assert Decimal(1) == settings.budget_of(settings.repo[0]).usd_per_day
    assert loaded.warnings == (
        (
            f'{tmp_path}/config/bot.toml: repo[0].budget.usd_per_day (repo "lakehouse"): 3 '
            "is wider than budget.usd_per_day, which is 1; a repository may only narrow it"
        ),
    )


def test_what_is_hardly_meant_is_a_warning(load):
    """No sandbox, no recipe, no check and idle limits are told, and allowed."""
    text = """
        sandbox.kind = "none"
        [[repo]]
        name = "a"
        path = "/x"
        base = "main"
        policy.max_open_prs = 9
    """
    told = [line.split(": ", 1)[1] for line in load(text).warnings]
    assert told == [
        (
            'sandbox.kind: "none" runs recipes, set-up and checks unconfined, with your '
            "rights"
        ),
        (
            'repo[0].recipe (repo "a"): there is no [[repo.recipe]], so no gap can be '
            "closed"
        ),
        'repo[0].check (repo "a"): there is no [[repo.check]], so nothing is tested',
        (
            'repo[0].policy.max_open_prs (repo "a"): 9 has no effect above '
            "limits.max_open_prs = 5"
        ),
    ]


def test_loading_reads_nothing_of_this_process(load, tmp_path, monkeypatch):
    """Environment and working directory are arguments, not those of the process."""
    monkeypatch.setitem(os.environ, "BOT_TIMEZONE", "Europe/Berlin")
    assert load("").settings.timezone == "UTC"


def test_a_variable_that_is_no_text_is_told_in_printable_form(refusals):
    """Bytes that are no UTF-8 in a variable end as a line that can be printed."""
    lines = refusals("", {"BOT_TIMEZONE": "\udc80", "BOT_OBSERVER__URL": "\udc80"})
    assert [line.split(": ")[0] for line in lines] == [
        "BOT_TIMEZONE",
        "BOT_OBSERVER__URL",
    ]
    assert "\n".join(lines).encode()


def test_lists_of_texts_are_read(load):
    """Outcomes to skip and labels stand in the settings as they were written."""
    text = (
        f'observer.skip = ["skipped_*", "ok"]\n{REPO}[repo.policy]\nlabels = ["bot"]\n'
    )
    settings = load(text).settings
    assert (settings.observer.skip, settings.repo[0].policy.labels) == (
        ("skipped_*", "ok"),
        ("bot",),
    )


def test_a_machine_without_time_zones(refusals, load):
    """Without zone data only UTC works, and the error says what is missing."""
    zoneinfo.reset_tzpath(to=())
    zoneinfo.ZoneInfo.clear_cache()
    try:
        if zoneinfo.available_timezones():
            pytest.skip("the tzdata package gives zones here")
        (line,) = refusals('timezone = "Europe/Berlin"')
        assert "this machine has no time zones (install tzdata)" in line
        assert load('timezone = "UTC"').settings.zone is UTC
    finally:
        zoneinfo.reset_tzpath()


NAMES = [name for section in sections() for name in section.model.model_fields]
SCALARS = st.one_of(
    st.booleans().map(lambda value: "true" if value else "false"),
    st.integers().map(str),
    st.sampled_from(["0.5", "nan", "-inf", "1e400", "2026-11-30", "07:00:00"]),
    st.sampled_from(['"x"', '"15m"', '"4GB"', '"../x"', '"~/x"', '"/"', '""', '"UTC"']),
)
KEYS = st.one_of(st.sampled_from(NAMES), st.sampled_from(["zzz", '"a b"', '""']))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda values: f"[{', '.join(values)}]"),
        st.dictionaries(KEYS, inner, max_size=4).map(
            lambda keys: f"{{ {', '.join(f'{k} = {v}' for k, v in keys.items())} }}"
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_any_toml_loads_or_is_refused_in_words(tmp_path_factory, tables):
    """Whatever a file holds, it is loaded or refused as a ConfigError, never a crash."""
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_text("".join(f"{k} = {v}\n" for k, v in tables.items()))
    try:
        said = str(load_settings(file, {}, Path("/")).path)
    except ConfigError as error:
        said = str(error)
    assert said.startswith(str(file))
