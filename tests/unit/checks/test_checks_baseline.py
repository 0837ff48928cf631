"""The checks on the base, run once for a base and known afterwards."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.checks.baseline import Baseline, Baselines
from bot.checks.run import CheckResult
from bot.sandbox.job import Ended, Finished
from bot.settings.model import Check, SandboxSettings

CHECKS = (Check(run="lint"), Check(run="test"))


class Runner:
    """Counts the runs of checks whose endings are given."""

    def __init__(self, *endings: tuple[Ended, int | None]) -> None:
        self.endings = endings
        self.runs = 0

    def __call__(self) -> tuple[CheckResult, ...]:
        self.runs += 1
        return tuple(
            CheckResult(check, Finished(code, ended, 7, f"{check.run} said", "bwrap"))
            for check, (ended, code) in zip(CHECKS, self.endings, strict=False)
        )


GREEN = (Ended.EXIT, 0)
RED = (Ended.EXIT, 1)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands."""
    return Clock()


@pytest.fixture
def baselines(tmp_path: Path, clock: Clock) -> Baselines:
    """Return the baselines of an empty folder."""
    return Baselines(tmp_path / "cache", SandboxSettings(), clock)


def _of(baselines: Baselines, run: Runner, tree: str = "t1", **other) -> Baseline:
    options = {"checks": CHECKS, "set_up": "s1", "sandbox": "bwrap", **other}
    return baselines.of(tree, run=run, **options)


def test_green_base_is_known_for_good(baselines: Baselines, clock: Clock):
    """A base that was green needs no second run, however much later."""
    run = Runner(GREEN, GREEN)
    first = _of(baselines, run)
    clock.now += timedelta(days=300)
    second = _of(baselines, run)
    assert run.runs == 1
    assert (first.cached, second.cached) == (False, True)
    assert first.results == second.results
    assert second.usable == CHECKS
    assert second.reason == "green on the base"
    assert second.note == "2 of 2 checks are green, known from before"


def test_red_check_tells_nothing(baselines: Baselines):
    """A check that is red on the base is left out, and named with what it said."""
    found = _of(baselines, Runner(RED, GREEN))
    assert found.usable == CHECKS[1:]
    assert found.reason == "red on the base itself: `lint`: exit code 1"
    assert found.output == "$ lint\nlint said"
    assert found.note == "1 of 2 checks are green"


def test_red_base_is_looked_at_again(baselines: Baselines, clock: Clock):
    """A red base is known for a day, and then it gets another chance."""
    run = Runner((Ended.TIMEOUT, None), GREEN)
    _of(baselines, run)
    clock.now += timedelta(hours=23)
    assert _of(baselines, run).cached
    clock.now += timedelta(hours=1)
    assert not _of(baselines, run).cached
    clock.now -= timedelta(days=9)
    assert not _of(baselines, run).cached
    assert run.runs == 3


@pytest.mark.parametrize("ended", [Ended.CANCELLED, Ended.KILLED, Ended.DISK])
def test_bad_moment_of_the_machine_is_not_kept(baselines: Baselines, ended: Ended):
    """What says more of the machine than of the base is forgotten at once."""
    run = Runner(GREEN, (ended, None))
    _of(baselines, run)
    assert not _of(baselines, run).cached


def test_run_that_was_cut_short_is_not_kept(baselines: Baselines):
    """A run that ended before its last check is no baseline for later."""
    run = Runner(GREEN)
    assert _of(baselines, run).usable == CHECKS[:1]
    assert not _of(baselines, run).cached


@pytest.mark.parametrize(
    "other",
    [
        {"tree": "t2"},
        {"set_up": "s2"},
        {"sandbox": "none"},
        {"checks": (CHECKS[0], Check(run="test", env={"A": "b"}))},
    ],
)
def test_whatever_could_matter_makes_it_another(baselines: Baselines, other: dict):
    """Another tree, set-up, sandbox or command is another baseline."""
    run = Runner(GREEN, GREEN)
    _of(baselines, run)
    assert not _of(baselines, run, **other).cached
    assert _of(baselines, run, **other).cached


def test_damaged_file_is_no_baseline(baselines: Baselines, tmp_path: Path):
    """A file that can't be read, or speaks of other checks, counts as none."""
    run = Runner(GREEN, GREEN)
    _of(baselines, run)
    [path] = (tmp_path / "cache").iterdir()
    whole = path.read_text()
    path.write_text(whole[:20])
    assert not _of(baselines, run).cached
    path.write_text('{"made_at": "2026-11-30T00:00:00Z", "results": []}')
    assert not _of(baselines, run).cached


def test_file_is_the_bots_alone(baselines: Baselines, tmp_path: Path):
    """What checks print can hold secrets, so nobody else reads it."""
    _of(baselines, Runner(GREEN, GREEN))
    [path] = (tmp_path / "cache").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600


def test_old_baselines_go(baselines: Baselines, tmp_path: Path):
    """No more than twenty are kept."""
    for number in range(23):
        _of(baselines, Runner(GREEN, GREEN), tree=f"t{number}")
    assert len(list((tmp_path / "cache").iterdir())) == 20
    assert _of(baselines, Runner(GREEN, GREEN), tree="t22").cached
