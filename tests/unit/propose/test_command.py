"""The proposer that runs recipes, in the real sandbox on a real tree."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.domain.change import Declined, FileEdit, NoAnswer, Proposal
from bot.domain.gap import Gap
from bot.errors import GitFailed, Interrupted
from bot.propose.command import CommandProposer
from bot.propose.proposer import Feedback, Proposer, Task
from bot.sandbox.job import Bind
from bot.settings.repo import Recipe

Ask = Callable[..., Proposal | Declined | NoAnswer]


def gap(recipe: str | None = None, text: str = "Sort\nnote") -> Gap:
    """Return a gap."""
    return Gap(
        id="sort",
        title="Sort imports",
        text=text,
        prd_line="- [ ] Sort imports",
        line_number=1,
        path="PRD.md",
        recipe=recipe,
    )


@pytest.fixture
def proposer(ground, sandbox) -> Callable[..., CommandProposer]:
    """Return a maker of proposers on the ground."""

    def make(*recipes: Recipe, binds: tuple[Bind, ...] = (), **more) -> CommandProposer:
        return CommandProposer(
            recipes,
            ground.tree,
            sandbox,
            lambda _base_sha: binds,
            **{"timeout_s": 20.0, "silence_s": 10.0, **more},
        )

    return make


@pytest.fixture
def ask(ground, proposer) -> Ask:
    """Return what runs one recipe on the gap."""

    def answer(run: str, of: Gap | None = None, **more):
        recipe = Recipe(name="fix", run=run, **more)
        return proposer(recipe).propose(Task(of or gap(), ground.base_sha, "c1"))

    return answer


def test_it_is_a_proposer_that_costs_nothing(proposer):
    """It spends nothing and is never asked to repair."""
    made: Proposer = proposer()

    assert (made.can_spend, made.repair_rounds(gap())) == (False, 0)


def test_what_the_recipe_changed_is_the_proposal(ask):
    """Added, changed and deleted files come back whole, with words of their own."""
    answer = ask(
        "echo new > new.sh; chmod +x new.sh; echo more >> keep.txt; rm old.txt"
    )

    assert isinstance(answer, Proposal)
    assert sorted(answer.edits, key=lambda edit: edit.path) == [
        FileEdit("keep.txt", b"keep\nmore\n", executable=False),
        FileEdit("new.sh", b"new\n", executable=True),
        FileEdit("old.txt", None),
    ]
    assert (answer.summary, answer.model_used, answer.tokens_used) == (
        "Sort imports",
        "recipe:fix",
        0,
    )
    assert answer.rationale.startswith("Ran `echo new > new.sh; ")


def test_the_recipe_may_bring_its_own_words(ask):
    """Summary and rationale of the config come before those made up."""
    answer = ask("true", summary="Sorted", rationale="Because.")

    assert (answer.summary, answer.rationale) == ("Sorted", "Because.")


@pytest.mark.parametrize(
    ("run", "said"),
    [("true", "Ran `true`."), ("true `date`", "Ran `` true `date` ``.")],
)
def test_a_command_is_quoted_whatever_it_holds(ask, run, said):
    """Backticks in the command don't end its quotation."""
    assert ask(run).rationale == said


def test_no_change_is_a_proposal_without_edits(ask):
    """A recipe that finds nothing to do is no failure."""
    assert ask("echo nothing to do").edits == ()


def test_nothing_a_recipe_left_behind_is_seen_by_the_next(ask):
    """The next recipe starts on the very base, failures and ignored files included."""
    ask("echo x > keep.txt; echo '*' > .gitignore; echo y > ignored; exit 3")
    answer = ask("ls -A > seen; cat keep.txt >> seen")

    assert b".git\nkeep.txt\nold.txt\nseen\nkeep\n" == answer.edits[0].content


def test_the_recipe_sees_the_gap_in_its_environment(ask, ground):
    """Id, title, text and base are variables; its own variables stand beside them."""
    answer = ask(
        'printf "%s|" "$BOT_GAP_ID" "$BOT_GAP_TITLE" "$BOT_GAP_TEXT" "$BOT_BASE_SHA" '
        '"$OWN" > seen',
        env={"OWN": "mine"},
    )

    assert answer.edits[0].content.decode() == (
        f"sort|Sort imports|Sort\nnote|{ground.base_sha}|mine|"
    )


