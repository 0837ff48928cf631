"""A ledger in an empty folder whose clock the test sets."""

from pathlib import Path

import pytest
from ledger_case import Clock, make_ledger

from bot.store.ledger import Ledger


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands at noon of a winter day."""
    return Clock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return where the ledger lies; nothing is there yet."""
    return tmp_path / "data" / "ledger"


@pytest.fixture
def ledger(folder: Path, clock: Clock) -> Ledger:
    """Return an empty ledger in Berlin's time."""
    return make_ledger(folder, clock)
