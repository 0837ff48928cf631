"""The only door to HTTP of our own: post an event, ask whether a service is busy or there.

Nothing here raises: an observer or a probe must never end a cycle.
"""

import json
import queue
from collections.abc import Callable
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import httpx

_PROBE_TIMEOUT_S = 2.0
_PROBE_BYTES = 64 * 1024
_T = TypeVar("_T")
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "gapwright"}


def post_event(url: str, body: bytes, timeout_s: float = 5.0) -> str | None:
    """POST an event; any 2xx takes it, a redirect is not followed.

    Returns:
        None when it was taken, else what went wrong; of the URL only scheme, host and
        port, since user, path and query may hold secrets.
    """

    def send(client: "httpx.Client") -> str | None:
        headers = {"Content-Type": "application/json"}
        with client.stream("POST", url, content=body, headers=headers) as answer:
            if answer.is_success:
                return None
            return f"it answered {answer.status_code}"

    ended = _within(timeout_s, send)
    error = ended.error or ended.value
    return error and f"the event was not taken by {_place(url)}: {error}"


def is_busy(url: str) -> bool:
    """Whether the service says that it is `running` with a `queue_depth` above 0.

    No answer within two seconds, or any other answer, is not busy.
    """

    def ask(client: "httpx.Client") -> bool:
        with client.stream("GET", url) as answer:
            body = b""
            for chunk in answer.iter_raw(_PROBE_BYTES):
                body += chunk
                if len(body) > _PROBE_BYTES:
                    return False
            return answer.is_success and _says_busy(body)

    return _within(_PROBE_TIMEOUT_S, ask).value is True


def reach(url: str) -> str | None:
    """Look whether anything answers at a URL, by a HEAD request; any answer will do.

    Returns:
        None when there is one, else what went wrong, with as little of the URL as
        `post_event` shows.
    """

    def ask(client: "httpx.Client") -> str:
        with client.stream("HEAD", url) as answer:
            return str(answer.status_code)

    error = _within(_PROBE_TIMEOUT_S, ask).error
    return error and f"{_place(url)} does not answer: {error}"


@dataclass(frozen=True, slots=True)
class _Ended(Generic[_T]):
    value: _T | None = None
    error: str | None = None


def _within(timeout_s: float, work: Callable[["httpx.Client"], _T]) -> _Ended[_T]:
    """Run the work beside this thread, and leave it there when time is up.

    httpx bounds each read, but neither a slow look-up of the name nor a server that
    sends a byte now and then; only the clock of another thread bounds all of it.
    """
    import httpx  # noqa: PLC0415 - 0.1 s that a tick without observer does not pay

    def run() -> None:
        try:
            with httpx.Client(
                timeout=timeout_s, follow_redirects=False, headers=_HEADERS
            ) as client:
                ended.put(_Ended(value=work(client)))
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            ended.put(_Ended(error=_words(error)))

    ended: queue.SimpleQueue[_Ended[_T]] = queue.SimpleQueue()
    Thread(target=run, name="observe-http", daemon=True).start()
    try:
        return ended.get(timeout=timeout_s)
    except queue.Empty:
        return _Ended(error=f"no answer within {timeout_s:g} s")


def _words(error: Exception) -> str:
    """Name the error; only what the system says of a connection is safe to repeat."""
    name = type(error).__name__
    return f"{name}: {error}" if name == "ConnectError" else name


def _place(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "the configured URL, which can't be read"
    return f"{parts.scheme}://{parts.hostname}{port}"


def _says_busy(body: bytes) -> bool:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return False
    if not isinstance(answer, dict) or not answer.get("running"):
        return False
    depth = answer.get("queue_depth")
    return isinstance(depth, int | float) and depth is not True and depth > 0
