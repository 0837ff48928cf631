"""What an exchange costs in the end: stored first, then charged, then used."""

from dataclasses import replace
from datetime import datetime, timedelta

from bot.domain.record import CallRecord
from bot.errors import Misconfigured
from bot.llm.desk import Desk
from bot.llm.job import Job
from bot.llm.prices import Price
from bot.llm.replies import StoredReply, StoredUsage
from bot.llm.target import Target
from bot.llm.thinking import without_thinking
from bot.llm.tokens import is_cut
from bot.llm.values import Reply, TokenUsage
from bot.llm.wire import Answered
from bot.store.jsonfile import clean
from bot.store.ledger import Reservation, Usage, usd


class Settlement:
    """Ends reservations of one exchange and notes each call.

    Args:
        desk: What it works with.
        job: The question.
        target: The model.
        max_output: Most tokens of the answer.
    """

    def __init__(self, desk: Desk, job: Job, target: Target, max_output: int) -> None:
        self._desk = desk
        self._job = job
        self._target = target
        self._max_output = max_output

    def lost(self, reservation: Reservation, took_ms: int) -> None:
        """Charge the worst case: the request left and nothing came back."""
        reservation.settle_lost()
        self._note(reservation.worst, "lost", took_ms)

    def take(
        self, answer: Answered, reservation: Reservation, price: Price, took_ms: int
    ) -> Reply:
        """Store a reply, charge it, and only then hand it on.

        Raises:
            Misconfigured: The server cut the prompt.
            DataFolderUnusable: The reply can't be stored; it is charged all the same.
        """
        worst = TokenUsage(self._job.most_input, self._max_output)
        usage = answer.usage or worst
        charged = Usage(micro_usd=price.cost(usage), tokens=usage.total)
        if answer.usage is None:  # a server that counts nothing costs the worst case
            charged = reservation.worst
        over = not charged.fits(reservation.worst)
        was_cut = answer.usage is not None and is_cut(
            self._job.least_input, usage.input_tokens
        )
        stored = self._as_stored(answer, usage, charged, took_ms, over=over)
        try:
            if not was_cut and self._job.scope.cycle_id is not None:
                self._desk.replies.put(stored)
        finally:
            reservation.settle(charged)
            self._desk.log.add(stored.charged_to, stored.record(), self._job.number)
        self._after(stored)
        if was_cut:
            raise Misconfigured(self._cut(usage))
        return replace(stored.reply(), is_stored=False)

    def _as_stored(
        self,
        answer: Answered,
        usage: TokenUsage,
        charged: Usage,
        took_ms: int,
        *,
        over: bool,
    ) -> StoredReply:
        cycle_id = self._job.scope.cycle_id or ""
        return StoredReply(
            cycle_id=cycle_id,
            charged_to=cycle_id,
            number=self._job.number,
            request_hash=self._job.hash,
            role=self._job.role,
            model=self._target.name,
            text=clean(without_thinking(answer.text)),
            finish_reason=answer.finish_reason,
            usage=StoredUsage(
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cache_read_tokens=usage.cache_read_tokens,
                cache_write_tokens=usage.cache_write_tokens,
                reasoning_tokens=usage.reasoning_tokens,
            ),
            micro_usd=charged.micro_usd,
            duration_ms=took_ms,
            over_reservation=over,
        )

    def _after(self, stored: StoredReply) -> None:
        name = self._target.name
        if not stored.over_reservation:
            self._desk.rests.worked(name)
            return
        reason = (
            f"{name} used more than the worst case that was set aside: "
            f"{stored.usage.input_tokens} tokens in, {stored.usage.output_tokens} out, "
            f"${usd(stored.micro_usd)}; it rests for the day"
        )
        self._desk.rests.broke_bound(name, reason, self._next_day())
        self._desk.warn("model.broke_bound", reason)

    def _next_day(self) -> datetime:
        now = self._desk.clock().astimezone(self._desk.zone)
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight + timedelta(days=1)

    def _cut(self, usage: TokenUsage) -> str:
        return (
            f"the server cut the prompt: {self._target.name} counted "
            f"{usage.input_tokens} tokens where at least {self._job.least_input} were "
            "sent; start it with a longer context, or set context under "
            f"[models.endpoints.{self._target.server}] to what it has"
        )

    def http_error(self, reservation: Reservation, status: int, took_ms: int) -> None:
        """Charge a call and no money: the answer was an error without usage."""
        reservation.settle_http_error()
        self._note(Usage(), f"http {status}", took_ms)

    def _note(self, charged: Usage, finish_reason: str, took_ms: int) -> None:
        """Note a call that brought no reply."""
        output = min(charged.tokens, self._max_output)
        self._desk.log.add(
            self._job.scope.cycle_id,
            CallRecord(
                role=self._job.role,
                model=self._target.name,
                input_tokens=charged.tokens - output,
                output_tokens=output,
                cost_usd=usd(charged.micro_usd),
                finish_reason=finish_reason,
                duration_ms=took_ms,
            ),
        )
