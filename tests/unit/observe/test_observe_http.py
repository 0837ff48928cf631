"""HTTP over a real loopback server: nothing raises, nothing hangs, nothing leaks."""

import json
import socket
import subprocess
import sys
import time

import pytest

from bot.observe.http import is_busy, post_event


def _closed_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
    return port


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_any_2xx_takes_the_event(server, plain, status: int):
    """The body arrives as it was, marked as JSON."""
    server.answer = plain(status)

    assert post_event(f"{server.url}/events?key=1", b'{"a":1}') is None

    ((method, path, body, headers),) = server.requests
    assert ("POST", "/events?key=1", b'{"a":1}') == (method, path, body)
    assert "application/json" == headers["Content-Type"]


@pytest.mark.parametrize("status", [302, 307, 400, 404, 429, 500, 503])
def test_any_other_answer_is_an_error(server, plain, status: int):
    """A redirect is not followed, and no other status takes the event."""
    server.answer = plain(status, Location=f"{server.url}/elsewhere")

    error = post_event(server.url, b"{}")

    assert error == f"the event was not taken by {server.url}: it answered {status}"
    assert 1 == len(server.requests)


def test_the_error_holds_no_part_of_the_url_that_may_be_secret():
    """User, password, path and query of the URL are not repeated."""
    port = _closed_port()
    url = f"http://user:hunter22@127.0.0.1:{port}/hook/hunter22?token=hunter22"

    error = post_event(url, b"{}")

    assert error is not None
    assert f"by http://127.0.0.1:{port}: ConnectError: " in error
    assert "refused" in error
    assert "hunter22" not in error
    assert "user" not in error


@pytest.mark.parametrize(
    "url",
    [
        "",
        "no url",
        "ftp://127.0.0.1/hunter22",
        "http://[hunter22",
        "http://127.0.0.1:hunter22/",
        "http://127.0.0.1:99999/",
        "http://\ud800hunter22/",
        "http://a\x00hunter22/",
    ],
)
def test_a_url_that_is_none_is_an_error(url: str):
    """A malformed URL is told without its text and never raises."""
    error = post_event(url, b"{}")

    assert error is not None
    assert error.startswith("the event was not taken by ")
    assert not is_busy(url)


def test_a_server_that_hangs_is_left_after_the_timeout(server):
    """No answer within the time is an error that says so."""
    server.answer = lambda _: server.ended.wait(10)
    started = time.monotonic()

    error = post_event(server.url, b"{}", timeout_s=0.05)

    assert time.monotonic() - started < 1
    assert error is not None
    assert error.endswith(("no answer within 0.05 s", "ReadTimeout"))


def test_a_server_that_trickles_is_left_after_the_timeout(server):
    """A byte now and then does not stretch the time: it is bounded as a whole."""

    def trickle(handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not server.ended.wait(0.01):
            handler.wfile.write(b"X-A: b\r\n")

    server.answer = trickle
    started = time.monotonic()

    error = post_event(server.url, b"{}", timeout_s=0.1)

    assert time.monotonic() - started < 1
    assert f"the event was not taken by {server.url}: no answer within 0.1 s" == error


def test_the_body_of_the_answer_is_not_read(server):
    """An observer that takes the event and then talks for ever has taken it."""

    def endless(handler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not server.ended.wait(0.01):
            handler.wfile.write(b"x" * 1000)

    server.answer = endless

    assert post_event(server.url, b"{}", timeout_s=1) is None


def test_an_answer_that_is_no_http_is_an_error(server):
    """Garbage is told by its kind, not repeated."""
    server.answer = lambda handler: handler.wfile.write(b"hunter22\r\n\r\n")

    error = post_event(server.url, b"{}")

    assert f"the event was not taken by {server.url}: RemoteProtocolError" == error


@pytest.mark.parametrize(
    ("answer", "busy"),
    [
        ({"running": True, "queue_depth": 1}, True),
        ({"running": True, "queue_depth": 0.5, "more": []}, True),
        ({"running": "yes", "queue_depth": 3}, True),
        ({"running": True, "queue_depth": 0}, False),
        ({"running": True, "queue_depth": -1}, False),
        ({"running": False, "queue_depth": 9}, False),
        ({"running": True}, False),
        ({"queue_depth": 9}, False),
        ({"running": True, "queue_depth": "9"}, False),
        ({"running": True, "queue_depth": True}, False),
        ({"running": True, "queue_depth": None}, False),
        ([True, 9], False),
        (None, False),
    ],
)
def test_busy_is_running_with_a_queue(server, plain, answer: object, busy: bool):
    """Only a service that runs and has a queue is busy."""
    server.answer = plain(200, json.dumps(answer).encode())

    assert busy == is_busy(f"{server.url}/health")
    assert "GET" == server.requests[0][0]


BUSY = b'{"running": true, "queue_depth": 1}'


@pytest.mark.parametrize("status", [302, 404, 500])
def test_only_a_success_can_say_busy(server, plain, status: int):
    """An error page or a redirect is not busy, whatever it says."""
    server.answer = plain(status, BUSY, Location=server.url)

    assert not is_busy(server.url)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b"[" * 60_000, b"9" * 10_000, BUSY + b" " * 70_000],
    ids=["empty", "cut", "binary", "deep", "long number", "huge"],
)
def test_garbage_is_not_busy(server, plain, body: bytes):
    """What can't be read, or is over 64 KB, is not busy."""
    server.answer = plain(200, body)

    assert not is_busy(server.url)


def test_an_endless_answer_is_cut(server):
    """A probe reads 64 KB at most and then decides."""

    def endless(handler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not server.ended.is_set():
            handler.wfile.write(b"x" * 10_000)

    server.answer = endless
    started = time.monotonic()

    assert not is_busy(server.url)
    assert time.monotonic() - started < 1


def test_no_service_is_not_busy():
    """A refused connection is not busy."""
    assert not is_busy(f"http://127.0.0.1:{_closed_port()}/")


def test_the_probe_asks_for_plain_bytes(server, plain):
    """No compression is asked for, so a small answer can't grow."""
    server.answer = plain(200, BUSY)

    assert is_busy(server.url)
    assert "identity" == server.requests[0][3]["Accept-Encoding"]


def test_importing_the_module_loads_no_httpx():
    """A tick without observer and probe pays nothing for HTTP."""
    code = "import sys, bot.observe.http; print('httpx' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )

    assert "False" == done.stdout.strip()
