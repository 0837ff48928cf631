"""Whatever models answer and however many ask at once: caps hold, books agree."""

import tempfile
import threading
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from models_world import ASKED, World, models_at

from bot.errors import BotError
from bot.llm import CallScope, Message, TokenUsage
from bot.llm.wire import Answered, HttpFault, Lost, NotSent, WireAnswer, WireCall
from bot.store.ledger import Caps, PeriodCaps, Totals, micro_usd

MOST = sum(len(m.text.encode()) + 16 for m in ASKED)
OUTPUT = 100
URLS = [f"http://127.0.0.1:{port}/v1" for port in (1, 2)]
CAPS = Caps(
    call=2_000,
    cycle=2_500,
    gap=6_000,
    repo=PeriodCaps(day=7_000, month=20_000, calls_per_day=15, tokens_per_day=3_000),
    overall=PeriodCaps(day=9_000, month=30_000, calls_per_day=18, tokens_per_day=4_000),
)

within = st.builds(
    lambda inward, cached, out: Answered(
        "x", TokenUsage(inward, out, min(inward, cached)), "stop"
    ),
    st.integers(1, MOST),
    st.integers(0, MOST),
    st.integers(0, OUTPUT),
)
answers = st.one_of(
    within,
    st.just(Answered("x", None, "length")),
    st.just(Answered("", TokenUsage(9, 0), "content_filter")),
    st.sampled_from([429, 500, 503]).map(lambda status: HttpFault(status, {}, "")),
    st.just(HttpFault(400, {}, "maximum context length")),
    st.just(HttpFault(429, {}, "insufficient_quota")),
    st.just(Lost("gone")),
    st.just(NotSent("nobody there")),
    st.just(KeyError("a bug")),
)


class _Drawn:
    """A wire that ends exchanges as drawn, for threads at once."""

    def __init__(self, script: list[WireAnswer | Exception]) -> None:
        self._script = list(script)
        self._lock = threading.Lock()

    def __call__(self, call: WireCall, is_cancelled: object, /) -> WireAnswer:
        with self._lock:
            answer = self._script.pop(0) if self._script else Lost("the end")
        if isinstance(answer, Exception):
            raise answer
        return answer


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    script=st.lists(answers, min_size=4, max_size=24),
    asks=st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.booleans()),
        min_size=2,
        max_size=8,
    ),
)
def test_no_cap_is_passed_and_the_books_agree(script, asks):
    """Random answers, bugs, restarts and parallel callers; after each the sums hold."""
    with tempfile.TemporaryDirectory() as place:
        wire = _Drawn(script)
        world = World(Path(place), models_at(*URLS, in_flight=2), wire)
        resumed: set[str] = set()
        for cycle, gap, restarts in asks:
            in_parallel(world, cycle, gap, cycle if cycle in resumed else None)
            assert_within(world)
            if restarts:
                world.restarted()
                resumed = set("ab")
        for cycle in "ab":
            spent = world.ledger.of_cycle(cycle)
            calls = world.gateway.calls(cycle)
            assert spent.micro_usd == sum(micro_usd(c.cost_usd) for c in calls)
            assert spent.tokens == sum(c.input_tokens + c.output_tokens for c in calls)
            assert spent.calls == len(calls)


def in_parallel(world: World, cycle: str, gap: str, resumes: str | None) -> None:
    """Let two threads ask for the same cycle at the same time."""
    scope = CallScope("lake", CAPS, gap_id=gap, cycle_id=cycle, resumes=resumes)

    def ask(text: str) -> None:
        told = (*ASKED[:1], Message("user", text))
        try:
            world.gateway.ask("proposer", told, scope, OUTPUT)
        except (BotError, KeyError):
            return

    threads = [threading.Thread(target=ask, args=(text,)) for text in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def assert_within(world: World) -> None:
    """Hold every scope against its cap."""
    ledger, day = world.ledger, world.ledger.today()
    for cycle in "ab":
        assert ledger.of_cycle(cycle).micro_usd <= CAPS.cycle
        assert ledger.of_cycle(cycle).calls <= 6
    for gap in "xy":
        assert ledger.of_gap("lake", gap).micro_usd <= CAPS.gap
    for caps, spent in (
        (CAPS.repo, ledger.spent(day, "lake")),
        (CAPS.overall, ledger.spent(day)),
    ):
        most = Totals(
            micro_usd=caps.day, calls=caps.calls_per_day, tokens=caps.tokens_per_day
        )
        assert spent.fits(most)
