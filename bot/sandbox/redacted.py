"""A sandbox whose output holds no secret, whoever reads, keeps or shows it."""

from collections.abc import Callable
from dataclasses import replace

from bot.sandbox.job import Finished, Job, Sandbox, never

_LONGEST_LINE = 64 * 1024  # characters held back for the end of a line


class RedactedSandbox:
    """Runs jobs in another sandbox and takes known secrets out of what they print.

    Args:
        inner: Where jobs run.
        redact: Returns a text without the secrets.
    """

    def __init__(self, inner: Sandbox, redact: Callable[[str], str]) -> None:
        self._inner = inner
        self._redact = redact

    def describe(self) -> str:
        """Return what confines a job, in a few words for the record."""
        return self._inner.describe()

    def run(
        self,
        job: Job,
        on_output: Callable[[str], None] | None = None,
        cancel: Callable[[], bool] = never,
    ) -> Finished:
        """Run one job to its end.

        Raises:
            SandboxUnavailable: The job can't be confined, so it was not run.
        """
        if on_output is None:
            finished = self._inner.run(job, None, cancel)
        else:
            lines = _Lines(on_output, self._redact)
            finished = self._inner.run(job, lines.add, cancel)
            lines.end()
        return replace(finished, output=self._redact(finished.output))

    def shell(self, job: Job) -> int:
        """Run a job on the person's terminal, which shows all that it prints.

        Raises:
            SandboxUnavailable: The job can't be confined, so it was not run.
        """
        return self._inner.shell(job)


class _Lines:
    """Hands on whole lines: a secret may come in two pieces."""

    def __init__(
        self, on_output: Callable[[str], None], redact: Callable[[str], str]
    ) -> None:
        self._on_output = on_output
        self._redact = redact
        self._held = ""

    def add(self, text: str) -> None:
        lines, end, rest = (self._held + text).rpartition("\n")
        self._held = rest
        if end:
            self._on_output(self._redact(lines + end))
        if len(rest) > _LONGEST_LINE:
            self.end()

    def end(self) -> None:
        if self._held:
            self._on_output(self._redact(self._held))
            self._held = ""
