"""The corpus: right answers are applied to the byte, wrong ones refused with a reason."""

from collections.abc import Iterable

import cases_conventions
import cases_languages
import cases_refused
import cases_tolerated
import pytest
from answer_texts import MARK, Case

from bot.propose.answer import Answer, Malformed, parse_answer
from bot.propose.edits import Limits, Misfit, Texts, to_edits
from bot.workspace.text import conform, decode

RIGHT = (
    *cases_conventions.cases(),
    *cases_languages.cases(),
    *cases_tolerated.cases(),
)
WRONG = tuple(cases_refused.cases())


def outcome(case: Case) -> dict[str, bytes | None] | Misfit | Malformed:
    """Return what comes of a case."""
    read = parse_answer(case.text, case.finish_reason, MARK)
    if isinstance(read, Malformed):
        return read
    assert isinstance(read, Answer)
    edits = to_edits(
        read,
        case.files.get,
        case.files.keys,
        Limits(),
        Texts(decode, conform),
        asked=case.asked,
    )
    if isinstance(edits, Misfit):
        return edits
    return {edit.path: edit.content for edit in edits}


def ids(cases: Iterable[Case]) -> list[str]:
    """Return the names of cases."""
    return [case.name for case in cases]


@pytest.mark.parametrize("case", RIGHT, ids=ids(RIGHT))
def test_a_right_answer_is_applied_to_the_byte(case):
    """What was meant is what comes out, and nothing else changes."""
    assert case.want == outcome(case)


@pytest.mark.parametrize("case", WRONG, ids=ids(WRONG))
def test_a_wrong_answer_is_refused_with_its_reason(case):
    """Nothing comes out but words that say what is wrong, and the real text."""
    found = outcome(case)

    assert isinstance(found, Misfit | Malformed), found
    assert case.want in found.reason
    assert case.quote in found.quote


def test_the_corpus_is_as_large_as_it_claims():
    """No case hides another by its name, and there are at least 200."""
    names = ids([*RIGHT, *WRONG])

    assert len(set(names)) == len(names)
    assert len(names) >= 200
