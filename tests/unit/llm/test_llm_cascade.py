"""Who is asked, in which order, and how it ends when nobody answers."""

from datetime import timedelta
from decimal import Decimal

import pytest
from llm_wire import said
from models_world import ASKED, NOON

from bot.errors import Deferred, Interrupted, Misconfigured, OverBudget
from bot.llm import Message, ModelFailed
from bot.llm.wire import HttpFault, Lost, NotSent
from bot.settings.models import Price
from bot.store.ledger import Caps, PeriodCaps

DOWN = HttpFault(503, {}, "down")
OUT = [DOWN] * 3
QUOTA = HttpFault(429, {}, '{"error": {"code": "insufficient_quota"}}')


def test_the_first_model_is_asked_first(world, wire):
    """Where all is well only the first model of the cascade hears of it."""
    wire.script = [said()]
    assert "s0:m" == world.ask().model
    assert ["s0:m"] == wire.asked


def test_after_an_outage_the_next_model_is_asked_at_once(world, wire):
    """Three errors in bounded waits, then the second model answers the same call."""
    wire.script = [*OUT, said()]
    assert "s1:m" == world.ask().model
    assert ["s0:m"] * 3 + ["s1:m"] == wire.asked
    assert 5.0 == pytest.approx(sum(world.waits))


def test_a_lost_answer_is_not_asked_for_twice(world, wire):
    """What may have been paid for already is charged, and another model is asked."""
    wire.script = [Lost("ReadError"), said()]
    assert "s1:m" == world.ask().model


def test_within_a_cycle_the_model_that_answered_goes_on(world, wire):
    """A re-ask goes to who answered last, without a step back to who was out."""
    wire.script = [*OUT, said(), said()]
    world.ask()
    assert "s1:m" == world.ask().model


def test_another_cycle_starts_with_the_first_again(world, wire):
    """What one cycle learned binds no other one."""
    wire.script = [*OUT, said(), said()]
    world.ask()
    assert "s0:m" == world.ask(cycle_id="cycle-2").model


def test_models_that_had_their_attempts_are_behind_us(world, wire):
    """The cascade goes on behind those whose attempts failed; the last one stays."""
    wire.script = [said(), said()]
    one = world.ask(after=frozenset({"s0:m"}))
    every = world.ask(cycle_id="c2", after=frozenset({"s0:m", "s1:m", "s2:m"}))
    assert ("s1:m", "s2:m") == (one.model, every.model)


def test_a_model_that_does_not_fit_the_budget_is_passed_over(world, wire):
    """The dear model is not asked, the free one behind it is."""
    world.models = world.models.model_copy(
        update={
            "prices": {
                "s0:m": Price(input=Decimal(999), output=Decimal(999)),
                "m": Price(free=True),
            }
        }
    )
    world.restarted()
    wire.script = [said()]
    assert "s1:m" == world.ask(caps=Caps(call=1000)).model


def test_without_budget_for_anyone_the_cap_is_named(world, wire):
    """Nobody is asked, and the error says which cap has no room."""
    with pytest.raises(OverBudget, match=r"s0:m: the call cap .* s2:m: the call cap"):
        world.ask(caps=Caps(call=1))
    assert [] == wire.asked


def test_an_outage_says_more_than_a_want_of_budget(world, wire):
    """Where one was out and the others too dear, the tick is deferred."""
    world.models = world.models.model_copy(
        update={"prices": {"s0:m": Price(free=True), "m": world.models.prices["m"]}}
    )
    world.restarted()
    wire.script = [*OUT]
    with pytest.raises(Deferred):
        world.ask(caps=Caps(call=1))


def test_no_budget_for_another_try_is_still_an_outage(world, wire):
    """What ended the call is that nobody answered, not that the cap is used up."""
    wire.script = [DOWN]
    with pytest.raises(Deferred, match="s0:m answered 503"):
        world.ask(caps=Caps(repo=PeriodCaps(calls_per_day=1)))


def test_a_prompt_that_nobody_has_room_for_fails_the_attempt(world, wire):
    """A prompt that can't fit any context is never sent."""
    long = (Message("user", "word " * 9000),)
    with pytest.raises(ModelFailed, match="no room"):
        world.ask(long)
    assert [] == wire.asked


def test_six_calls_a_cycle_in_all(world, wire):
    """Failed requests count too; the seventh is refused before it is sent."""
    wire.script = [*OUT, said(), said(), said(), said()]
    for _ in range(3):
        world.ask()
    with pytest.raises(OverBudget, match="made its 6 calls"):
        world.ask()
    assert 6 == len(wire.calls)


def test_calls_of_the_interrupted_cycle_count_too(world, wire):
    """A cycle that goes on from another one has what that one left."""
    wire.script = [said()] * 7
    for _ in range(5):
        world.ask()
    world.restarted()
    more = (*ASKED, Message("user", "more"))
    world.ask(more, cycle_id="cycle-2", resumes="cycle-1")
    with pytest.raises(OverBudget, match="made its 6 calls"):
        world.ask(more, cycle_id="cycle-2", resumes="cycle-1")


def test_calls_without_a_reply_count_after_a_restart(world, wire):
    """A cycle that goes on under its own id has made the calls that failed."""
    wire.script = [*OUT, *OUT]
    with pytest.raises(Deferred):
        world.ask()
    world.restarted()
    with pytest.raises(OverBudget, match="made its 6 calls"):
        world.ask(resumes="cycle-1")


