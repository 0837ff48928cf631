"""Checks run in order in the sandbox and say how they ended."""

import pytest

from bot.checks.run import CheckResult, run_checks, why
from bot.domain.record import CheckRecord
from bot.errors import Misconfigured
from bot.sandbox.job import Ended, Finished
from bot.settings.model import Check


def _ended(ended: Ended = Ended.EXIT, code: int | None = None) -> Finished:
    return Finished(code, ended, 2000, "", "bwrap")


@pytest.mark.parametrize(
    ("finished", "expected"),
    [
        (_ended(code=1), "exit code 1"),
        (_ended(code=126), "not executable"),
        (_ended(code=127), "not found in the sandbox"),
        (_ended(code=139), "died of SIGSEGV"),
        (_ended(code=255), "exit code 255"),
        (_ended(Ended.TIMEOUT), "not done after 2 s"),
        (_ended(Ended.SILENCE), "printed nothing"),
        (_ended(Ended.MEMORY), "more memory"),
        (_ended(Ended.DISK), "disk"),
        (_ended(Ended.CANCELLED), "stopped"),
        (_ended(Ended.KILLED), "killed from outside"),
    ],
)
def test_each_ending_has_its_words(finished: Finished, expected: str):
    """A red check says in words how it ended."""
    assert expected in why(finished)
    result = CheckResult(Check(run="x"), finished)
    assert (result.green, result.detail) == (False, why(finished))


def test_every_ending_is_known():
    """There is no ending without words."""
    assert all(why(_ended(ended)) for ended in Ended)


def test_green_check_says_so():
    """A green check has its record and says that it is green."""
    result = CheckResult(Check(run="x"), _ended(code=0))
    assert (result.green, result.detail) == (True, "green")
    assert result.record == CheckRecord(run="x", exit_code=0, duration_ms=2000)


def test_checks_run_in_order_until_one_is_red(sandbox, settings, tree):
    """On a proposal the first red check is the last."""
    checks = [Check(run="touch one"), Check(run="ls one; exit 4"), Check(run="true")]
    options = {"tree": tree.path, "sandbox": sandbox, "settings": settings}
    found = run_checks(checks, **options)
    assert [result.finished.exit_code for result in found] == [0, 4]
    assert found[1].finished.output == "one\n"
    whole = run_checks(checks, **options, stop_at_red=False)
    assert [result.green for result in whole] == [True, False, True]


def test_check_has_its_folder_variables_and_secrets(sandbox, settings, tree):
    """A check starts in its folder with its variables and the secrets it names."""
    check = Check(run="pwd; echo $A $TOKEN $OTHER", env={"A": "b"}, secrets=["TOKEN"])
    secrets = {"TOKEN": "t0ken", "OTHER": "no"}
    seen: list[str] = []
    found = run_checks(
        [check],
        tree=tree.path,
        sandbox=sandbox,
        settings=settings,
        secret=secrets.get,
        on_output=seen.append,
    )
    assert found[0].finished.output == "/repo\nb t0ken\n"
    assert "".join(seen) == found[0].finished.output


def test_missing_secret_is_named(sandbox, settings, tree):
    """A check whose secret isn't set is not run, and the message says where to set it."""
    check = Check(run="true", secrets=["TOKEN"])
    with pytest.raises(Misconfigured, match=r"TOKEN.*CREDENTIALS_DIRECTORY"):
        run_checks([check], tree=tree.path, sandbox=sandbox, settings=settings)


def test_timeouts_are_the_checks_own_or_the_sandboxes(sandbox, settings, tree):
    """A check's own bounds go before the general ones."""
    checks = [
        Check(run="sleep 9", timeout="1s"),
        Check(run="sleep 9", silence="1s"),
    ]
    found = run_checks(
        checks, tree=tree.path, sandbox=sandbox, settings=settings, stop_at_red=False
    )
    assert [r.finished.ended for r in found] == [Ended.TIMEOUT, Ended.SILENCE]


def test_cancelled_run_goes_no_further(sandbox, settings, tree):
    """After a check was stopped no other one is started."""
    checks = [Check(run="sleep 9"), Check(run="touch ran")]
    found = run_checks(
        checks,
        tree=tree.path,
        sandbox=sandbox,
        settings=settings,
        stop_at_red=False,
        cancel=lambda: True,
    )
    assert [r.finished.ended for r in found] == [Ended.CANCELLED]