def test_the_gap_is_never_run(ask):
    """Whatever the text says, it is data."""
    nasty = "$(touch hacked); `touch hacked` '; touch hacked; '"

    answer = ask('printf "%s" "$BOT_GAP_TEXT" > seen', gap(text=nasty))

    assert [(edit.path, edit.content.decode()) for edit in answer.edits] == [
        ("seen", nasty)
    ]


def test_text_that_no_environment_can_hold_is_fitted(ask):
    """NUL, half characters and megabytes reach the recipe as what is possible."""
    text = "a\0b\ud800" + "é" * 100_000

    seen = ask('printf "%s" "$BOT_GAP_TEXT" > seen', gap(text=text)).edits[0].content

    assert seen.startswith(b"ab?")
    assert 65_000 < len(seen) <= 65_536
    assert seen.decode()


def test_the_recipe_has_no_network(ask):
    """Only the loopback interface is there."""
    answer = ask("tail -n +3 /proc/net/dev | cut -d: -f1 > seen")

    assert answer.edits[0].content.split() == [b"lo"]


def test_results_of_set_up_are_seen(proposer, ground, tmp_path: Path):
    """What set-up prepared for the base is there at its place."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "hello").write_text("hello\n")
    recipe = Recipe(name="fix", run="cp /opt/tools/hello seen")
    made = proposer(recipe, binds=(Bind(tools, "/opt/tools"),))

    answer = made.propose(Task(gap(), ground.base_sha, "c1"))

    assert answer.edits[0].content == b"hello\n"


@pytest.mark.parametrize(
    ("run", "reason", "output"),
    [
        (
            "echo first; echo boom >&2; exit 3",
            "recipe 'fix' ended with exit code 3; it last said: boom",
            "first\nboom\n",
        ),
        ("exit 2", "recipe 'fix' ended with exit code 2; it said nothing", ""),
    ],
)
def test_a_failed_recipe_is_no_answer(ask, run, reason, output):
    """The reason has the exit code and the last line; the output goes along."""
    assert ask(f"echo x > keep.txt; {run}") == NoAnswer(reason, output)


def test_a_linter_s_exit_code_is_told_from_a_failure(ask):
    """Where 1 came with changes, the reason says what to do if it was no failure."""
    hint = "exit code 1 and changes (if exit code 1 is no failure of it, add `|| true`)"

    assert hint in ask("echo x > keep.txt; exit 1").reason
    assert hint not in ask("exit 1").reason


def test_what_a_failed_recipe_left_may_be_past_reading(ask):
    """A tree that can't be read is told as the recipe's failure, not as another."""
    answer = ask("truncate -s 2M .gitignore; exit 1")

    assert answer.reason.startswith("recipe 'fix' ended with exit code 1;")


def test_what_a_failed_recipe_wrote_takes_no_room_afterwards(ask, ground):
    """It may have failed by filling the disk, so its tree is cleaned at once."""
    ask("echo much > big; exit 1")

    assert () == ground.tree.untracked()


def test_only_the_tail_of_much_output_is_kept(ask):
    """The end of the output counts, where the error stands."""
    answer = ask("yes x | head -9000; echo end; exit 1")

    assert len(answer.output) == 4000
    assert answer.output.endswith("x\nend\n")


@pytest.mark.parametrize(
    ("limits", "how"),
    [({"timeout": "1s"}, "timeout"), ({"silence": "1s"}, "silence")],
)
def test_a_recipe_that_takes_too_long_is_no_answer(ask, limits, how):
    """Its own limits on time and silence end it."""
    answer = ask("echo x > keep.txt; echo on it; sleep 20", **limits)

    assert isinstance(answer, NoAnswer)
    assert answer.reason.startswith(f"recipe 'fix' ended with {how} after 1.")
    assert answer.reason.endswith("; it last said: on it")


def test_a_signal_is_no_answer_of_the_recipe(proposer, ground):
    """Stopped from outside, the cycle is interrupted at once."""
    recipe = Recipe(name="fix", run="echo x > keep.txt; sleep 20")
    made = proposer(recipe, cancel=lambda: True)
    started = time.monotonic()

    with pytest.raises(Interrupted, match="recipe 'fix' was stopped"):
        made.propose(Task(gap(), ground.base_sha, "c1"))

    assert time.monotonic() - started < 10


def test_output_is_shown_as_it_comes(proposer, ground):
    """Whoever watches gets the recipe's output."""
    seen: list[str] = []
    made = proposer(Recipe(name="fix", run="echo hello"), on_output=seen.append)

    made.propose(Task(gap(), ground.base_sha, "c1"))

    assert "".join(seen) == "hello\n"


