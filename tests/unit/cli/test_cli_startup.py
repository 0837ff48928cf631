"""What a command that has little to do does not pay for."""

import json
import subprocess
import sys

import pytest
from command_world import World

_SCRIPT = """
import json, os, re, sys
from bot.cli.main import run
code = run(sys.argv[1:], os.environ)
# Not ru_maxrss: that starts with what the process had that started this one.
peak = int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) // 1024
print(json.dumps([code, peak, sorted(sys.modules)]), file=sys.stderr)
"""
_SDKS = {"pydantic_ai", "openai", "anthropic", "genai_prices", "httpx2"}
_HEAVY = {"git", "httpx", "markdown_it", "structlog", "mdit_py_plugins", *_SDKS}
_ROOMS = {"bot.checks", "bot.forge", "bot.propose", "bot.report", "bot.start"}


def started(*arguments: str) -> tuple[int, int, set[str]]:
    """Return status, peak memory in MB and loaded modules of a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    code, peak, modules = json.loads(done.stderr.splitlines()[-1])
    return code, peak, set(modules)


@pytest.mark.parametrize("words", [["--help"], ["--version"]])
def test_help_loads_no_model(words: list[str]):
    """Help and version need no settings, so nothing of pydantic."""
    code, _, modules = started(*words)

    assert 0 == code
    assert set() == modules & {"pydantic", "bot.app", "bot.settings", *_HEAVY}


def test_paused_cycle_loads_next_to_nothing(world: World):
    """A paused tick needs no git, no Markdown, no sandbox and no forge."""
    world.run("pause")

    code, peak, modules = started("--config", str(world.config), "cycle")

    assert 0 == code
    assert set() == modules & (_HEAVY | _ROOMS)
    assert {"bot.sandbox.bwrap", "bot.workspace.git"}.isdisjoint(modules)
    assert peak <= 80