def test_the_third_outage_in_a_row_opens_the_breaker(world, wire):
    """A model that was out three times is left alone, then one caller tries."""
    world.models = world.models.model_copy(update={"proposer": ("s0:m",)})
    world.restarted()
    wire.script = [*OUT] * 3
    for number in range(3):
        with pytest.raises(Deferred) as caught:
            world.ask(cycle_id=f"c{number}")
    assert NOON + timedelta(minutes=5) == caught.value.not_before
    with pytest.raises(Deferred, match="rests until"):
        world.ask(cycle_id="c4")
    assert 9 == len(wire.calls)
    world.clock.go(minutes=5)
    wire.script = [said()]
    assert "s0:m" == world.ask(cycle_id="c5").model
    assert () == world.gateway.resting()


def test_a_try_after_a_rest_that_fails_rests_longer(world, wire):
    """A half-open breaker closes on an answer and opens for longer on an outage."""
    world.models = world.models.model_copy(update={"proposer": ("s0:m",)})
    world.restarted()
    wire.script = [*OUT] * 4
    for number in range(4):
        world.clock.go(minutes=5)
        with pytest.raises(Deferred) as caught:
            world.ask(cycle_id=f"c{number}")
    assert world.clock() + timedelta(minutes=10) == caught.value.not_before


def test_a_long_retry_after_is_a_rest_not_a_wait(world, wire):
    """Nobody waits for an hour inside a cycle; the next model is asked."""
    wire.script = [HttpFault(429, {"retry-after": "3600"}, "later"), said()]
    assert "s1:m" == world.ask().model
    assert [] == world.waits
    (rest,) = world.gateway.resting()
    assert ("s0:m", NOON + timedelta(hours=1)) == (rest.model, rest.until)


def test_a_used_up_account_rests_and_the_cascade_goes_on(world, wire):
    """Told once, over restarts and days, until it answers again or `bot resume`."""
    wire.script = [QUOTA, said(), QUOTA, said()]
    world.ask()
    world.clock.go(hours=25)
    world.restarted()
    assert "s1:m" == world.ask(cycle_id="c2").model
    assert ["model.quota"] == [event for event, _ in world.warnings]
    assert ("s0:m",) == world.gateway.resume()
    wire.script = [said()]
    assert "s0:m" == world.ask(cycle_id="c3").model


def test_no_price_is_refused_before_the_call(world, wire):
    """Without a price and not free the model is not asked; the key to set is named."""
    world.models = world.models.model_copy(update={"prices": {}})
    world.restarted()
    with pytest.raises(Misconfigured, match=r'\[models.prices."s0:m"\].*free = true'):
        world.ask()
    assert [] == wire.asked


def test_no_key_is_refused_before_the_call(world, wire):
    """A secret that is not there is named with the places where it may be."""
    world.keys.clear()
    with pytest.raises(Misconfigured, match="MY_KEY in the environment"):
        world.ask()


def test_no_model_is_refused(world):
    """A role without models names the key of the config."""
    world.models = world.models.model_copy(update={"proposer": ()})
    with pytest.raises(Misconfigured, match=r"set proposer under \[models\]"):
        world.restarted().ask("proposer", ASKED, world.scope(), 10)


def test_a_signal_ends_the_wait(world, wire):
    """A cancelled wait asks nobody else."""
    world.is_cancelled = lambda: bool(wire.calls)
    world.restarted()
    wire.script = [DOWN]
    with pytest.raises(Interrupted, match="while waiting"):
        world.ask()


def test_a_signal_during_the_call_is_charged(world, wire):
    """A request that is given up on a signal costs its worst case."""
    world.is_cancelled = lambda: True
    world.restarted()
    wire.script = [Lost("a signal")]
    with pytest.raises(Interrupted, match="worst case"):
        world.ask()
    assert world.ledger.spent().micro_usd > 10_000


def test_what_never_left_costs_nothing_and_is_tried_again(world, wire):
    """An endpoint that starts up in between answers in the same call."""
    wire.script = [NotSent("ConnectError"), said()]
    assert "s0:m" == world.ask().model
    assert 1 == world.ledger.spent().calls


def test_what_never_left_outside_a_cycle_costs_nothing_either(world, wire):
    """A call that belongs to no cycle is tried again just so."""
    wire.script = [NotSent("ConnectError"), said()]
    assert "s0:m" == world.ask(cycle_id=None).model


def test_a_try_after_a_rest_that_is_not_made_leaves_it_to_the_next(world, wire):
    """Where the budget refuses the try, the next caller may make it at once."""
    wire.script = [HttpFault(503, {"retry-after": "3600"}, ""), said(), said()]
    world.ask()
    world.clock.go(hours=1)
    with pytest.raises(OverBudget):
        world.ask(cycle_id="c2", caps=Caps(call=1))
    assert "s0:m" == world.ask(cycle_id="c3").model


def test_missing_packages_cost_nothing(world, wire):
    """A request that no SDK could send is released."""

    def unable(call, is_cancelled):
        raise Misconfigured("install gapwright[llm]")

    world.wire = unable
    world.restarted()
    with pytest.raises(Misconfigured):
        world.ask()
    assert 0 == world.ledger.spent().calls


def test_a_bug_in_the_exchange_costs_the_worst_case(world, wire):
    """What ends in an unforeseen way is charged, and not hidden."""
    with pytest.raises(IndexError):
        world.ask()
    assert world.ledger.spent().micro_usd > 10_000


def test_room_and_worst_case_are_told_beforehand(world):
    """A plan can show what a prompt may hold and cost, before anyone is asked."""
    most = sum(len(m.text.encode()) + 16 for m in ASKED)
    worst = world.gateway.worst_case("proposer", ASKED, 100)
    assert (8192 - 100, Decimal(most + 1000) / 10**6) == (
        world.gateway.room("proposer", 100),
        worst,
    )
