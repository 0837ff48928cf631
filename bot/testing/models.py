"""A model server on loopback that answers as a script says."""

import json
import threading
from collections.abc import Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from bot.testing.dialects import answered, failed, streamed
from bot.testing.script import (
    Answer,
    Drops,
    Fails,
    Hangs,
    Malformed,
    Refuses,
    Says,
    Seen,
    Step,
)


class ScriptedModels:
    """Answers one request after the other; use it in a `with`.

    It speaks OpenAI's chat completions (also streamed), Anthropic's messages and
    Google's generateContent, as the request's path says. When the script is over, it
    answers 500 and says so.

    Args:
        script: The answers in order, or functions of what was asked.

    Attributes:
        seen: The requests that came, in order.
    """

    def __init__(self, script: Iterable[Step] = ()) -> None:
        self.seen: list[Seen] = []
        self._script = list(script)
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The address without a path, as Anthropic's and Google's SDKs take it."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def base_url(self) -> str:
        """The address as OpenAI's protocol takes it."""
        return f"{self.url}/v1"

    def add(self, *steps: Step) -> None:
        """Append to the script."""
        with self._lock:
            self._script += steps

    def next_answer(self, seen: Seen) -> Answer:
        """Note a request and return what the script has for it."""
        with self._lock:
            self.seen.append(seen)
            over = Fails(500, "the script has no more answers")
            step = self._script.pop(0) if self._script else over
        return step(seen) if callable(step) else step

    def pause(self, seconds: float) -> None:
        """Wait, but not longer than the server lives."""
        self._over.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = True
    request_queue_size = 64

    def __init__(self, models: ScriptedModels) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.models = models


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = Seen(self.path, headers, body)
        # Whoever asked may be gone by now; that is what some tests are about.
        with suppress(ConnectionError):
            self._answer(seen, self.server.models.next_answer(seen))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as inherited
        """Print nothing."""

    def _answer(self, seen: Seen, answer: Answer) -> None:
        models = self.server.models
        if isinstance(answer, Hangs):
            models.pause(answer.longest_s)
        if isinstance(answer, Hangs | Drops):
            self.close_connection = True
        elif isinstance(answer, Malformed):
            self._send(200, answer.body.encode(), {"Content-Type": "application/json"})
        elif isinstance(answer, Fails):
            self._json(answer.status, failed(seen, answer), dict(answer.headers))
        else:
            models.pause(answer.after_s if isinstance(answer, Says) else 0)
            self._said(seen, answer)

    def _said(self, seen: Seen, answer: Says | Refuses) -> None:
        if seen.dialect == "openai" and seen.body.get("stream"):
            events = b"".join(streamed(seen, answer))
            self._send(200, events, {"Content-Type": "text/event-stream"})
        else:
            self._json(200, answered(seen, answer), {})

    def _json(self, status: int, body: dict[str, Any], headers: dict[str, str]) -> None:
        kind = {"Content-Type": "application/json"}
        self._send(status, json.dumps(body).encode(), {**kind, **headers})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
