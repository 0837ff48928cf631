"""What an answer costs, what is set aside for it, and what the record says."""

from datetime import timedelta
from decimal import Decimal

import pytest
from llm_wire import said
from models_world import ASKED, NOON, World, models_at

from bot.errors import DataFolderUnusable, Misconfigured
from bot.llm import Message, TokenUsage
from bot.llm.wire import Answered, HttpFault, Lost
from bot.settings.models import Price

MOST = sum(len(m.text.encode()) + 16 for m in ASKED)
LONG = (Message("user", "word " * 2000),)


def charged(world: World) -> tuple[int, int]:
    """Return calls and micro-dollars of the ledger."""
    spent = world.ledger.spent()
    return spent.calls, spent.micro_usd


def test_each_kind_of_token_has_its_own_price(world, wire):
    """Uncached, cached, written to a cache, output and thinking are priced apart."""
    price = Price(
        input=1, output=10, cache_read="0.1", cache_write="1.25", reasoning=20
    )
    world.models = world.models.model_copy(update={"prices": {"m": price}})
    world.restarted()
    usage = TokenUsage(70, 30, 20, 10, reasoning_tokens=5)
    wire.script = [Answered("x", usage, "stop")]

    # 40 + 20 * 0.1 + 10 * 1.25 + 25 * 10 + 5 * 20 = 404.5, rounded up
    assert Decimal("0.000405") == world.ask().cost
    assert (1, 405) == charged(world)


def test_an_answer_without_usage_costs_the_worst_case(world, wire):
    """A server that counts nothing is charged what was set aside."""
    wire.script = [Answered("x", None, "stop")]
    reply = world.ask()
    assert (MOST, 1000, Decimal(MOST + 10_000) / 10**6) == (
        reply.usage.input_tokens,
        reply.usage.output_tokens,
        reply.cost,
    )


def test_an_http_error_costs_a_call_and_no_money(world, wire):
    """An error without usage is counted, and free of charge."""
    wire.script = [HttpFault(401, {}, "no")]
    with pytest.raises(Misconfigured):
        world.ask()
    assert (1, 0) == charged(world)


def test_usage_above_the_worst_case_is_charged_and_the_model_rests(world, wire):
    """The provider broke the bound: it is paid, it rests for the day, it is on record."""
    wire.script = [said(tokens=(5000, 9000)), said()]
    reply = world.ask()
    assert (True, (1, 95_000)) == (reply.over_reservation, charged(world))
    (rest,) = world.gateway.resting()
    assert ("bound", NOON.replace(hour=0) + timedelta(days=1)) == (
        rest.kind,
        rest.until,
    )
    assert [True] == [c.over_reservation for c in world.gateway.calls("cycle-1")]
    assert ["model.broke_bound"] == [event for event, _ in world.warnings]
    assert "s1:m" == world.ask(cycle_id="cycle-2").model


def test_a_prompt_that_the_server_cut_is_an_error(world, wire):
    """2,000 words can't be 900 tokens: the model saw only the end of the question."""
    wire.script = [said(tokens=(900, 20))]
    with pytest.raises(
        Misconfigured, match=r"the server cut the prompt: .* at least 2000"
    ):
        world.ask(LONG, caps=None)
    assert (1, 1100) == charged(world)
    assert [(900, "stop")] == [
        (c.input_tokens, c.finish_reason) for c in world.gateway.calls("cycle-1")
    ]
    world.restarted()
    wire.script = [said(tokens=(2500, 20))]
    assert not world.ask(LONG).is_stored


def test_the_answer_is_bounded_by_the_server_too(tmp_path, wire):
    """`max_output` of the endpoint beats what was asked for."""
    models = models_at("http://127.0.0.1:1/v1", max_output=64)
    world = World(tmp_path, models, wire)
    wire.script = [said()]
    world.ask(max_output=1000)
    assert [64] == [call.max_output for call in wire.calls]


def test_the_record_has_every_call(world, wire):
    """Errors, lost answers and replies stand in order and sum up to the ledger."""
    wire.script = [HttpFault(500, {}, ""), Lost("gone"), said()]
    world.ask()
    calls = world.gateway.calls("cycle-1")
    assert [("s0:m", "http 500"), ("s0:m", "lost"), ("s1:m", "stop")] == [
        (c.model, c.finish_reason) for c in calls
    ]
    spent = world.ledger.of_cycle("cycle-1")
    assert (spent.micro_usd, spent.tokens) == (
        sum(c.cost_usd for c in calls) * 10**6,
        sum(c.input_tokens + c.output_tokens for c in calls),
    )


def test_a_call_outside_a_cycle_is_charged_and_not_stored(world, wire):
    """What belongs to no cycle has no reply to come back to."""
    wire.script = [said()]
    world.ask(cycle_id=None)
    assert 1 == world.ledger.spent().calls
    assert not (world.folder / "lake").exists()


def test_a_reply_that_can_not_be_stored_is_charged_and_not_used(world, wire):
    """Where the data folder refuses the reply nothing goes on, and the money is noted."""
    wire.script = [said()]
    (world.folder / "lake").write_text("a file where a folder is needed")
    with pytest.raises(DataFolderUnusable):
        world.ask()
    assert (1, 250) == charged(world)


def test_thinking_is_taken_off_the_stored_text(world, wire):
    """What is stored and used is the answer alone."""
    wire.script = [said("<think>\nhm\n</think>\n\nDone.")]
    assert "Done." == world.ask().text
    assert ["Done."] == [r.text for r in world.replies.of_cycle("cycle-1")]
