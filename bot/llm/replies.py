"""Replies on disk, before they are used: what was paid for is never paid for twice."""

import hashlib
import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.domain.record import CallRecord
from bot.errors import BotError
from bot.llm.values import Message, Reply, TokenUsage
from bot.store.files import usable, write_atomic
from bot.store.jsonfile import Readers, UnreadableError, dump, load
from bot.store.ledger import usd

_Count = Annotated[int, Field(strict=True, ge=0)]
_CYCLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StoredUsage(_Frozen):
    """The tokens of a stored reply, as `TokenUsage` has them."""

    input_tokens: _Count = 0
    output_tokens: _Count = 0
    cache_read_tokens: _Count = 0
    cache_write_tokens: _Count = 0
    reasoning_tokens: _Count = 0


class StoredReply(_Frozen):
    """One reply.

    Attributes:
        cycle_id: The cycle that uses it.
        charged_to: The cycle that paid for it.
        number: Which call of the cycle it answers, from 1.
        request_hash: Of role, messages and bound; only the same request gets it again.
        role: Who asked.
        model: Who answered.
        text: The answer without thinking.
        finish_reason: As in `Reply`.
        usage: The tokens that were charged.
        micro_usd: What they cost.
        duration_ms: How long the call took.
        over_reservation: As in `Reply`.
    """

    schema_version: Literal[1] = 1
    cycle_id: str
    charged_to: str
    number: Annotated[int, Field(strict=True, ge=1)]
    request_hash: str
    role: str
    model: str
    text: str
    finish_reason: str | None
    usage: StoredUsage
    micro_usd: _Count
    duration_ms: _Count
    over_reservation: bool = False

    def reply(self) -> Reply:
        """Return it as it is handed on after an interruption."""
        return Reply(
            text=self.text,
            usage=TokenUsage(**self.usage.model_dump()),
            cost=usd(self.micro_usd),
            finish_reason=self.finish_reason,
            model=self.model,
            is_stored=True,
            over_reservation=self.over_reservation,
        )

    def record(self) -> CallRecord:
        """Return its line in the cycle's record."""
        return CallRecord(
            role=self.role,
            model=self.model,
            input_tokens=self.usage.input_tokens,
            output_tokens=self.usage.output_tokens,
            cached_tokens=self.usage.cache_read_tokens,
            cost_usd=usd(self.micro_usd),
            finish_reason=self.finish_reason,
            duration_ms=self.duration_ms,
            over_reservation=self.over_reservation,
        )


_READERS: Readers[StoredReply] = {1: StoredReply.model_validate_json}


class ReplyStore:
    """The replies of one repository's cycles.

    Args:
        folder: Where they lie; created with the first one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, reply: StoredReply) -> None:
        """Write a reply durably.

        Raises:
            DataFolderUnusable: The file system refused it.
        """
        write_atomic(self._path(reply.cycle_id, reply.number), dump(reply))

    def get(self, cycle_id: str, number: int) -> StoredReply | None:
        """Return a reply; one that is not there or can't be read is None."""
        path = self._path(cycle_id, number)
        if not path.exists():
            return None
        try:
            return load(path, _READERS)
        except UnreadableError:
            return None

    def of_cycle(self, cycle_id: str) -> tuple[StoredReply, ...]:
        """Return the replies that can be read, in order."""
        paths = self._path(cycle_id, 1).parent.glob("*.json")
        numbers = sorted(int(path.stem) for path in paths if path.stem.isdecimal())
        found = (self.get(cycle_id, number) for number in numbers)
        return tuple(reply for reply in found if reply is not None)

    def remove(self, cycle_id: str) -> None:
        """Delete the replies of a cycle; none is fine."""
        folder = self._path(cycle_id, 1).parent
        with usable(folder):
            if folder.is_dir():
                shutil.rmtree(folder)

    def _path(self, cycle_id: str, number: int) -> Path:
        if _CYCLE.fullmatch(cycle_id) is None:
            raise BotError(f"{cycle_id!r} is no cycle's id")
        return self._folder / cycle_id / f"{number}.json"


def request_hash(role: str, messages: Iterable[Message], max_output: int) -> str:
    """Return what tells one request from another, whichever model answers it."""
    asked = [role, max_output, *([m.role, m.text] for m in messages)]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()
