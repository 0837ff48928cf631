"""Says of an HTTP error who must act: nobody yet, the gap, the config, the account."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeAlias

from bot.llm.target import Target
from bot.llm.wire import HttpFault

_SERVER = 500
_BUSY = frozenset({408, 409, 423, 425, 429})
_QUOTA_STATUS = 402
_TOO_LARGE = 413
_SAID = 300
_LONGEST_S = 366 * 86_400.0

# Codes by which providers say that an account, not a rate, is used up.
_QUOTA_CODES = re.compile(
    r"insufficient_quota|billing_hard_limit|billing_not_active|insufficient_balance"
    r"|insufficient_credits|quota_exhausted|credit balance is too low"
    r"|insufficient balance|requires more credits",
    re.IGNORECASE,
)
# Words that some also use for a rate, and then say when to come back.
_QUOTA_WORDS = re.compile(r"exceeded your current quota|hard limit", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context_length_exceeded|maximum context length|context (?:window|length|size)"
    r"|prompt is too long|too many (?:input )?tokens|exceed_context_size"
    r"|input token count .* exceeds",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content_filter|content_policy|content management policy|responsibleai"
    r"|safety system|flagged",
    re.IGNORECASE,
)
_DELAY = re.compile(r'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"')


@dataclass(frozen=True, slots=True)
class Outage:
    """The world was not ready; `retry_after_s` is what the server asked for."""

    reason: str
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class QuotaUsedUp:
    """The account at the provider has nothing left; a person or a date ends that."""

    reason: str
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """The model will not answer this; another try gives the same."""

    reason: str


@dataclass(frozen=True, slots=True)
class Wrong:
    """Key, model or request are not right; a person must act."""

    reason: str


Verdict: TypeAlias = Outage | QuotaUsedUp | Refusal | Wrong


def verdict(fault: HttpFault, target: Target, now: datetime) -> Verdict:
    """Return who must act on an error of a model's server."""
    after = _retry_after(fault, now)
    said = f"{target.name} answered {fault.status}: {_message(fault.body)}"
    if _is_quota(fault, after):
        return QuotaUsedUp(said, after)
    if fault.status in _BUSY or fault.status >= _SERVER:
        return Outage(said, after)
    if fault.status == _TOO_LARGE or _TOO_LONG.search(fault.body):
        return Refusal(f"the prompt is too long for the model: {said}")
    if _FILTER.search(fault.body):
        return Refusal(f"the provider's filter refused the prompt: {said}")
    return Wrong(f"{said}; {_advice(fault.status, target)}")


def _is_quota(fault: HttpFault, after: float | None) -> bool:
    if fault.status == _QUOTA_STATUS:
        return True
    if not 400 <= fault.status < _SERVER:  # noqa: PLR2004  a client's error in HTTP
        return False
    if _QUOTA_CODES.search(fault.body):
        return True
    return after is None and _QUOTA_WORDS.search(fault.body) is not None


def _retry_after(fault: HttpFault, now: datetime) -> float | None:
    """Return the seconds that the server wants to be left alone, if it says so."""
    found = [
        *_milliseconds(fault.headers),
        *_header(fault.headers.get("retry-after"), now),
        *(float(delay) for delay in _DELAY.findall(fault.body)),
    ]
    return min(max(0.0, *found), _LONGEST_S) if found else None


def _milliseconds(headers: Mapping[str, str]) -> Iterator[float]:
    text = headers.get("retry-after-ms", "")
    if re.fullmatch(r"\d{1,12}(\.\d+)?", text):
        yield float(text) / 1000


def _header(text: str | None, now: datetime) -> Iterator[float]:
    if text is None:
        return
    if re.fullmatch(r"\d{1,12}(\.\d+)?", text.strip()):
        yield float(text)
        return
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    yield (moment - now).total_seconds()


def _message(body: str) -> str:
    """Return what the server says, in one line."""
    try:
        data = json.loads(body)
    except ValueError:
        data = None
    error = data.get("error", data) if isinstance(data, dict) else None
    if isinstance(error, dict):
        error = error.get("message")
    text = error if isinstance(error, str) else body
    return " ".join(text.split())[:_SAID] or "nothing"


def _advice(status: int, target: Target) -> str:
    if status in {401, 403}:
        key = target.key_name
        if key is None:
            return (
                f"name the secret with its key: api_key_name under "
                f"[models.endpoints.{target.server}]"
            )
        return f"look at the key in {key} and what it may do"
    if status in {404, 405}:
        return f"look at the model's name and the address {target.base_url}"
    if 300 <= status < 400:  # noqa: PLR2004  a redirect in HTTP
        return f"base_url of {target.server} leads elsewhere; set the final address"
    return "the server does not take such a request; look at the model's settings"
