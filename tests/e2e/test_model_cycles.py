"""Gaps closed by a model: the real command against a scripted server over HTTP."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.testing import Fails, QuotaUsedUp, Says, ScriptedModels, Seen

_CONFIG = """data_dir = "data"
[models]
proposer = [{models}]
[models.prices."cheap"]
input = 1
output = 4
[models.prices."strong"]
input = 3
output = 15
[models.endpoints.fake]
base_url = "{url}"
context = 64000
max_output = 2000
[[repo]]
name = "shelf"
path = "{path}"
base = "main"
forge = "local"
proposer = "model"
[repo.policy]
cooldown = ["1s"]
[[repo.check]]
run = "! grep 'return 1' shelf.py"
"""
_BEFORE = "def size(items):\n    return 0\n"


class Shelf:
    """A repository with one gap, its config and the scripted server."""

    def __init__(self, folder: Path, server: ScriptedModels, models: str) -> None:
        self.folder, self.server = folder, server
        self.source = folder / "source"
        self.source.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        (self.source / "shelf.py").write_text(_BEFORE)
        (self.source / "PRD.md").write_text(
            "# Shelf\n\n- [ ] `shelf.py` tells the real size [bot-eligible] [id:size]\n"
        )
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "base")
        self.git("switch", "-q", "-c", "work")
        self.config = folder / "bot.toml"
        self.config.write_text(
            _CONFIG.format(url=server.base_url, path=self.source, models=models)
        )

    def git(self, *args: str) -> str:
        done = subprocess.run(
            ("git", "-C", str(self.source), *args),
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            (sys.executable, "-m", "bot", "cycle", "--json", "--config", self.config),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def cycle(self) -> dict:
        out, err = self.start().communicate(timeout=120)
        assert out, err
        return json.loads(out)

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        command = (sys.executable, "-m", "bot", *args, "--config", str(self.config))
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def published(self) -> str:
        branches = self.git("branch", "--list", "bot/*", "--format=%(refname)").split()
        assert 1 == len(branches)
        return self.git("show", f"{branches[0]}:shelf.py")


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable]:
    """Return a maker of a shelf, whose server lives as long as the test."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    with ScriptedModels() as server:

        def make(*steps: object, models: str = '"fake:cheap"') -> Shelf:
            server.add(*steps)
            return Shelf(tmp_path / "shelf", server, models)

        yield make


def mark(seen: Seen) -> str:
    found = re.search(r"`==== ([0-9a-f]+)`", seen.text)
    assert found
    return found[1]


def answer(search: str, replace: str) -> Callable[[Seen], Says]:
    """Answer with one edit of `shelf.py`, in the format that the prompt asked for."""

    def say(seen: Seen) -> Says:
        m = mark(seen)
        return Says(
            f"==== {m} head\nsummary: Tell the real size\n"
            "rationale: The size was always 0.\nfiles:\n- shelf.py\nskills: none\n"
            f"==== {m} end\n==== {m} edit shelf.py\n==== {m} search\n{search}\n"
            f"==== {m} replace\n{replace}\n==== {m} end\n==== {m} done\n"
        )

    return say


RIGHT = answer("    return 0", "    return len(items)")
WRONG = answer("    return 0", "    return 1")
MISFIT = answer(
    "def size(items):\n    raise ValueError", "def size(items):\n    return 1"
)


def test_a_gap_is_closed_in_one_try(shelf):
    """Prompt, answer, edit, tests, pull request; the record has the charged call."""
    world = shelf(RIGHT)

    record = world.cycle()

    assert ("ok", 1) == (record["outcome"], record["cloud_calls"])
    assert "def size(items):\n    return len(items)\n" == world.published()
    assert "fake:cheap" == record["proposal"]["model_used"]
    (call,) = record["calls"]
    assert record["cost_usd"] == call["cost_usd"] > 0
    assert record["tokens_used"] == call["input_tokens"] + call["output_tokens"]


def test_a_gap_is_closed_after_one_repair(shelf):
    """Red checks are told to the model once, and its better answer is published."""
    world = shelf(WRONG, RIGHT)

    record = world.cycle()

    assert ("ok", 2) == (record["outcome"], record["cloud_calls"])
    assert "checks are red" in world.server.seen[1].text
    assert "return len(items)" in world.published()


def test_the_same_repair_again_ends_red(shelf):
    """A model that answers the same is not asked a third time."""
    world = shelf(WRONG, WRONG, RIGHT)

    record = world.cycle()

    assert ("tests_failed", 2) == (record["outcome"], record["cloud_calls"])


def test_an_answer_that_does_not_fit_is_asked_for_once_more(shelf):
    """The nearest real text is quoted, and the second answer counts."""
    world = shelf(MISFIT, RIGHT)

    record = world.cycle()

    assert ("ok", 2) == (record["outcome"], record["cloud_calls"])
    assert "return 0" in world.server.seen[1].text.rpartition("can't be used")[2]


