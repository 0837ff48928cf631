"""What was paid for is not paid for again, wherever the process dies."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from llm_wire import ScriptedWire, said
from models_world import ASKED, World, models_at

from bot.errors import BotError
from bot.llm import CallScope, Message, ModelFailed, Replay
from bot.llm.values import TokenUsage
from bot.llm.wire import Answered
from bot.store.ledger import Caps

MORE = (*ASKED, Message("assistant", "one"), Message("user", "again"))
URL = "http://127.0.0.1:1/v1"
_WRITES = os.O_WRONLY | os.O_RDWR
_MUTATIONS = {"os.rename", "os.remove", "os.rmdir", "os.mkdir"}


def test_stored_replies_come_back_in_order_without_a_call(world, wire):
    """A resumed cycle gets the replies of the same questions, and then asks on."""
    wire.script = [said("one"), said("two"), said("three")]
    world.ask()
    world.ask(MORE)
    world.restarted()

    replies = [world.ask(), world.ask(MORE), world.ask(MORE)]

    assert [("one", True), ("two", True), ("three", False)] == [
        (r.text, r.is_stored) for r in replies
    ]
    assert 3 == len(wire.calls)
    assert 3 == len(world.gateway.calls("cycle-1"))


def test_another_question_gets_no_stored_reply(world, wire):
    """From the first question that differs on, nothing stored is used."""
    wire.script = [said("one"), said("two"), said("new"), said("newer")]
    world.ask()
    world.ask(MORE)
    world.restarted()
    texts = [world.ask(max_output=999).text, world.ask(MORE).text]
    assert ["new", "newer"] == texts


def test_a_new_cycle_goes_on_with_the_replies_of_the_interrupted_one(world, wire):
    """They are the old cycle's cost, and survive another interruption of the new one."""
    wire.script = [said("one"), said("two")]
    world.ask()
    world.restarted()
    assert "one" == world.ask(cycle_id="cycle-2", resumes="cycle-1").text
    world.restarted()
    assert "one" == world.ask(cycle_id="cycle-3", resumes="cycle-2").text
    assert "two" == world.ask(MORE, cycle_id="cycle-3", resumes="cycle-2").text
    assert (1, 0, 1) == tuple(
        len(world.gateway.calls(f"cycle-{number}")) for number in (1, 2, 3)
    )


def test_a_question_that_failed_leaves_its_number_to_the_next(world, wire):
    """Numbers count replies, so that a resumed cycle finds them at the same place."""
    wire.script = [said("one")]
    with pytest.raises(BotError):
        world.ask(caps=Caps(call=1))
    world.ask()
    world.restarted()
    assert world.ask().is_stored


def test_a_refusal_is_not_paid_for_twice(world, wire):
    """A stored refusal fails again, without a call."""
    wire.script = [Answered("No.", TokenUsage(5, 5), "content_filter")]
    for _ in range(2):
        with pytest.raises(ModelFailed, match=r"s0:m refused: No\."):
            world.ask()
        world.restarted()
    assert 1 == len(wire.calls)


def test_a_damaged_reply_is_asked_for_again(world, wire):
    """A file that can't be read is no reply."""
    wire.script = [said("one"), said("two")]
    world.ask()
    next(world.folder.glob("lake/replies/*/1.json")).write_text("{")
    world.restarted()
    assert "two" == world.ask().text


def test_replies_can_be_removed(world, wire):
    """What is done with leaves nothing behind; what is not there is fine."""
    wire.script = [said("one")]
    world.ask()
    world.replies.remove("cycle-1")
    world.replies.remove("cycle-1")
    assert () == world.replies.of_cycle("cycle-1")


def test_an_id_that_is_none_is_refused(world):
    """No reply is ever read from or written to a path of somebody's choosing."""
    with pytest.raises(BotError, match="no cycle's id"):
        world.replies.of_cycle("../other")


def test_a_replay_gives_the_replies_again(world, wire):
    """Same texts, no call; after the last one there is nothing more to say."""
    wire.script = [said("one"), Answered("No.", TokenUsage(5, 5), "content_filter")]
    world.ask()
    with pytest.raises(ModelFailed):
        world.ask(MORE)
    replay, scope = Replay(world.replies, "cycle-1"), CallScope("lake", Caps())
    assert "one" == replay.ask("proposer", (), scope, 1).text
    with pytest.raises(ModelFailed, match="refused"):
        replay.ask("proposer", (), scope, 1)
    with pytest.raises(ModelFailed, match="no further"):
        replay.ask("proposer", (), scope, 1)


def world_at(folder: Path) -> World:
    """Return a gateway with one model that answers three times."""
    return World(folder, models_at(URL), ScriptedWire([said("one")] * 3))


def ask_and_die(folder: Path, step: int) -> None:
    """Ask in a process that is killed just before its n-th change of the files."""
    world = world_at(folder)
    left = step

    def hook(event: str, args: tuple[object, ...]) -> None:
        nonlocal left
        writes = event == "open" and isinstance(args[2], int) and args[2] & _WRITES
        if not writes and event not in _MUTATIONS:
            return
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    world.ask()


_FORKS = """
import os, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from test_llm_resume import ask_and_die
for step in range(1, 80):
    child = os.fork()
    if child == 0:
        ask_and_die(Path(sys.argv[1]) / str(step), step)
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        break
"""


def test_killed_at_any_step_the_books_agree_and_a_reply_is_used(tmp_path):
    """After a kill the ledger, the record and the stored reply tell one story."""
    here = Path(__file__).parent
    places = [str(here), str(here.parents[1])]
    subprocess.run([sys.executable, "-c", _FORKS, str(tmp_path), *places], check=True)
    worlds = [world_at(folder) for folder in tmp_path.iterdir()]
    for world in worlds:
        world.ledger.settle_dead()
        reply = world.ask()
        calls = world.gateway.calls("cycle-1")
        spent = world.ledger.of_cycle("cycle-1")
        assert spent.calls == len(calls)
        assert spent.micro_usd == sum(c.cost_usd for c in calls) * 10**6
        assert spent.tokens == sum(c.input_tokens + c.output_tokens for c in calls)
        assert reply.is_stored == (not world.wire.calls)
    assert 5 < sum(not world.wire.calls for world in worlds) < len(worlds) - 5