@pytest.mark.parametrize(
    ("said", "kind", "reason", "questions"),
    [
        ("unclear: which one?", "unclear", "which one?", ()),
        (
            "unclear: several\n- a?\n- b?\nnoise\n- c?\n- d?",
            "unclear",
            "several",
            ("a?", "b?", "c?"),
        ),
        ("too_big: split it", "too_big", "split it", ()),
        ("\nalready_done: see keep.txt", "already_done", "see keep.txt", ()),
        ("already_done:", "already_done", "no reason was given", ()),
    ],
)
def test_a_recipe_may_decline(ask, said, kind, reason, questions):
    """Exit code 78 and a first line of the right shape decline the gap."""
    answer = ask(f"printf '%s\n' '{said}'; echo x > keep.txt; exit 78")

    assert answer == Declined(kind, reason, questions, model_used="recipe:fix")


@pytest.mark.parametrize("said", ["", "no: way", "well\nunclear: late"])
def test_a_decline_without_its_line_is_a_failure(ask, said):
    """Exit code 78 alone says nothing that could be acted on."""
    answer = ask(f"printf '%s' '{said}'; exit 78")

    assert isinstance(answer, NoAnswer)
    assert "exit code 78 without a first line `unclear: …`" in answer.reason


def test_the_gap_names_its_recipe(proposer, ground):
    """Among several recipes, the tag chooses."""
    made = proposer(
        Recipe(name="one", run="echo 1 > seen"), Recipe(name="two", run="echo 2 > seen")
    )

    answer = made.propose(Task(gap("two"), ground.base_sha, "c1"))

    assert (answer.model_used, answer.edits[0].content) == ("recipe:two", b"2\n")


@pytest.mark.parametrize(
    ("names", "wanted", "reason"),
    [
        ((), None, "has no [recipe:NAME], and one is needed"),
        (("one", "two"), None, "to choose from those configured: one, two"),
        (("one",), "three", "asks for recipe 'three'; configured: one"),
        ((), "three", "asks for recipe 'three'; configured: none"),
    ],
)
def test_without_its_recipe_a_gap_has_no_answer(
    proposer, ground, names, wanted, reason
):
    """No recipe or a choice of several without a tag is said before anything runs."""
    made = proposer(*(Recipe(name=name, run="true") for name in names))

    answer = made.propose(Task(gap(wanted), ground.base_sha, "c1"))

    assert reason in answer.reason
    assert not ground.tree.path.exists()


def test_feedback_is_not_answered(proposer, ground):
    """A recipe would give the same answer again, so it isn't run."""
    made = proposer(Recipe(name="fix", run="true"))
    previous = Proposal("s", "r", (), "recipe:fix")

    answer = made.propose(
        Task(gap(), ground.base_sha, "c1"), Feedback("tests", "1 failed", previous)
    )

    assert answer == NoAnswer(
        "a recipe can't act on feedback: it would answer the same"
    )
    assert not ground.tree.path.exists()


def test_a_base_that_is_not_there_is_an_error(proposer):
    """A tree that can't be moved runs nothing."""
    made = proposer(Recipe(name="fix", run="true"))

    with pytest.raises(GitFailed):
        made.propose(Task(gap(), "0" * 40, "c1"))
