"""What jobs print reaches nobody with a secret in it, in one piece or in several."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.observe.redact import Redactor
from bot.sandbox.bare import NoSandbox
from bot.sandbox.job import Ended, Finished, Job, never
from bot.sandbox.redacted import RedactedSandbox
from bot.settings.model import SandboxSettings

SECRET = "hunter22-hunter22"
PIECES = [SECRET[:5], f"{SECRET[5:]} and", " more\nnext ", SECRET]


class Printing:
    """A sandbox whose job prints the pieces one by one."""

    def __init__(self, pieces: list[str]) -> None:
        self._pieces = pieces

    def run(
        self,
        job: Job,
        on_output: Callable[[str], None] | None = None,
        cancel: Callable[[], bool] = never,
    ) -> Finished:
        del job, cancel
        for piece in self._pieces:
            if on_output:
                on_output(piece)
        return Finished(0, Ended.EXIT, 1, "".join(self._pieces), "test")

    def shell(self, job: Job) -> int:
        del job
        return 7

    def describe(self) -> str:
        return "test"


@pytest.fixture
def sandbox() -> RedactedSandbox:
    return RedactedSandbox(Printing(PIECES), Redactor([SECRET]).text)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(command="true", tree=tmp_path, timeout_s=9)


def test_output_is_redacted_as_it_comes_and_as_a_whole(sandbox, job):
    """A secret that comes in two pieces is one in the stream too."""
    seen = []
    finished = sandbox.run(job, seen.append)
    assert finished.output == "*** and more\nnext ***"
    assert ["*** and more\n", "next ***"] == seen
    assert finished.output == sandbox.run(job).output


def test_a_line_without_end_is_not_held_for_ever(job):
    """Where no line ends, the text is handed on all the same."""
    pieces, seen = ["x" * 65_537, "y"], []
    RedactedSandbox(Printing(pieces), Redactor([SECRET]).text).run(job, seen.append)
    assert pieces == seen


def test_the_rest_is_the_inner_sandbox(sandbox, job):
    """Its name and its shell pass through."""
    assert ("test", 7) == (sandbox.describe(), sandbox.shell(job))


def test_a_real_job_prints_its_secret_in_vain(tmp_path: Path):
    """The value from a job's environment does not come back."""
    real = RedactedSandbox(NoSandbox(SandboxSettings(), None), Redactor([SECRET]).text)
    env = {"KEY": SECRET}
    job = Job(command='echo "<$KEY>"', tree=tmp_path, timeout_s=9, env=env)
    assert real.run(job).output == "<***>\n"
