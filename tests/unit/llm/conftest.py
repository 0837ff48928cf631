"""A gateway with a cascade of three models on a wire without a network."""

from pathlib import Path

import pytest
from llm_wire import ScriptedWire
from models_world import World, models_at


@pytest.fixture
def wire() -> ScriptedWire:
    return ScriptedWire()


@pytest.fixture
def world(tmp_path: Path, wire: ScriptedWire) -> World:
    """Return a gateway with a cascade of three models on that wire."""
    urls = [f"http://127.0.0.1:{port}/v1" for port in (1, 2, 3)]
    return World(tmp_path, models_at(*urls), wire)
