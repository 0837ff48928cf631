"""What the gateway adds to a call: money, storing and order, beside the bare request."""

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from bench.measure import Line, in_turns, median_ms
from bot.llm import CallScope, Gateway, Message, ReplyStore
from bot.settings.models import Endpoint, Models, Price
from bot.store.ledger import Caps, Ledger, PeriodCaps
from bot.testing import Says, ScriptedModels, Seen

_ROUNDS = 60
_BOUND_MS = 15.0
_MESSAGES = (Message("system", "You close gaps."), Message("user", "word " * 20_000))
_CAP = 10**12


def measure(place: Path) -> Iterator[Line]:
    """Measure one call through the gateway beside a plain POST of the same body."""
    with ScriptedModels() as server, tempfile.TemporaryDirectory(dir=place) as folder:
        yield _added(server, Path(folder))


def _added(server: ScriptedModels, folder: Path) -> Line:
    import httpx

    gateway = _gateway(server, folder)
    numbers = iter(range(10**6))
    body = {
        "model": "m",
        "max_tokens": 1000,
        "messages": [{"role": m.role, "content": m.text} for m in _MESSAGES],
    }

    def ours() -> None:
        server.add(_answer)
        scope = CallScope(
            "lake",
            Caps(cycle=_CAP, gap=_CAP, repo=PeriodCaps(day=_CAP, month=_CAP)),
            gap_id="gap-1",
            cycle_id=f"cycle-{next(numbers)}",
        )
        gateway.ask("proposer", _MESSAGES, scope, 1000)

    def bare() -> None:
        server.add(_answer)
        with httpx.Client(verify=False) as client:
            answer = client.post(f"{server.base_url}/chat/completions", json=body)
        answer.json()["choices"][0]["message"]["content"]

    mine, plain = (median_ms(taken) for taken in in_turns(_ROUNDS, ours, bare))
    return Line(
        "a model call through the gateway",
        f"{mine:.1f} ms",
        f"a plain POST {plain:.1f} ms: {mine - plain:.1f} ms added",
        f"{_BOUND_MS:g} ms added",
        mine - plain <= _BOUND_MS,
    )


def _answer(_seen: Seen) -> Says:
    return Says("Done.", input_tokens=25_000)


def _gateway(server: ScriptedModels, folder: Path) -> Gateway:
    def now() -> datetime:
        return datetime.now(UTC)

    models = Models(
        proposer=("local:m",),
        prices={"m": Price(input=Decimal(1), output=Decimal(2))},
        endpoints={"local": Endpoint(base_url=server.base_url, context=200_000)},
    )
    return Gateway(
        models,
        Ledger(folder / "ledger", UTC, now),
        ReplyStore(folder / "lake" / "replies"),
        folder / "models",
        zone=UTC,
        clock=now,
        secret=lambda _name: None,
        redact=str,
        warn=lambda _event, _detail: None,
    )
