"""Stand-ins for tests, also for yours: a forge in memory, a model server with a script."""

from bot.testing.forge import FakeForge
from bot.testing.models import ScriptedModels
from bot.testing.script import (
    Answer,
    Drops,
    Fails,
    Hangs,
    Malformed,
    QuotaUsedUp,
    RateLimited,
    Refuses,
    Says,
    Seen,
)

__all__ = [
    "Answer",
    "Drops",
    "Fails",
    "FakeForge",
    "Hangs",
    "Malformed",
    "QuotaUsedUp",
    "RateLimited",
    "Refuses",
    "Says",
    "ScriptedModels",
    "Seen",
]
