"""Models over real HTTP: three wire formats, and a real model in a real server."""

import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from models_world import ASKED, KEY, PRICE, World, models_at

from bot.errors import Deferred, Interrupted, Misconfigured
from bot.llm import Message, ModelFailed, Reply, TokenUsage
from bot.settings.models import Endpoint, Models
from bot.testing import (
    Answer,
    Drops,
    Fails,
    Hangs,
    Malformed,
    QuotaUsedUp,
    RateLimited,
    Refuses,
    Says,
    ScriptedModels,
)

DIALECTS = ("openai", "anthropic", "google", "local")


@pytest.fixture
def server() -> Iterator[ScriptedModels]:
    with ScriptedModels() as running:
        yield running


@pytest.fixture(params=DIALECTS)
def world(request, server: ScriptedModels, tmp_path: Path) -> World:
    """A gateway that reaches the scripted server in one of the wire formats."""
    name: str = request.param
    url = server.url if name in {"anthropic", "google"} else server.base_url
    models = Models(
        proposer=(f"{name}:m",),
        prices={"m": PRICE},
        endpoints={name: Endpoint(base_url=url, api_key_name="MY_KEY", in_flight=4)},
    )
    return World(tmp_path, models)


def test_an_answer_is_charged_as_the_provider_counts(world, server):
    """Input, cached input, output and thinking are told apart in each wire format."""
    thought = 0 if "anthropic" in world.models.proposer[0] else 7
    server.add(
        Says("Done.", input_tokens=50, output_tokens=20, cached=10, reasoning=thought)
    )

    reply = world.ask()

    name = world.models.proposer[0]
    usage = TokenUsage(50, 20, cache_read_tokens=10, reasoning_tokens=thought)
    assert Reply("Done.", usage, Decimal("0.000241"), "stop", name) == reply
    assert (1, 241, 70) == (
        world.ledger.spent().calls,
        world.ledger.spent().micro_usd,
        world.ledger.spent().tokens,
    )


def test_the_whole_conversation_is_sent_with_bound_and_key(world, server):
    """The server gets every message, the bound on the answer, and the key once."""
    server.add(Says("Again."))
    told = (*ASKED, Message("assistant", "Like so?"), Message("user", "No, <think>."))

    world.ask(told, max_output=321)

    (seen,) = server.seen
    for message in told:
        assert message.text in seen.text
    assert 321 in _numbers(seen.body)
    assert KEY in "".join(seen.headers.values())
    assert KEY not in seen.path


def _numbers(value: object) -> set[int]:
    if isinstance(value, dict):
        return {n for inner in value.values() for n in _numbers(inner)}
    if isinstance(value, list):
        return {n for inner in value for n in _numbers(inner)}
    return {value} if isinstance(value, int) else set()


def test_an_answer_that_was_cut_off_says_so(world, server):
    """The bound on the answer shows as the finish reason `length`."""
    server.add(Says("Half an ans", finish="length"))
    assert "length" == world.ask().finish_reason


@pytest.mark.parametrize(
    "answer",
    [
        Fails(500),
        Fails(503, headers={"Retry-After": "0"}),
        RateLimited("0"),
        Fails(529, "overloaded"),
    ],
    ids=["500", "503", "429", "529"],
)
def test_a_server_that_was_not_ready_is_asked_again(world, server, answer: Answer):
    """Two errors that pass by themselves cost a call each, and then the answer comes."""
    server.add(answer, answer, Says("There."))
    assert "There." == world.ask().text
    assert 3 == world.ledger.spent().calls


def test_the_sdk_never_tries_again_by_itself(world, server):
    """Each request to the server is one that the gateway counted."""
    server.add(*[Fails(500)] * 9)
    with pytest.raises(Deferred):
        world.ask()
    assert (3, 3) == (len(server.seen), world.ledger.spent().calls)


def test_retry_after_is_obeyed(world, server):
    """The wait before the next request is what the server asked for, and is told."""
    server.add(RateLimited("3"), Says("There."))
    world.ask()
    assert 3.0 == pytest.approx(sum(world.waits))
    assert ["model.waits"] == [event for event, _ in world.warnings]


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_is_for_a_person_and_not_shown(world, server, status):
    """The error names the key's name and keeps the key, even where the server tells it."""
    server.add(Fails(status, f"Incorrect API key provided: {KEY}", "invalid_api_key"))
    with pytest.raises(Misconfigured, match="MY_KEY") as caught:
        world.ask()
    assert KEY not in str(caught.value)
    assert 1 == len(server.seen)


