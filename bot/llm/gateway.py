"""The one door to models: reserve, ask, store, settle; wait, and fall back in order."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, tzinfo
from decimal import Decimal
from pathlib import Path
from threading import RLock

from bot.domain.record import CallRecord
from bot.errors import Misconfigured
from bot.llm.call_log import CallLog, reconciled
from bot.llm.desk import Desk
from bot.llm.exchange import Exchange
from bot.llm.job import Job, Passed, ended
from bot.llm.prices import context_of, price_of
from bot.llm.replies import ReplyStore
from bot.llm.rests import Rest, Rests
from bot.llm.sent import Sent
from bot.llm.target import Target, target_of
from bot.llm.tokens import most_tokens
from bot.llm.values import FILTERED, CallScope, Message, ModelFailed, Reply
from bot.llm.wire import Wire, WireAnswer, WireCall
from bot.settings.models import Models
from bot.store.ledger import Ledger, usd


def _sdk(call: WireCall, is_cancelled: Callable[[], bool], /) -> WireAnswer:
    from bot.llm.sdk import send  # noqa: PLC0415 - only when a call is made

    return send(call, is_cancelled)


def never() -> bool:
    """Say that no signal came."""
    return False


class Gateway:
    """Asks models within budgets, for one repository.

    Args:
        models: Which models there are.
        ledger: Where every call is reserved and settled.
        replies: Where replies are stored before they are used.
        folder: Where rests and places at servers are kept, for all repositories.
        zone: Decides when a day ends.
        clock: Returns the present moment, aware.
        secret: Returns a secret by its name.
        redact: Takes secrets out of a text.
        warn: Told what a person may want to know, as an event and a detail.
        is_cancelled: Whether a signal asked for an end.
        sleep: Waits that many seconds.
        wire: Sends a request; None is the SDK, imported at the first call.
    """

    def __init__(
        self,
        models: Models,
        ledger: Ledger,
        replies: ReplyStore,
        folder: Path,
        *,
        zone: tzinfo,
        clock: Callable[[], datetime],
        secret: Callable[[str], str | None],
        redact: Callable[[str], str],
        warn: Callable[[str, str], None],
        is_cancelled: Callable[[], bool] = never,
        sleep: Callable[[float], None] = time.sleep,
        wire: Wire | None = None,
    ) -> None:
        self._models = models
        self._ledger = ledger
        self._replies = replies
        self._rests = Rests(folder, clock)
        self._clock = clock
        self._log = CallLog()
        self._desk = Desk(
            models=models,
            ledger=ledger,
            replies=replies,
            rests=self._rests,
            log=self._log,
            folder=folder,
            zone=zone,
            clock=clock,
            secret=secret,
            redact=redact,
            warn=warn,
            is_cancelled=is_cancelled,
            sleep=sleep,
            wire=wire or _sdk,
            sent=Sent(ledger, replies),
        )
        self._numbers: dict[str, int] = defaultdict(int)
        self._strayed: set[str] = set()
        self._answering: dict[str, str] = {}
        self._lock = RLock()

    def ask(
        self,
        role: str,
        messages: Sequence[Message],
        scope: CallScope,
        max_output: int,
    ) -> Reply:
        """Ask the models of a role in order until one answers.

        Raises:
            Deferred: Nobody can be reached now; no attempt.
            OverBudget: Nobody's worst case fits the caps, or the cycle made its calls.
            ModelFailed: The model refused, or nobody has room for the prompt.
            Misconfigured: A key, a price, a model or a server is not right.
            Interrupted: A signal came.
            DataFolderUnusable: The reply can't be stored.
        """
        job = Job(role, tuple(messages), scope, max_output, self._number(scope))
        reply = self._stored(job)
        if reply is None:
            with self._number_given_back(job):
                reply = self._asked(job)
        if reply.finish_reason == FILTERED:
            raise ModelFailed(
                f"{reply.model} refused: {reply.text.strip() or 'without a word'}"
            )
        return reply

    def models(self, role: str) -> tuple[str, ...]:
        """Return the models of a role in the order in which they are asked.

        Raises:
            Misconfigured: There is none.
        """
        names: tuple[str, ...] = getattr(self._models, role, ())
        if not names:
            raise Misconfigured(
                f"no model is configured for the role {role!r}: set {role} under "
                "[models]"
            )
        return names

    def room(self, role: str, max_output: int) -> int:
        """Return the tokens of prompt that every model of a role has room for."""
        targets = [target_of(name, self._models) for name in self.models(role)]
        return min(
            max(0, context_of(target) - min(max_output, target.max_output))
            for target in targets
        )

    def worst_case(
        self, role: str, messages: Sequence[Message], max_output: int
    ) -> Decimal:
        """Return the most US dollars that the first model of a role can cost.

        Raises:
            Misconfigured: Its price is not known.
        """
        target = target_of(self.models(role)[0], self._models)
        price = price_of(target, self._models, self._clock())
        bound = min(max_output, target.max_output)
        return usd(price.worst(most_tokens(messages), bound))

    def calls(self, cycle_id: str) -> tuple[CallRecord, ...]:
        """Return a cycle's calls for its record; they sum up to what it was charged."""
        noted = self._log.of_cycle(cycle_id)
        stored = self._replies.of_cycle(cycle_id)
        earlier = tuple(
            reply.record()
            for reply in stored
            if reply.charged_to == cycle_id
            and not self._log.has_reply(cycle_id, reply.number)
        )
        return reconciled((*earlier, *noted), self._ledger.of_cycle(cycle_id))

    def resting(self) -> tuple[Rest, ...]:
        """Return the models that are not asked now, with why and until when."""
        return self._rests.now()

    def resume(self) -> tuple[str, ...]:
        """End every rest; return the models that rested."""
        return self._rests.clear()

    def _number(self, scope: CallScope) -> int:
        with self._lock:
            key = scope.cycle_id or ""
            self._numbers[key] += 1
            return self._numbers[key]

    @contextmanager
    def _number_given_back(self, job: Job) -> Iterator[None]:
        """Give the number of a call to the next one when it brought no reply."""
        try:
            yield
        except BaseException:
            with self._lock:
                key = job.scope.cycle_id or ""
                self._numbers[key] -= self._numbers[key] == job.number
            raise

    def _stored(self, job: Job) -> Reply | None:
        """Return the reply of an interrupted run to the very same question."""
        cycle_id = job.scope.cycle_id
        source = job.scope.resumes or cycle_id
        if cycle_id is None or source is None or cycle_id in self._strayed:
            return None
        stored = self._replies.get(source, job.number)
        if stored is None or stored.request_hash != job.hash:
            self._strayed.add(cycle_id)
            return None
        if source != cycle_id:
            self._replies.put(stored.model_copy(update={"cycle_id": cycle_id}))
        self._answering[cycle_id] = stored.model
        return stored.reply()

    def _asked(self, job: Job) -> Reply:
        passed: list[Passed] = []
        for target in self._cascade(job):
            answer = Exchange(self._desk, job, target).run()
            if isinstance(answer, Reply):
                self._answering[job.scope.cycle_id or ""] = answer.model
                return answer
            passed.append(answer)
        raise ended(passed)

    def _cascade(self, job: Job) -> list[Target]:
        """Return who is asked: behind those that had their attempts, and no step back."""
        names = self.models(job.role)
        left = [name for name in names if name not in job.scope.after] or [names[-1]]
        last = self._answering.get(job.scope.cycle_id or "")
        if job.scope.cycle_id is not None and last in left:
            left = left[left.index(last) :]
        return [target_of(name, self._models) for name in left]
