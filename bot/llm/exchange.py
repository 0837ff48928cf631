"""One question to one model: reserved, sent, stored, settled, and tried again in bounds."""

import time
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass

from bot.errors import Deferred, Interrupted, Misconfigured, OverBudget
from bot.llm.desk import Desk
from bot.llm.job import Job, Passed
from bot.llm.prices import Price, context_of, price_of
from bot.llm.settlement import Settlement
from bot.llm.slots import slot
from bot.llm.target import Target
from bot.llm.values import ModelFailed, Reply
from bot.llm.verdict import Outage, QuotaUsedUp, Refusal, verdict
from bot.llm.wire import Answered, HttpFault, NotSent, WireAnswer, WireCall
from bot.store.ledger import Reservation, Usage

BACKOFF_S = (1.0, 4.0)
"""Waits before the second and the third request to a model that was not ready."""

LONGEST_WAIT_S = 60.0
"""A server that asks for more than this is not waited for: the model rests."""

_SLICE_S = 0.2


@dataclass(frozen=True, slots=True)
class _Missed:
    """A request without an answer; `again` says whether another one may follow."""

    outage: Outage
    again: bool


class Exchange:
    """Asks one model one question.

    Args:
        desk: What it works with.
        job: The question.
        target: The model.
    """

    def __init__(self, desk: Desk, job: Job, target: Target) -> None:
        self._desk = desk
        self._job = job
        self._target = target
        self._max_output = min(job.max_output, target.max_output)
        self._till = Settlement(desk, job, target, self._max_output)

    def run(self) -> Reply | Passed:
        """Return the reply, or why the model is passed over.

        Raises:
            ModelFailed: It refused.
            Misconfigured: Its key, its price or its server is not right.
            Interrupted: A signal came.
            DataFolderUnusable: The reply can't be stored.
        """
        target, rests = self._target, self._desk.rests
        if self._job.least_input + self._max_output > context_of(target):
            return Passed(f"{target.name} has no room for the prompt", "room")
        price = price_of(target, self._desk.models, self._desk.clock())
        call = WireCall(target, self._key(), self._job.messages, self._max_output)
        rest = rests.enter(target.name)
        if rest is not None:
            until = rest.until.isoformat(timespec="minutes") if rest.until else "later"
            text = f"{target.name} rests until {until}: {rest.reason}"
            return Passed(text, "outage", rest.until)
        with ExitStack() as stack:
            stack.callback(rests.give_back, target.name)
            try:
                stack.enter_context(self._place())
            except Deferred as busy:
                return Passed(str(busy), "outage")
            return self._rounds(call, price)

    def _place(self) -> AbstractContextManager[None]:
        return slot(
            self._desk.folder / "places",
            self._target.server,
            self._target.in_flight,
            timeout_s=self._target.timeout_s,
            is_cancelled=self._desk.is_cancelled,
        )

    def _key(self) -> str | None:
        name = self._target.key_name
        key = self._desk.secret(name) if name else None
        if name and not key:
            raise Misconfigured(
                f"{self._target.name} needs a key: set {name} in the environment, in "
                f"$CREDENTIALS_DIRECTORY/{name} or in /run/secrets/{name}"
            )
        return key

    def _rounds(self, call: WireCall, price: Price) -> Reply | Passed:
        answer = self._once(call, price)
        for backoff in BACKOFF_S:
            if not isinstance(answer, _Missed) or not self._waited(answer, backoff):
                break
            following = self._once(call, price)
            if isinstance(following, Passed) and following.why == "budget":
                break  # what counts is that nobody answered
            answer = following
        return self._out(answer.outage) if isinstance(answer, _Missed) else answer

    def _waited(self, missed: _Missed, backoff_s: float) -> bool:
        """Wait before the next try; say no where there may be none or it is far off."""
        asked = missed.outage.retry_after_s
        wait_s = backoff_s if asked is None else asked
        if not missed.again or wait_s > LONGEST_WAIT_S:
            return False
        self._desk.warn(
            "model.waits", f"{missed.outage.reason}; asked again in {wait_s:g} s"
        )
        left = wait_s
        while left > 0:
            if self._desk.is_cancelled():
                raise Interrupted(
                    f"a signal came while waiting for {self._target.name}"
                )
            self._desk.sleep(min(left, _SLICE_S))
            left -= _SLICE_S
        return True

    def _out(self, outage: Outage) -> Passed:
        until = self._desk.rests.outage(
            self._target.name, outage.reason, outage.retry_after_s
        )
        return Passed(outage.reason, "outage", until)

    def _once(self, call: WireCall, price: Price) -> Reply | Passed | _Missed:
        try:
            reservation = self._reserve(price)
        except OverBudget as error:
            return Passed(f"{self._target.name}: {error}", "budget")
        began = time.monotonic()
        answer = self._sent(call, reservation)
        took_ms = round((time.monotonic() - began) * 1000)
        if isinstance(answer, Answered):
            return self._till.take(answer, reservation, price, took_ms)
        if isinstance(answer, HttpFault):
            self._till.http_error(reservation, answer.status, took_ms)
            return self._judged(answer)
        reason = self._desk.redact(f"{self._target.name}: {answer.reason}")
        if isinstance(answer, NotSent):
            self._unsent(reservation)
            return _Missed(Outage(f"{reason} (nothing was sent)"), again=True)
        self._till.lost(reservation, took_ms)
        if self._desk.is_cancelled():
            raise Interrupted(f"{reason} (its worst case is charged)")
        return _Missed(Outage(f"{reason} (its worst case is charged)"), again=False)

    def _reserve(self, price: Price) -> Reservation:
        job, scope = self._job, self._job.scope
        worst = Usage(
            micro_usd=price.worst(job.most_input, self._max_output),
            tokens=job.most_input + self._max_output,
        )
        request = job.request(self._target.name, worst)
        with self._desk.sent.one_more(scope):
            return self._desk.ledger.reserve(request, scope.caps)

    def _unsent(self, reservation: Reservation) -> None:
        reservation.release_unsent()
        self._desk.sent.take_back(self._job.scope)

    def _sent(self, call: WireCall, reservation: Reservation) -> WireAnswer:
        try:
            return self._desk.wire(call, self._desk.is_cancelled)
        except Misconfigured:
            self._unsent(reservation)
            raise
        except BaseException:
            self._till.lost(reservation, 0)
            raise

    def _judged(self, fault: HttpFault) -> Passed | _Missed:
        rests, name = self._desk.rests, self._target.name
        found = verdict(fault, self._target, self._desk.clock())
        reason = self._desk.redact(found.reason)
        if isinstance(found, Outage):
            return _Missed(Outage(reason, found.retry_after_s), again=True)
        if isinstance(found, QuotaUsedUp):
            until, is_news = rests.quota(name, reason, found.retry_after_s)
            if is_news:
                self._desk.warn(
                    "model.quota",
                    f"{reason}; it rests until {until:%Y-%m-%d %H:%M %Z}"
                    " or `bot resume`",
                )
            return Passed(reason, "outage", until)
        if isinstance(found, Refusal):
            rests.worked(name)
            raise ModelFailed(reason)
        raise Misconfigured(reason)
