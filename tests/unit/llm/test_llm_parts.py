"""Bounds on tokens, spoken thinking, prices, who must act, places and targets."""

import subprocess
import sys
import threading
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llm_wire import said
from models_world import NOON

from bot.errors import Deferred, Interrupted, Misconfigured
from bot.llm import Message, TokenUsage
from bot.llm.call_log import reconciled
from bot.llm.prices import context_of, price_of
from bot.llm.slots import slot
from bot.llm.target import Target, target_of
from bot.llm.thinking import without_thinking
from bot.llm.tokens import is_cut, least_tokens, most_tokens
from bot.llm.verdict import Outage, QuotaUsedUp, Refusal, Wrong, verdict
from bot.llm.wire import HttpFault, WireCall
from bot.settings.models import Endpoint, Models, Price, is_private
from bot.store.ledger import Totals

NOTHING = Models()


def target(name: str, **endpoint: object) -> Target:
    """Return a target whose server the config describes so."""
    server = name.partition(":")[0]
    return target_of(name, Models(endpoints={server: Endpoint(**endpoint)}))


def told(*texts: str) -> tuple[Message, ...]:
    return tuple(Message("user", text) for text in texts)


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("one two three", 3),
        ("x = foo.bar(1, 22)", 5),
        ("==========   \n\n\n", 0),
        ("日本語のテキストがここに", 2),
        ("\ud800", 0),
        ("", 0),
    ],
)
def test_bounds_hold_words_between_them(text, least):
    """A word is a token at least, a byte is a token at most, and a message has a frame."""
    messages = told(text)
    assert least == least_tokens(messages)
    assert len(text.encode("utf-8", "replace")) + 16 == most_tokens(messages)


@pytest.mark.parametrize(
    ("words", "counted", "expected"),
    [(1000, 700, True), (1000, 760, False), (1000, 0, False), (150, 10, False)],
)
def test_a_cut_is_what_is_clearly_too_few(words, counted, expected):
    """Small prompts and servers without a count are not blamed."""
    assert expected == is_cut(words, counted)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>a\nb</think>\n\nDone.", "Done."),
        ("  <Thinking>a</thinking> Done.", "Done."),
        ("hm, so\n</think>\nDone.", "Done."),
        ("hm\n</think>", ""),
        ("<think>never ends", ""),
        ("Done. <think>in a file</think>", "Done. <think>in a file</think>"),
        ("```html\n</think>\n```", "```html\n</think>\n```"),
        ("uses </think> in a line", "uses </think> in a line"),
        ("Done.", "Done."),
    ],
)
def test_only_leading_thinking_is_taken_off(text, answer):
    """A block at the front goes, tags further down stay."""
    assert answer == without_thinking(text)


@settings(max_examples=60, deadline=None)
@given(
    model=st.sampled_from(
        [
            "openai:gpt-5-mini",
            "openai:gpt-4o",
            "anthropic:claude-sonnet-4-5",
            "google:gemini-2.5-pro",
        ]
    ),
    inward=st.integers(0, 500_000),
    cached=st.integers(0, 500_000),
    out=st.integers(0, 50_000),
)
def test_listed_prices_are_those_of_the_list(model, inward, cached, out):
    """Our arithmetic gives what the price list computes, and never above the worst."""
    from genai_prices import Usage, calc_price

    provider, _, ref = model.partition(":")
    cached = min(cached, inward)
    price = price_of(target_of(model, NOTHING), NOTHING, NOON)
    listed = calc_price(
        Usage(input_tokens=inward, output_tokens=out, cache_read_tokens=cached),
        ref,
        provider_id=provider,
        genai_request_timestamp=NOON,
    )
    exact = listed.total_price * 10**6
    cost = price.cost(TokenUsage(inward, out, cached))
    assert exact <= cost < exact + 1
    assert cost <= price.worst(inward, out)


def test_the_worst_case_looks_at_every_tier_below_it():
    """A shorter prompt than the bound can't cost more than the bound, whatever tier."""
    price = price_of(target_of("google:gemini-2.5-pro", NOTHING), NOTHING, NOON)
    assert 2 == len(price.tiers)
    assert price.worst(200_001, 10) > price.worst(200_000, 10)


@pytest.mark.parametrize(
    ("prices", "micro"),
    [
        ({"local:m": Price(input=1, output=2)}, 30),
        ({"m": Price(input=2, output=2)}, 40),
        ({"m": Price(free=True)}, 0),
        ({"local:m": Price(free=True), "m": Price(input=9, output=9)}, 0),
    ],
)
def test_prices_of_the_config_go_first(prices, micro):
    """The full name beats the bare one, both beat the list."""
    price = price_of(
        target("local:m", base_url="http://h/v1"), Models(prices=prices), NOON
    )
    assert micro == price.worst(10, 10)


