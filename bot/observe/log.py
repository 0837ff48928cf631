"""Logs: structlog on standard error, JSON unless a terminal reads it, no secrets."""

import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO, cast

from bot.observe.redact import Redactor

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger, Processor

_INFO = 20
_RAW = ("event", "exception", "stack")  # what the console prints without quoting
_CONTROL = {
    code: f"\\x{code:02x}"
    for code in (*range(32), *range(127, 160))
    if chr(code) not in "\n\t"
}


def configure(
    redactor: Redactor, *, stream: TextIO | None = None, json: bool | None = None
) -> None:
    """Send the logs of this process to a stream; meant to be called once, at start.

    Args:
        redactor: Takes the secrets out of every entry, tracebacks included.
        stream: Where entries go; None is standard error.
        json: One JSON object a line, or lines for people; None asks the stream.
    """
    with _without_rich():
        import structlog  # noqa: PLC0415 - 0.06 s that `bot --help` does not pay

    out = sys.stderr if stream is None else stream
    as_json = not out.isatty() if json is None else json
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.StackInfoRenderer(),
            # Before the redaction: a renderer that did it would print what it finds.
            structlog.processors.format_exc_info,
            _redaction(redactor),
            *_rendering(as_json=as_json, colors=out.isatty()),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_INFO),
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", _Steady(out))),
        # A cached logger would keep the processors of an earlier configuration.
        cache_logger_on_first_use=False,
    )


def get_logger() -> "FilteringBoundLogger":
    """Return a logger; where nothing is configured yet it writes to standard error."""
    with _without_rich():
        import structlog  # noqa: PLC0415 - as in `configure`

    if not structlog.is_configured():
        configure(Redactor(()))
    return cast("FilteringBoundLogger", structlog.get_logger())


def _redaction(redactor: Redactor) -> "Processor":
    def redact(
        _logger: object, _method: str, entry: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        return {redactor.text(k): redactor.value(v) for k, v in entry.items()}

    return redact


def _rendering(*, as_json: bool, colors: bool) -> "list[Processor]":
    from structlog import dev, processors  # noqa: PLC0415 - as in `configure`

    if as_json:
        return [processors.JSONRenderer()]
    console = dev.ConsoleRenderer(
        colors=colors,
        exception_formatter=dev.plain_traceback,
        pad_event_to=0,
        repr_native_str=True,
    )
    return [_harmless, console]


def _harmless(
    _logger: object, _method: str, entry: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Spell out control characters: what is logged may come from a stranger."""
    return {
        key: value.translate(_CONTROL)
        if key in _RAW and isinstance(value, str)
        else value
        for key, value in entry.items()
    }


class _Steady:
    """A stream that loses what it can't write: no log line is worth a cycle."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()


@contextmanager
def _without_rich() -> Iterator[None]:
    """Let structlog believe that rich is not installed.

    It imports rich's tracebacks and tables when it finds them: 0.17 of its 0.23 s, for
    what is never used here (and those tracebacks would show local variables).
    """
    names = ("rich", "structlog")
    if any(name in sys.modules for name in names):
        yield
        return
    sys.modules["rich"] = None  # type: ignore[assignment]  # makes its import fail
    try:
        yield
    finally:
        del sys.modules["rich"]
