"""Every cycle's event reaches the observer at least once, in exactly the agreed form."""

import hashlib
import http.server
import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from e2e_world import ROOMY, World, gap_line

from bot.domain.record import CycleRecord


class Observer:
    """What a server of our own was told.

    Attributes:
        bodies: What was posted, as it came.
        types: The content types.
        answers: Chooses the status of an answer; it may also do other things first.
    """

    def __init__(self, answers: Callable[[], int] = lambda: 204) -> None:
        self.bodies: list[bytes] = []
        self.types: list[str | None] = []
        self.answers = answers

    @contextmanager
    def listening(self, port: int) -> Iterator[None]:
        """Listen on a port of loopback."""
        observer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                observer.bodies.append(self.rfile.read(length))
                observer.types.append(self.headers["Content-Type"])
                self.send_response(observer.answers())
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


@pytest.fixture
def port() -> int:
    """Return a free port of loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def told(port: int, skip: str = "") -> str:
    """Return the tables of a config that posts to this port."""
    url = f'url = "http://127.0.0.1:{port}/events?key=secret"'
    return f"[limits]\n{ROOMY}\n[observer]\n{url}\n{skip}"


def expected(record: CycleRecord) -> bytes:
    """Return the event of a record, written anew from the contract."""
    gap = record.gap.id if record.gap else "no-gap"
    summary = record.proposal.summary if record.proposal else ""
    event = {
        "source": "bot",
        "cycle_id": record.cycle_id,
        "sig_hash": hashlib.sha256(f"{gap}|{summary}".encode()).hexdigest()[:16],
        "event_kind": record.outcome.value,
        "ok": record.outcome == "ok",
        "turns": 0,
        "duration_ms": record.duration_ms,
        "extra": {
            "reason": record.reason,
            "pr_url": record.pr_url,
            "files_added": list(record.files_added),
            "files_updated": list(record.files_updated),
            "files_noop": list(record.files_noop),
            "tests_green": record.tests_green,
        },
    }
    if record.proposal:
        event["staffer_id"] = record.proposal.model_used
    return json.dumps(event, sort_keys=True, separators=(",", ":")).encode()


@pytest.mark.outcome("ok", "skipped_no_gap", "skipped_pause", "proposal_rejected")
def test_each_outcome_is_posted_unless_it_is_skipped(tmp_path: Path, port: int) -> None:
    """The bodies are byte for byte the contract's; globs of `skip` hold back others."""
    world = World(tmp_path, [gap_line("a"), gap_line("b")])
    recipe = "[ $BOT_GAP_ID = a ] || { echo 'unclear: é?'; exit 78; }; echo > a.txt"
    observer = Observer()
    with observer.listening(port):
        world.configure(recipes=recipe, top=told(port))
        posted = [world.cycle(), world.tick(), world.tick()]
        world.configure(recipes=recipe, top=told(port, 'skip = ["skipped_p*"]'))
        (world.data / "bot.paused").touch()
        held_back = world.cycle()

    assert ["ok", "proposal_rejected", "skipped_no_gap"] == [p.outcome for p in posted]
    assert [expected(record) for record in posted] == observer.bodies
    assert {"application/json"} == set(observer.types)
    assert "skipped_pause" == held_back.outcome
    assert [] == list((world.data / "outbox").iterdir())


@pytest.mark.outcome("ok", "skipped_no_gap")
def test_an_observer_that_was_down_gets_everything_later(
    tmp_path: Path, port: int
) -> None:
    """Nothing is lost while it is down or refuses, and a body never changes."""
    world = World(tmp_path)
    world.configure(top=told(port))
    missed = world.cycle()
    waiting = [path.read_bytes() for path in (world.data / "outbox").iterdir()]
    refusing = Observer(lambda: 503)
    with refusing.listening(port):
        refused = world.tick()
    observer = Observer()
    with observer.listening(port):
        last = world.tick()

    assert [expected(missed)] == waiting == refusing.bodies
    assert [expected(r) for r in (missed, refused, last)] == observer.bodies
    assert "secret" not in world.bot("show", missed.cycle_id).out


@pytest.mark.outcome("ok")
def test_a_kill_while_it_is_told_means_that_it_is_told_again(
    world: World, port: int
) -> None:
    """An event whose answer never came is posted once more, byte for byte the same."""
    world.configure(top=told(port))
    pids: list[int] = []

    def die() -> int:
        os.kill(pids[0], signal.SIGKILL)
        return 204

    deadly = Observer(die)
    with deadly.listening(port):
        running = world.start("cycle", "--json")
        pids.append(running.process.pid)
        assert -signal.SIGKILL == running.end().code
    observer = Observer()
    with observer.listening(port):
        world.tick()
    first, second = world.records()

    assert [expected(first)] == deadly.bodies
    assert [expected(first), expected(second)] == observer.bodies