def test_an_unknown_model_is_for_a_person(world, server):
    """A 404 says which model and where it was looked for."""
    server.add(Fails(404, "The model does not exist", "model_not_found"))
    with pytest.raises(Misconfigured, match="model's name"):
        world.ask()


def test_a_prompt_that_is_too_long_is_the_gaps_failure(world, server):
    """A server that has no room for the prompt fails the attempt."""
    server.add(Fails(400, "maximum context length is 8192", "context_length_exceeded"))
    with pytest.raises(ModelFailed, match="too long"):
        world.ask()


def test_a_refusal_is_charged_and_fails(world, server):
    """A model that says that it won't has been paid for, and the attempt failed."""
    server.add(Refuses("Not this."))
    with pytest.raises(ModelFailed, match="refused"):
        world.ask()
    assert world.ledger.spent().micro_usd > 0


def test_a_used_up_account_is_no_rate_limit(world, server):
    """An account with nothing left is not asked again, and a person is told once."""
    server.add(QuotaUsedUp())
    for _ in range(2):
        with pytest.raises(Deferred, match="current quota"):
            world.ask()
    assert 1 == len(server.seen)
    assert ["model.quota"] == [event for event, _ in world.warnings]


@pytest.mark.parametrize("answer", [Malformed(), Malformed("{}"), Malformed('"text"')])
def test_an_answer_that_can_not_be_read_costs_the_worst_case(world, server, answer):
    """Nobody knows what it cost, so it is charged in full and not asked again."""
    server.add(answer)
    with pytest.raises(Deferred, match="worst case is charged"):
        world.ask()
    most = sum(len(m.text.encode()) + 16 for m in ASKED)
    assert most + 10 * 1000 == world.ledger.spent().micro_usd
    assert 1 == len(server.seen)


def test_a_dropped_connection_costs_the_worst_case(world, server):
    """A request that left without an answer may have been paid for."""
    server.add(Drops())
    with pytest.raises(Deferred, match="worst case is charged"):
        world.ask()
    assert (1, 1) == (len(server.seen), world.ledger.spent().calls)


def test_a_server_that_is_not_there_costs_nothing(tmp_path: Path):
    """A request that never left is no call."""
    with ScriptedModels() as gone:
        url = gone.base_url
    world = World(tmp_path, models_at(url))
    with pytest.raises(Deferred, match="nothing was sent"):
        world.ask()
    assert (0, 0) == (world.ledger.spent().calls, world.ledger.spent().micro_usd)


def test_a_redirect_is_not_followed(world, server):
    """The key goes to the configured address and to no other."""
    server.add(Fails(307, headers={"Location": "http://127.0.0.1:9/elsewhere"}))
    with pytest.raises(Misconfigured, match="final address"):
        world.ask()


def test_tags_of_thinking_inside_a_file_stay(world, server):
    """Only thinking in front of the answer is taken off; a file keeps its text."""
    server.add(Says("<think>hm</think>\nfile: <think>a</think> b"))
    assert "file: <think>a</think> b" == world.ask().text


def test_a_server_that_hangs_is_given_up(tmp_path: Path, server):
    """After its time a request is lost, and its worst case is charged."""
    server.add(Hangs())
    world = World(tmp_path, models_at(server.base_url, timeout=0.2))
    with pytest.raises(Deferred, match="worst case is charged"):
        world.ask()
    assert 1 == world.ledger.spent().calls


def test_a_signal_gives_a_call_up_after_a_grace(tmp_path, server, monkeypatch):
    """A reply that comes within the grace is still used; a hanging call is given up."""
    monkeypatch.setattr("bot.llm.sdk._GRACE_S", 0.3)
    world = World(
        tmp_path, models_at(server.base_url), is_cancelled=lambda: bool(server.seen)
    )
    server.add(Says("In time.", after_s=0.1), Hangs())
    assert "In time." == world.ask().text
    with pytest.raises(Interrupted, match="worst case is charged"):
        world.ask()


def test_missing_packages_are_named(tmp_path, server, monkeypatch):
    """Without the SDK the error says which extra brings it, and nothing is charged."""
    monkeypatch.setitem(sys.modules, "pydantic_ai.models.anthropic", None)
    endpoint = Endpoint(base_url=server.url, api_key_name="MY_KEY")
    models = Models(
        proposer=("anthropic:m",),
        prices={"m": PRICE},
        endpoints={"anthropic": endpoint},
    )
    world = World(tmp_path, models)
    with pytest.raises(Misconfigured, match=r"install gapwright\[anthropic\]"):
        world.ask()
    assert 0 == world.ledger.spent().calls
