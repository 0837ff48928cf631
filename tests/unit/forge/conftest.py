"""A local forge on real git, opened and closed around each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from forge_world import LocalWorld


@pytest.fixture
def world(data_dir: Path) -> Iterator[LocalWorld]:
    """Return the local forge with its other side."""
    made = LocalWorld(data_dir)
    yield made
    made.index.close()
