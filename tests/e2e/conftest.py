"""Fixtures of the tests from end to end, and the rule that a marked outcome was seen."""

from collections.abc import Generator, Iterator
from pathlib import Path

import e2e_world
import pytest
from e2e_world import World

from bot.domain.outcome import Outcome


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker that names what a test produces."""
    config.addinivalue_line(
        "markers", "outcome(name, …): the test reads a record that ended so"
    )


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a repository with one gap, a recipe that closes it and a green check."""
    return World(tmp_path)


_WAS_SKIPPED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note whether a test was skipped, for `_outcome_was_seen`."""
    report = yield
    if report.when == "call":
        item.stash[_WAS_SKIPPED] = report.skipped
    return report


@pytest.fixture(autouse=True)
def _outcome_was_seen(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that claims to produce an outcome and read no such record."""
    e2e_world.SEEN.clear()
    yield
    if request.node.stash.get(_WAS_SKIPPED, False):
        return
    marked = (
        name for mark in request.node.iter_markers("outcome") for name in mark.args
    )
    assert {Outcome(name) for name in marked} <= e2e_world.SEEN
