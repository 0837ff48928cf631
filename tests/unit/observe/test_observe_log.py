"""Logs go to standard error, as JSON or for people, without secrets, at low cost."""

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from bot.observe import log
from bot.observe.redact import Redactor


@pytest.fixture(autouse=True)
def _unconfigured() -> Iterator[None]:
    """Leave structlog as it was found."""
    yield
    structlog.reset_defaults()


def _configured(*, as_json: bool | None) -> io.StringIO:
    stream = io.StringIO()
    log.configure(Redactor(["hunter22"]), stream=stream, json=as_json)
    return stream


def test_an_entry_is_one_json_object_a_line():
    """Level, time, name and fields stand in one line."""
    stream = _configured(as_json=True)

    log.get_logger().warning("cycle.done", cost_usd=1.5, repo="lakehouse")

    entry = json.loads(stream.getvalue())
    assert entry.pop("timestamp").endswith("Z")
    expected = {
        "event": "cycle.done",
        "level": "warning",
        "cost_usd": 1.5,
        "repo": "lakehouse",
    }
    assert expected == entry


def test_a_stream_that_is_no_terminal_gets_json():
    """Unless told otherwise the stream decides."""
    stream = _configured(as_json=None)

    log.get_logger().info("cycle.done")

    assert "cycle.done" == json.loads(stream.getvalue())["event"]


def test_debug_entries_are_dropped():
    """What is below `info` is not written."""
    stream = _configured(as_json=True)

    log.get_logger().debug("cycle.step")

    assert "" == stream.getvalue()


def _fail(text: str) -> None:
    raise ValueError(text)


@pytest.mark.parametrize("as_json", [True, False])
def test_secrets_are_masked_everywhere(as_json: bool):
    """Names, nested values, objects, bound context and tracebacks hold no secret."""
    stream = _configured(as_json=as_json)
    with structlog.contextvars.bound_contextvars(bound="hunter22"):
        try:
            _fail("got hunter22")
        except ValueError:
            log.get_logger().exception(
                "hunter22.failed",
                hunter22=1,
                deep=[{"hunter22": ("hunter22",)}],
                path=Path("/hunter22"),
                error=ValueError("hunter22"),
            )

    text = stream.getvalue()
    assert "hunter22" not in text
    assert "ValueError: got ***" in text
    assert "test_secrets_are_masked_everywhere" in text


def test_people_get_lines_that_a_stranger_cannot_forge():
    """Control characters of foreign text are spelled out, not sent to the terminal."""
    stream = _configured(as_json=False)
    try:
        _fail("\x1b[2Jgone")
    except ValueError:
        log.get_logger().exception("a\x1b[31m\rb", title="x\n2026 [info] forged\x07")

    text = stream.getvalue()
    assert not set(text) & {"\x1b", "\r", "\x07"}
    assert r"a\x1b[31m\x0db" in text
    assert r"title='x\n2026 [info] forged\x07'" in text
    assert r"\x1b[2Jgone" in text


def test_a_name_that_is_no_text_is_logged():
    """An event that is no string is written as it is."""
    stream = _configured(as_json=False)

    log.get_logger().info(7)  # type: ignore[arg-type]  # the point of the test

    assert "7" in stream.getvalue()


class _Gone(io.StringIO):
    def write(self, _text: str) -> int:
        raise BrokenPipeError

    def flush(self) -> None:
        raise ValueError("closed")


def test_a_log_that_cannot_be_written_ends_nothing():
    """When the reader of the logs is gone the bot goes on."""
    log.configure(Redactor(()), stream=_Gone(), json=True)

    log.get_logger().info("cycle.done")


def test_a_second_configuration_holds_for_old_loggers():
    """Loggers are not cached: the last configuration counts for all."""
    first = _configured(as_json=True)
    logger = log.get_logger()
    logger.info("one")
    second = _configured(as_json=True)

    logger.info("two")

    assert 1 == first.getvalue().count("\n")
    assert "two" in second.getvalue()


def test_an_unconfigured_logger_writes_to_standard_error(
    capsys: pytest.CaptureFixture[str],
):
    """Standard output belongs to answers, also before the logs are configured."""
    log.get_logger().info("early")

    out, err = capsys.readouterr()
    assert "" == out
    assert "early" in err


def _python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_importing_the_module_loads_no_structlog():
    """A command that logs nothing pays nothing."""
    code = "import sys, bot.observe.log; print('structlog' in sys.modules)"

    assert "False" == _python(code)


def test_configuring_loads_no_rich_and_leaves_it_importable():
    """The costly and telling tracebacks of rich are never loaded by the logs."""
    code = """
import sys
from bot.observe import log
from bot.observe.redact import Redactor
log.configure(Redactor(()))
print('rich' in sys.modules)
import rich
log.get_logger()
print('rich' in sys.modules)
"""

    assert ["False", "True"] == _python(code).split()


def test_rich_that_was_loaded_before_is_left_alone():
    """Where a command uses rich itself, the logs don't take it away."""
    code = """
import sys, rich
from bot.observe import log
from bot.observe.redact import Redactor
log.configure(Redactor(()))
print(sys.modules['rich'] is rich)
"""

    assert "True" == _python(code)
