"""Names of repositories are legal and free."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from bot.settings.forms import RepoName
from bot.start.names import name_for


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/srv/lakehouse", "lakehouse"),
        ("/srv/Lake House/", "lake-house"),
        ("/srv/lakehouse.git", "lakehouse"),
        ("https://example.org/team/lakehouse.git", "lakehouse"),
        ("git@example.org:lakehouse.git", "lakehouse"),
        ("/srv/.dotfiles", "dotfiles"),
        ("/srv/ledger", "repository-ledger"),
        ("/srv/bot.sqlite3-wal", "repository-bot.sqlite3-wal"),
        ("/srv/…", "repository"),
        ("/", "repository"),
    ],
)
def test_the_last_part_of_the_path_becomes_the_name(path, name):
    """Illegal characters become hyphens, reserved names get a prefix."""
    assert name == name_for(path)


@given(st.text(), st.sets(st.text(max_size=3), max_size=3))
def test_every_name_is_one_that_the_config_takes(path, taken):
    """Whatever a folder is called, its name is legal and nobody else's."""
    name = name_for(path, taken)

    assert name == TypeAdapter(RepoName).validate_python(name)
    assert name not in taken


def test_a_name_that_is_taken_gets_a_number():
    """The number counts up until the name is free, and the name stays short enough."""
    long = "a" * 64

    assert "x-3" == name_for("/srv/x", {"x", "x-2"})
    assert "a" * 62 + "-2" == name_for(f"/srv/{long}", {long})
