"""What a gateway hands to each of its exchanges."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

from bot.llm.call_log import CallLog
from bot.llm.replies import ReplyStore
from bot.llm.rests import Rests
from bot.llm.sent import Sent
from bot.llm.wire import Wire
from bot.settings.models import Models
from bot.store.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Desk:
    """What every exchange of a gateway works with; see `Gateway`."""

    models: Models
    ledger: Ledger
    replies: ReplyStore
    rests: Rests
    log: CallLog
    folder: Path
    zone: tzinfo
    clock: Callable[[], datetime]
    secret: Callable[[str], str | None]
    redact: Callable[[str], str]
    warn: Callable[[str, str], None]
    is_cancelled: Callable[[], bool]
    sleep: Callable[[float], None]
    wire: Wire
    sent: Sent
