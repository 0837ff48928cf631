"""What a model's text is read as: a change, a refusal, a wish, or nothing usable."""

import pytest

from bot.propose.answer import (
    Answer,
    Decline,
    Delete,
    Malformed,
    Rename,
    Replace,
    WantsFiles,
    WholeFile,
    choose_mark,
    instructions,
    parse_answer,
)

MARK = "7f3a9c"


def text(*lines: str) -> str:
    """Return an answer; `@` stands for the start of a marker line."""
    return "".join(f"{line}\n" for line in lines).replace("@", f"==== {MARK}")


def head(*lines: str) -> str:
    """Return an answer that is a head only."""
    return text("@ head", *lines, "@ end", "@ done")


def test_every_kind_of_operation_is_read():
    """Head and blocks come out as values, texts with a line end on each line."""
    read = parse_answer(
        text(
            *("@ head", "summary: Do it", "rationale: since", "  it is due", "tests:"),
            *("- tests/a.py: that", "skills: sort, split", "removes: `old()`", "@ end"),
            *("@ new a.py", "x", "", "@ end", "@ whole b.py", "@ end"),
            *("@ edit c.py", "@ search", "a", "@ replace", "@ end"),
            *("@ delete d.py", "@ rename e.py -> f.py", "@ done"),
        ),
        "stop",
        MARK,
    )

    expected = Answer(
        summary="Do it",
        rationale="since\n  it is due",
        tests_added=("tests/a.py: that",),
        skills_used=("sort", "split"),
        operations=(
            WholeFile("a.py", "x\n\n", is_new=True),
            WholeFile("b.py", "", is_new=False),
            Replace("c.py", (("a\n", ""),)),
            Delete("d.py"),
            Rename("e.py", "f.py"),
        ),
        removes=("old",),
    )
    assert expected == read


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            (
                "",
                "decline: unclear",
                "reason: which?",
                "questions:",
                "- a?",
                "b?",
                *"cd",
            ),
            Decline("unclear", "which?", questions=("a?", "b?", "c")),
        ),
        (
            ("decline: `Too big`.", "split:", "- one", "  goes on", "- two"),
            Decline("too_big", "no reason was given", split=("one goes on", "two")),
        ),
        (
            ("decline: already-done", "rationale: it is", "evidence:", "1. a.py:3"),
            Decline("already_done", "it is", evidence=("a.py:3",)),
        ),
        (
            (
                '{"decline": "unclear", "reason": 3, "questions": ["a, b?", 4],',
                '"split": 7, "x": null}',
            ),
            Decline("unclear", "3", questions=("a, b?", "4")),
        ),
    ],
)
def test_a_head_may_decline(lines, expected):
    """Each kind brings its own list, and no more than three questions are kept."""
    assert expected == parse_answer(head(*lines), "stop", MARK)


def test_a_head_may_ask_for_files():
    """Paths are cleaned, named once, and bounded in number."""
    few = parse_answer(head("need: [a.py, `./b.py`]", "- a.py"), "stop", MARK)
    many = parse_answer(head("need:", *(f"- {n}.py" for n in range(99))), None, MARK)

    assert WantsFiles(("a.py", "b.py")) == few
    assert isinstance(many, WantsFiles)
    assert 20 == len(many.paths)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (("decline: maybe", "questions: a?"), "must be one of"),
        (("decline: unclear",), "needs a list `questions`"),
        (("decline: too_big",), "needs a list `split`"),
        (("decline: already_done",), "needs a list `evidence`"),
        (("decline: unclear", "questions: a?", "need: a.py"), "both"),
        (("summary: x", "need: none"), "changes no file"),
    ],
)
def test_a_head_that_says_too_little_is_malformed(lines, reason):
    """A gap is not put aside for words that nobody can act on."""
    read = parse_answer(head(*lines), "stop", MARK)

    assert isinstance(read, Malformed)
    assert reason in read.reason


@pytest.mark.parametrize("wish", ["decline: unclear", "need: b.py"])
def test_a_wish_and_a_change_contradict(wish):
    """Nothing is applied when the head says something else."""
    whole = text("@ head", wish, "questions: a?", "@ end", "@ delete a.py", "@ done")

    read = parse_answer(whole, "stop", MARK)

    assert isinstance(read, Malformed)
    assert "and yet" in read.reason


def test_a_long_summary_is_one_line_and_bounded():
    """It becomes the subject of a commit."""
    said = ("summary: a", "b " * 300)
    read = parse_answer(
        text("@ head", *said, "@ end", "@ delete a.py", "@ done"), "stop", MARK
    )

    assert isinstance(read, Answer)
    assert read.summary.startswith("a b b")
    assert (200, "…") == (len(read.summary), read.summary[-1])


def test_a_thought_that_is_not_closed_after_prose_is_prose():
    """A model may speak of the tag; what follows is read as it stands."""
    answer = text("Hm", "<think>", "@ head", "summary: x", "@ end")
    read = parse_answer(f"{answer}{text('@ delete a.py', '@ done')}", "stop", MARK)

    assert isinstance(read, Answer)


def test_the_quote_of_a_malformed_answer_is_bounded():
    """A line of any length fits into the question that is asked again."""
    read = parse_answer(text(f"@ patch {'x' * 9999}"), "stop", MARK)

    assert isinstance(read, Malformed)
    assert 160 == len(read.quote)


def test_what_the_instructions_show_can_be_read():
    """Each example in the instructions is an answer in the format."""
    said = instructions(MARK)
    blocks = said[said.index(f"==== {MARK} head") :]
    examples = blocks.split(f"==== {MARK} done\n")

    change, decline, need = (
        parse_answer(f"{example}==== {MARK} done\n", "stop", MARK)
        for example in examples[:3]
    )

    assert isinstance(change, Answer)
    assert 5 == len(change.operations)
    assert isinstance(decline, Decline)
    assert WantsFiles(("src/other.py",)) == need
    assert "{mark}" not in said


def test_a_mark_stands_in_no_text_of_the_prompt():
    """Files can't hold it, not even those that were written to."""
    first = choose_mark("cycle")
    second = choose_mark("cycle", [f"==== {first} end"])

    assert choose_mark("cycle") == first
    assert first != second
    assert 6 == len(second)


@pytest.mark.parametrize(
    "hostile",
    [
        "=" * 1_000_000,
        " " * 1_000_000,
        "`" * 1_000_000,
        f"==== {MARK} head\nsummary: {' ' * 500_000}x\n",
        f"==== {MARK} head\nsummary{' ' * 300_000}:\n==== {MARK} end\n",
        f"==== {MARK} head\n{'{' * 100_000}\n==== {MARK} end\n",
        f"==== {MARK} head\n" + '{"a":' * 50_000 + f"\n==== {MARK} end\n",
        f"<think>{'<think>' * 100_000}",
    ],
)
@pytest.mark.timeout(10)
def test_a_hostile_text_is_malformed_in_bounded_time(hostile):
    """No text makes the reader slow."""
    assert isinstance(parse_answer(hostile, "stop", MARK), Malformed)
