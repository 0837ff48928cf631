"""A package that nobody here wrote, from its source release to the last gap."""

from pathlib import Path

import pytest
from e2e_world import World, snapshot
from real_project import (
    BASE,
    Desk,
    Wish,
    entries,
    functions_of_tests,
    leave_unfinished,
    passed,
    ran_on,
    start,
    without_prd,
)

from bot.domain.record import CycleRecord

UNUSED = Wish("unused-imports", "ruff check --select F401 --fix boltons")
EXPORTS = Wish("sorted-exports", "ruff check --select RUF022 --fix boltons")
LITERALS = Wish("literals", "ruff check --select C408,C416 --fix --unsafe-fixes .")
CARELESS = Wish("careless", "sed -i 's/ValueError/TypeError/' boltons/mathutils.py")
SYNTAX = Wish("syntax-errors", "ruff check --select E9 --fix .")
IMPORTS = Wish("sorted-imports", "ruff check --select I --fix --exit-zero tests")
MODERN = Wish(
    "modern-syntax",
    "pyupgrade --py37-plus --exit-zero-even-if-changed boltons/*.py tests/*.py",
)
FORMAT = Wish("format", "ruff format boltons/mathutils.py", " [depends:sorted-exports]")
WISHES = (UNUSED, EXPORTS, LITERALS, CARELESS, SYNTAX, IMPORTS, MODERN, FORMAT)
DONE = (UNUSED, EXPORTS, LITERALS, IMPORTS, MODERN, FORMAT)


@pytest.fixture(scope="module")  # its skip must come before what a test is held to
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Return where a person does by hand what the bot does."""
    return Desk.set_up(tmp_path_factory.mktemp("desk"))


@pytest.mark.network
@pytest.mark.outcome("ok", "tests_failed", "cycle_noop", "skipped_no_gap")
def test_a_real_project_is_worked_off_while_its_maintainer_is_at_work(
    tmp_path: Path, desk: Desk
) -> None:
    """Every pull request is the recipe's change; nothing of the person's is touched."""
    world = start(tmp_path, desk, WISHES)
    first = world.person.tip("main")
    leave_unfinished(world.person)
    before = snapshot(world.person.path)

    checked = world.bot("check", "--json")
    assert 0 == checked.code, checked.out + checked.err
    count = passed(checked.json["checks"][0]["output"])
    assert count >= functions_of_tests(world.files)

    # Three neighbours in the document are open at once, and merged as 2, 3, 1.
    opened = [opens(world, desk, wish, count) for wish in (UNUSED, EXPORTS, LITERALS)]
    assert {first} == {record.base_sha for record in opened}
    assert [("open_pr", 3), ("eligible", 4), ("blocked", 1)] == gaps_by_state(world)
    desk.merge(world, str(opened[1].branch))
    merges(world, 3)
    merges(world, 1)

    breaks(world, desk, CARELESS, count)
    finds_nothing(world, SYNTAX)
    for wish in (IMPORTS, MODERN):
        opens(world, desk, wish, count)
    merges(world, 5)
    merges(world, 4)
    opens(world, desk, FORMAT, count)
    merges(world, 6)
    last = world.cycle()

    assert "skipped_no_gap" == last.outcome
    assert "no gap can be worked on: 2 wait for a person" in last.reason
    assert before == {
        name: facts
        for name, facts in snapshot(world.person.path, known=before).items()
        if name not in BASE
    } | {name: before[name] for name in BASE}
    assert without_prd(desk.after(world, first, *DONE)) == without_prd(
        entries(world.person, "main")
    )
    assert document(world, *DONE) == world.person.git("show", "main:PRD.md")
    assert [opened[1].branch] == world.person.branches()  # merged, not deleted, by hand
    commands_agree(world)


def opens(world: World, desk: Desk, wish: Wish, count: int) -> CycleRecord:
    """Run a cycle that must open a pull request of exactly the wish's change."""
    base = world.person.tip("main")
    record = world.cycle()
    assert ("ok", wish.gap_id) == (record.outcome, record.gap and record.gap.id)
    assert base == record.base_sha
    commit = str(record.commit_sha)
    assert commit == world.person.tip(str(record.branch))
    assert base == world.person.tip(f"{commit}^")
    assert ("sandbox", count) == ran_on(record)
    assert str(record.sandbox).startswith("bwrap ")

    wanted = desk.after(world, base, wish)
    made = entries(world.person, commit)
    assert without_prd(wanted) == without_prd(made)
    assert without_prd(wanted) != without_prd(entries(world.person, base))
    assert wish.ticked_in(
        world.person.git("show", f"{base}:PRD.md")
    ) == world.person.git("show", f"{commit}:PRD.md")
    return record


