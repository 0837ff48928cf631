"""Every way a tick can end has a test that produces it and reads it from the record."""

import ast
from pathlib import Path

from bot.domain.outcome import Outcome

LATER = {
    Outcome.MISSED: "comes with schedules: a slot has to pass while nobody runs",
    Outcome.SKIPPED_COST: "comes with proposers that cost money",
    Outcome.MAINTAINED: "comes with the maintenance of open pull requests",
}
"""Outcomes that nothing can produce yet, with what brings them."""


def test_every_outcome_is_produced_by_a_test_or_comes_later() -> None:
    """The markers of this folder and the table above name each outcome, none twice."""
    marked = {Outcome(name) for name in _marked_outcomes()}

    assert set(Outcome) == marked | LATER.keys()
    assert set() == marked & LATER.keys()


def _marked_outcomes() -> set[str]:
    """Return what the `outcome` markers of this folder name."""
    trees = (ast.parse(path.read_text()) for path in Path(__file__).parent.glob("*.py"))
    return {
        argument.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "pytest.mark.outcome"
        for argument in node.args
        if isinstance(argument, ast.Constant)
    }
