"""What tests of models share: a gateway on a scripted server, and a clock to set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from bot.llm import CallScope, Gateway, Message, Reply, ReplyStore
from bot.llm.gateway import never
from bot.llm.wire import Wire
from bot.settings.models import Endpoint, Models, Price
from bot.store.ledger import Caps, Ledger

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEY = "secret-key-4711"
ASKED = (Message("system", "You close gaps."), Message("user", "Close gap one."))
PRICE = Price(input=Decimal(1), output=Decimal(10), cache_read=Decimal("0.1"))


@dataclass
class Clock:
    """A clock that stands still until it is set."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def go(self, **by: float) -> None:
        self.now += timedelta(**by)


def models_at(
    *urls: str,
    price: Price | None = PRICE,
    proposer: Sequence[str] | None = None,
    **endpoint: object,
) -> Models:
    """Return a cascade of one model a server, each at the same price."""
    names = [f"s{number}:m" for number in range(len(urls))]
    return Models(
        proposer=tuple(proposer or names),
        prices={} if price is None else {"m": price},
        endpoints={
            name.partition(":")[0]: Endpoint(
                base_url=url, api_key_name="MY_KEY", **endpoint
            )
            for name, url in zip(names, urls, strict=True)
        },
    )


@dataclass
class World:
    """A gateway with everything around it that a test looks at."""

    folder: Path
    models: Models
    wire: Wire | None = None
    is_cancelled: Callable[[], bool] = never
    keys: dict[str, str] = field(default_factory=lambda: {"MY_KEY": KEY})
    clock: Clock = field(default_factory=Clock)
    waits: list[float] = field(default_factory=list)
    warnings: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.folder / "ledger", UTC, self.clock)
        self.replies = ReplyStore(self.folder / "lake" / "replies")
        self.gateway = self.restarted()

    def restarted(self) -> Gateway:
        """Return the gateway of a process that starts on the same folder."""
        self.gateway = Gateway(
            self.models,
            self.ledger,
            self.replies,
            self.folder / "models",
            zone=UTC,
            clock=self.clock,
            secret=self.keys.get,
            redact=lambda text: text.replace(KEY, "***"),
            warn=lambda event, detail: self.warnings.append((event, detail)),
            is_cancelled=self.is_cancelled,
            sleep=self.waits.append,
            wire=self.wire,
        )
        return self.gateway

    def scope(
        self, cycle_id: str | None = "cycle-1", caps: Caps | None = None, **more: object
    ) -> CallScope:
        """Return whom a call is charged to."""
        caps = caps or Caps()
        return CallScope("lake", caps, gap_id="gap-1", cycle_id=cycle_id, **more)

    def ask(
        self,
        messages: Sequence[Message] = ASKED,
        max_output: int = 1000,
        **scope: object,
    ) -> Reply:
        """Ask the proposer's models."""
        return self.gateway.ask("proposer", messages, self.scope(**scope), max_output)