def merges(world: World, number: int) -> None:
    """Merge a pull request by the bot's own command."""
    merged = world.bot("pulls", "merge", str(number), "--json")
    assert (0, True) == (merged.code, merged.json["merged"]), merged.err


def breaks(world: World, desk: Desk, wish: Wish, count: int) -> None:
    """Run a cycle whose change must fail the package's tests and stay as a patch."""
    record = world.cycle()
    assert ("tests_failed", wish.gap_id) == (
        record.outcome,
        record.gap and record.gap.id,
    )
    machine, green = ran_on(record)
    assert "sandbox" == machine
    assert 0 < green < count
    assert (False, None) == (record.tests_green, record.pr_number)
    patch = world.folder / "attempts" / f"{record.cycle_id}.patch"
    clone = desk.clone(world)
    clone.git("am", "-q", str(patch))
    base = str(record.base_sha)
    assert without_prd(desk.after(world, base, wish)) == without_prd(
        entries(clone, "HEAD")
    )


def finds_nothing(world: World, wish: Wish) -> None:
    """Run a cycle whose recipe must change nothing."""
    record = world.cycle()
    assert ("cycle_noop", wish.gap_id) == (record.outcome, record.gap and record.gap.id)
    assert (None, None) == (record.commit_sha, record.pr_number)


def gaps_by_state(world: World) -> list[tuple[str, int]]:
    """Return how many gaps are in each state, in the order of the document."""
    states = list(world.states().values())
    return [(state, states.count(state)) for state in dict.fromkeys(states)]


def document(world: World, *done: Wish) -> str:
    """Return the requirements document with these gaps ticked."""
    text = world.person.git("show", "mine:PRD.md")
    for wish in done:
        text = wish.ticked_in(text)
    return text


def commands_agree(world: World) -> None:
    """Hold what every command tells at the end against the records."""
    records = world.records()
    outcomes = [record.outcome for record in records]
    assert [*["ok"] * 3, "tests_failed", "cycle_noop", *["ok"] * 3] == outcomes[:-1]

    rows = world.list("history")
    assert [(r.cycle_id, r.outcome, r.pr_number) for r in reversed(records)] == [
        (row["cycle_id"], row["outcome"], row["pr_number"]) for row in rows
    ]
    pulls = world.list("pulls", "list", "--all")
    assert [wish.gap_id for wish in DONE] == [
        pull["gap_id"] for pull in sorted(pulls, key=lambda pull: pull["number"])
    ]
    assert {"merged"} == {pull["state"] for pull in pulls}

    stuck = [CARELESS.gap_id, SYNTAX.gap_id]
    assert dict.fromkeys(stuck, "needs_human") == world.states()
    (status,) = world.list("status")
    assert ({"needs_human": 2}, 0, 0, world.person.tip("main")) == (
        status["gaps"],
        status["open_pulls"],
        status["unpublished"],
        status["base_sha"],
    )
    assert [("needs_human", gap_id) for gap_id in stuck] == [
        (item["kind"], item["about"]) for item in world.list("inbox")
    ]