def test_a_free_server_needs_no_prices():
    """`free` of an endpoint holds for all of its models."""
    free = target("local:m", base_url="http://h/v1", free=True)
    assert 0 == price_of(free, NOTHING, NOON).worst(10**6, 10**6)


@pytest.mark.parametrize("name", ["local:gpt-4o", "openai:no-such-model-at-all"])
def test_a_name_alone_is_no_price(name):
    """A server of one's own is not charged like the provider whose model's name it has."""
    with pytest.raises(Misconfigured, match="no price of"):
        price_of(target(name, base_url="http://127.0.0.1:1/v1"), NOTHING, NOON)


def test_a_known_address_has_its_prices():
    """An endpoint at a provider of the list is priced as that provider."""
    deepseek = target("d:deepseek-chat", base_url="https://api.deepseek.com/v1")
    assert price_of(deepseek, NOTHING, NOON).worst(10**6, 0) > 0


@pytest.mark.parametrize(
    ("name", "endpoint", "context"),
    [
        ("openai:gpt-4o", {}, 128_000),
        ("openai:no-such", {}, 128_000),
        ("openai:gpt-4o", {"context": 5000}, 5000),
        ("local:m", {"base_url": "http://h/v1"}, 8192),
        ("local:m", {"base_url": "http://h/v1", "context": 32768}, 32768),
    ],
)
def test_context_is_configured_or_known_or_small(name, endpoint, context):
    """What the config says, else what is known, else what servers start with."""
    assert context == context_of(target(name, **endpoint))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:11434/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://10.1.2.3/v1", True),
        ("http://gpu.local/v1", True),
        ("http://ollama:11434/v1", True),
        ("https://api.openai.com/v1", False),
        ("http://8.8.8.8/v1", False),
    ],
)
def test_private_addresses_get_one_request_at_a_time(url, expected):
    """Servers of one's own machine or network have one place unless more are set."""
    assert expected == is_private(url)
    assert (1 if expected else None) == target("local:m", base_url=url).in_flight
    assert 3 == target("local:m", base_url=url, in_flight=3).in_flight


def test_an_unknown_server_names_the_table():
    """A model of a server that nobody described can't be asked."""
    with pytest.raises(Misconfigured, match=r"\[models.endpoints.nowhere\]"):
        target_of("nowhere:m", NOTHING)


def test_a_request_is_shown_without_its_key():
    """The key slips into no traceback."""
    call = WireCall(target("openai:m"), "the key", told("x"), 5)
    assert "WireCall(openai:m, 1 messages)" == repr(call)