def test_two_misfits_are_a_rejected_proposal(shelf):
    """What doesn't fit twice ends as such, with the reason; text that is none fails."""
    assert "proposal_rejected" == shelf(MISFIT, MISFIT).cycle()["outcome"]


def test_text_that_is_no_answer_fails(shelf):
    """Prose twice is no usable answer; both calls are charged."""
    record = shelf(Says("Sure!"), Says("Here you go.")).cycle()

    assert ("model_failed", 2) == (record["outcome"], record["cloud_calls"])
    assert record["cost_usd"] > 0


def test_a_model_may_decline(shelf):
    """Its question waits for a person, and the gap is left alone meanwhile."""

    def unclear(seen: Seen) -> Says:
        m = mark(seen)
        return Says(
            f"==== {m} head\ndecline: unclear\nreason: size of what\nquestions:\n"
            f"- Are lent books counted?\n==== {m} end\n==== {m} done\n"
        )

    world = shelf(unclear)

    assert "proposal_rejected" == world.cycle()["outcome"]
    assert "skipped_no_gap" == world.cycle()["outcome"]
    assert 1 == len(world.server.seen)


def test_an_outage_falls_through_the_cascade_at_once(shelf):
    """The next model is asked in the same cycle when the first can't be reached."""
    down = [Fails(503, "overloaded", {"retry-after": "0"})] * 4
    world = shelf(*down, *[RIGHT] * 4, models='"fake:cheap", "fake:strong"')

    record = world.cycle()

    assert "ok" == record["outcome"]
    assert {"cheap", "strong"} == {seen.body["model"] for seen in world.server.seen}
    assert "fake:strong" == record["proposal"]["model_used"]


def test_a_red_gate_hands_the_gap_to_the_next_model(shelf):
    """After a failed attempt the stronger model has the next one."""
    world = shelf(WRONG, WRONG, RIGHT, models='"fake:cheap", "fake:strong"')

    assert "tests_failed" == world.cycle()["outcome"]
    time.sleep(1.1)  # the cooldown of this config
    record = world.cycle()

    assert "ok" == record["outcome"]
    assert "fake:strong" == record["proposal"]["model_used"]


def test_a_killed_cycle_goes_on_without_a_second_call(shelf, tmp_path):
    """Killed between reply and apply, the next cycle uses the stored reply."""
    world = shelf(RIGHT)
    replies = tmp_path / "shelf" / "data" / "shelf" / "replies"
    running = world.start()
    while not list(replies.glob("*/1.json")):
        assert running.poll() is None
        time.sleep(0.005)
    os.kill(running.pid, signal.SIGKILL)
    running.communicate()

    record = world.cycle()

    assert 1 == len(world.server.seen)
    assert ("ok", 0) == (record["outcome"], record["cloud_calls"])
    assert "return len(items)" in world.published()


def test_without_a_price_nothing_is_asked(shelf):
    """An unknown price is refused before the call, naming the key to set."""
    world = shelf(RIGHT, models='"fake:unknown"')

    record = world.cycle()

    assert "misconfigured" == record["outcome"]
    assert "price" in record["reason"]
    assert [] == world.server.seen


def test_a_used_up_day_asks_nobody(shelf):
    """With no money left for the day the cycle is skipped."""
    world = shelf(RIGHT)
    world.config.write_text(
        world.config.read_text().replace(
            "[models]\n", "[budget]\nusd_per_day = 0\nusd_per_cycle = 0\n[models]\n"
        )
    )

    assert "skipped_cost" == world.cycle()["outcome"]
    assert [] == world.server.seen


def test_a_plan_shows_prompt_and_worst_case(shelf):
    """Gap, model, files, prompt and the most it could cost; nobody is asked."""
    world = shelf()
    done = world.run("cycle", "--plan", "--json")

    plan = json.loads(done.stdout)

    assert (["fake:cheap"], ["shelf.py"]) == (plan["models"], plan["files"])
    assert "tells the real size" in plan["prompt"][-1]["text"]
    assert 0 < plan["worst_case_usd"] < 0.1
    assert [] == world.server.seen


def test_a_used_up_quota_rests_until_resume(shelf):
    """A hard limit at the provider is asked once, and again after `bot resume`."""
    world = shelf(QuotaUsedUp(), RIGHT)

    assert "deferred" == world.cycle()["outcome"]
    assert "deferred" == world.cycle()["outcome"]
    assert 1 == len(world.server.seen)
    assert "fake:cheap is asked again" in world.run("resume").stdout
    assert "ok" == world.cycle()["outcome"]


def test_doctor_looks_at_models_without_asking(shelf):
    """A model with a price is fine, one without is a fault that names the key."""
    world = shelf(models='"fake:cheap", "fake:unknown"')

    checks = json.loads(world.run("doctor", "--json").stdout)["checks"]

    found = [c["level"] for c in checks if c["name"] == "models"]
    assert ["ok", "fail"] == found
    assert [] == world.server.seen
