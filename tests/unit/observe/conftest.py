"""A loopback server that answers as a test says, and a record to tell of."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bot.domain.change import Action
from bot.domain.gap import Gap
from bot.domain.outcome import Outcome
from bot.domain.record import CycleRecord, ProposalRecord, ProposedFile

START = datetime(2026, 11, 30, 8, 20, 0, 123000, tzinfo=UTC)


class Server:
    """Answers every request by the function that the test sets."""

    def __init__(self) -> None:
        self.answer: Callable[[BaseHTTPRequestHandler], None] = plain(204)
        self.requests: list[tuple[str, str, bytes, dict[str, str]]] = []
        self.ended = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.01}
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.ended.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def _handler(server) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - self is the handler's
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                seen = (self.command, self.path, body, dict(self.headers))
                server.requests.append(seen)
                server.answer(self)

            def do_GET(self) -> None:
                self.do_POST()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler


def plain(
    status: int, body: bytes = b"", **headers: str
) -> Callable[[BaseHTTPRequestHandler], None]:
    """Return an answer with this status and body."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


@pytest.fixture
def server() -> Iterator[Server]:
    """Return a running server; it takes everything until told otherwise."""
    made = Server()
    made.start()
    yield made
    made.stop()


@pytest.fixture(name="plain")
def plain_fixture() -> Callable[..., Callable[[BaseHTTPRequestHandler], None]]:
    """Return the maker of plain answers."""
    return plain


@pytest.fixture
def make_record() -> Callable[..., CycleRecord]:
    """Return the maker of records; keyword arguments replace fields."""

    def record(**changes: object) -> CycleRecord:
        fields: dict[str, object] = {
            "cycle_id": "bot-2026-11-30T08-20-00-123Z-1a2b3c4d",
            "repo": "lakehouse",
            "trigger": "tick",
            "started_at": START,
            "ended_at": START,
            "duration_ms": 5000,
            "outcome": Outcome.OK,
            "reason": "pull request opened",
            "gap": Gap(
                id="retry-fetch",
                title="Retry",
                text="Retry",
                prd_line="- [ ] Retry [bot-eligible]",
                line_number=3,
                path="PRD.md",
            ),
            "proposal": ProposalRecord(
                summary="Retry twice",
                rationale="The network is flaky",
                files=(ProposedFile(path="src/fetch.py", action=Action.UPDATE),),
                model_used="recipe:retry",
            ),
            "files_added": ("src/retry.py",),
            "files_updated": ("src/fetch.py",),
            "files_noop": ("README.md",),
            "tests_green": True,
            "pr_url": "https://example.org/pulls/7",
            "cloud_calls": 2,
            "bot_version": "0.1.0",
        }
        return CycleRecord.model_validate(fields | changes)

    return record