@pytest.mark.parametrize(
    ("status", "headers", "body", "kind", "after"),
    [
        (429, {}, "slow down", Outage, None),
        (429, {"retry-after": "7"}, "", Outage, 7.0),
        (429, {"retry-after-ms": "1500"}, "", Outage, 1.5),
        (429, {"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT"}, "", Outage, 30.0),
        (429, {"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, "", Outage, 0.0),
        (429, {"retry-after": "Mon, 30 Nov 2026 12:00:30 -0000"}, "", Outage, 30.0),
        (429, {"retry-after": "soon"}, "", Outage, None),
        (503, {"retry-after": "9" * 12}, "", Outage, 366 * 86400.0),
        (429, {}, '{"error": {"details": [{"retryDelay": "34s"}]}}', Outage, 34.0),
        (429, {}, '{"error": {"code": "insufficient_quota"}}', QuotaUsedUp, None),
        (429, {}, "You exceeded your current quota", QuotaUsedUp, None),
        (429, {"retry-after": "9"}, "exceeded your current quota", Outage, 9.0),
        (400, {}, "billing_hard_limit_reached", QuotaUsedUp, None),
        (400, {}, "Your credit balance is too low", QuotaUsedUp, None),
        (402, {}, "", QuotaUsedUp, None),
        (500, {}, "insufficient_quota", Outage, None),
        (529, {}, "overloaded_error", Outage, None),
        (408, {}, "", Outage, None),
        (413, {}, "", Refusal, None),
        (400, {}, "prompt is too long: 9 > 8", Refusal, None),
        (400, {}, '{"error": {"code": "content_filter"}}', Refusal, None),
        (400, {}, "[1]", Wrong, None),
        (401, {}, "", Wrong, None),
        (302, {}, "", Wrong, None),
        (422, {}, "", Wrong, None),
    ],
)
def test_errors_say_who_must_act(status, headers, body, kind, after):
    """Each error of a server is nobody's, the account's, the gap's or the config's."""
    found = verdict(HttpFault(status, headers, body), target("openai:m"), NOON)
    assert kind is type(found)
    assert after == getattr(found, "retry_after_s", None)


def test_a_server_without_a_key_is_told_how_to_get_one():
    """A 401 of an endpoint without a key names the key of the config."""
    local = target("local:m", base_url="http://h/v1")
    found = verdict(HttpFault(401, {}, "{}"), local, NOON)
    assert "api_key_name under [models.endpoints.local]" in found.reason


def take(folder: Path, most: int | None, *, cancelled: bool = False):
    return slot(folder, "s", most, timeout_s=0.02, is_cancelled=lambda: cancelled)


def test_a_server_has_so_many_places(tmp_path):
    """One more than there are places waits, and is deferred when it takes too long."""
    with take(tmp_path, 2), take(tmp_path, 2):
        with pytest.raises(Deferred, match=r"raise in_flight under"):
            take(tmp_path, 2).__enter__()
        with pytest.raises(Interrupted):
            take(tmp_path, 2, cancelled=True).__enter__()
    with take(tmp_path, 1), take(tmp_path, None):
        assert ["s-0.lock", "s-1.lock"] == sorted(p.name for p in tmp_path.iterdir())


def test_a_place_is_held_against_other_threads(tmp_path):
    """Two threads never hold the same place at once."""
    inside, most = 0, 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        with slot(tmp_path, "s", 1, timeout_s=9, is_cancelled=lambda: False):
            with lock:
                inside += 1
                most = max(most, inside)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (0, 1) == (inside, most)


def test_a_busy_server_is_passed_over(world, wire):
    """Where no place is free in time the next model is asked."""
    endpoint = world.models.endpoints["s0"].model_copy(update={"timeout": 0.02})
    endpoints = {**world.models.endpoints, "s0": endpoint}
    world.models = world.models.model_copy(update={"endpoints": endpoints})
    world.restarted()
    wire.script = [said()]
    places = world.folder / "models" / "places"
    with slot(places, "s0", 1, timeout_s=1, is_cancelled=lambda: False):
        assert "s1:m" == world.ask().model


def test_a_lost_call_stands_in_the_record():
    """What the ledger charged beyond the calls known is a line of its own."""
    charged = Totals(micro_usd=70, calls=2, tokens=30)
    first, second = reconciled((), charged)
    assert ("unknown", 30, Decimal("0.000070")) == (
        first.model,
        first.input_tokens,
        first.cost_usd,
    )
    assert ("lost", 0, Decimal(0)) == (
        second.finish_reason,
        second.input_tokens,
        second.cost_usd,
    )


def test_a_call_that_died_before_it_was_settled_is_dearer():
    """A stored reply whose reservation stayed open is charged its worst case."""
    (first, _) = reconciled((), Totals(micro_usd=70, calls=2, tokens=30))
    (call,) = reconciled((first,), Totals(micro_usd=100, calls=1, tokens=44))
    assert (44, Decimal("0.000100")) == (call.input_tokens, call.cost_usd)


def test_without_the_price_list_the_extra_is_named(monkeypatch):
    """Where the packages for models are not installed, the error says how to get them."""
    monkeypatch.setitem(sys.modules, "genai_prices.data_snapshot", None)
    with pytest.raises(Misconfigured, match=r"install gapwright\[llm\]"):
        price_of(target_of("openai:gpt-4o", NOTHING), NOTHING, NOON)


def test_a_damaged_rest_holds_nobody_back(world, wire):
    """A file that can't be read is as none."""
    wire.script = [HttpFault(503, {"retry-after": "3600"}, ""), said(), said()]
    world.ask()
    (file,) = (world.folder / "models").glob("*.json")
    file.write_text("{")
    assert "s0:m" == world.ask(cycle_id="c2").model


_LOADED = """
import sys
import bot.llm, bot.settings
from bot.llm.sdk import send
heavy = {"pydantic_ai", "openai", "anthropic", "google.genai", "genai_prices", "httpx2"}
print(sorted(heavy & set(sys.modules)))
"""


def test_no_model_sdk_is_loaded_before_a_call():
    """Even with the gateway loaded, an SDK and the price list wait for the first call."""
    done = subprocess.run(
        [sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True
    )
    assert "[]\n" == done.stdout
