"""Input that is wrong, odd or hostile: the config, the requirements, the branches."""

from pathlib import Path

import pytest
from e2e_world import HELLO, Person, World, gap_line, until


def test_an_unknown_config_key_is_named_with_the_nearest(world: World) -> None:
    """A typo ends every command with 2 before anything is done."""
    world.configure(policy="max_fils = 3")
    for command in (("cycle",), ("gaps",), ("config", "check")):
        ran = world.bot(*command)
        assert (2, "") == (ran.code, ran.out)
        assert "max_fils" in ran.err
        assert "max_files" in ran.err
    assert not world.data.exists()


@pytest.mark.outcome("ok")
def test_a_huge_document_gives_the_right_gap(tmp_path: Path) -> None:
    """Five megabytes with 20,000 gaps: the one p0 is picked and only its line ticked."""
    filler = "words " * 38
    lines = [f"- [ ] Gap {n} {filler}[bot-eligible]" for n in range(20_000)]
    lines[12_345] = gap_line("needle", f" [p0] {filler}")
    world = World(tmp_path, lines)
    assert (world.person.path / "PRD.md").stat().st_size > 5_000_000
    record = world.cycle()

    assert ("ok", "needle") == (record.outcome, record.gap and record.gap.id)
    assert record.gap
    assert 12_348 == record.gap.line_number
    assert record.commit_sha
    counts = world.person.git("diff", "--numstat", "main", record.commit_sha)
    assert "1\t1\tPRD.md" in counts.splitlines()


@pytest.mark.outcome("ok", "skipped_no_gap")
def test_faulty_lines_are_listed_and_never_worked_on(tmp_path: Path) -> None:
    """Repeated ids, dependency cycles and unknown names: all faulty, the rest goes on."""
    gaps = [
        gap_line("twice"),
        gap_line("twice"),
        gap_line("a", " [depends:b]"),
        gap_line("b", " [depends:a]"),
        gap_line("c", " [depends:nobody]"),
        gap_line("d", " [recipe:unknown]"),
        "- [ ] [bot-eligible] [id:Not_An_Id] x",
        gap_line("good"),
    ]
    world = World(tmp_path, gaps)
    first, last = world.cycle(), world.tick()
    listed = world.list("gaps")

    assert ("ok", "good") == (first.outcome, first.gap and first.gap.id)
    assert "skipped_no_gap" == last.outcome
    assert "7 faulty" in last.reason
    assert ["faulty"] * 7 + ["open_pr"] == [gap["state"] for gap in listed]
    assert all(gap["why"] for gap in listed)
    assert 7 == sum(item["kind"] == "faulty" for item in world.list("inbox"))


def test_an_unknown_gap_is_wrong_usage_and_no_attempt(world: World) -> None:
    """`--gap` with an id that is not there ends with 2, and leaves no record."""
    ran = world.bot("cycle", "--gap", "helo")

    assert 2 == ran.code
    assert "did you mean hello?" in ran.err
    assert [] == world.records()
    assert [] == list((world.folder / "journal").iterdir())


@pytest.mark.outcome("ok", "pr_failed", "skipped_no_gap")
def test_a_branch_with_somebody_s_commit_is_left_alone_and_said(world: World) -> None:
    """The push is refused once, not each tick; asked by id the stored commit goes out."""
    push_then_die(world)
    branch = "bot/hello-say-hello"
    theirs = add_commit(world.person, branch)
    refused, later = world.cycle(), world.cycle()

    assert ["pr_failed", "skipped_no_gap"] == [refused.outcome, later.outcome]
    assert f"branch {branch} holds {theirs[:12]}" in refused.reason
    assert theirs == world.person.tip(branch)
    assert {"hello": "needs_human"} == world.states()
    (item,) = world.list("inbox")
    assert ("hello", True) == (item["about"], "--gap hello" in item["answer"])

    world.person.git("branch", "-m", branch, "mine")
    record = world.cycle("--gap", "hello")
    assert ("ok", refused.commit_sha) == (record.outcome, record.commit_sha)
    assert "propose" not in [step.name for step in record.steps]
    assert {"hello": "open_pr"} == world.states()
    assert ["pull_request"] == [item["kind"] for item in world.list("inbox")]


@pytest.mark.outcome("ok")
def test_an_old_branch_of_ours_is_moved_to_the_new_commit(tmp_path: Path) -> None:
    """A branch that only holds what the bot pushed is reused for the next attempt."""
    world = World(tmp_path, [HELLO], {"README.md": "old\n"})
    world.configure(recipes="date +%s%N > README.md")
    push_then_die(world)
    old = world.person.tip("bot/hello-say-hello")
    base = world.person.commit({"README.md": "the person's\n"})
    record = world.cycle()

    assert ("ok", base) == (record.outcome, record.base_sha)
    assert old != record.commit_sha
    assert record.commit_sha == world.person.tip("bot/hello-say-hello")
    assert 1 == len(world.list("pulls", "list"))


@pytest.mark.outcome("ok")
@pytest.mark.parametrize("name", ["bot", "bot/hello-say-hello/x"])
def test_a_branch_in_the_way_gets_a_name_beside_it(world: World, name: str) -> None:
    """A person's branch whose name clashes stays, and the pull request is opened."""
    world.person.git("branch", name)
    record = world.cycle()

    assert ("ok", True) == (record.outcome, bool(record.branch))
    assert record.branch != "bot/hello-say-hello"
    assert world.person.tip(name) == world.person.tip("main")
    assert record.commit_sha == world.person.tip(str(record.branch))


@pytest.mark.outcome("ok")
def test_names_that_shells_and_terminals_trip_over_go_through(tmp_path: Path) -> None:
    """Quotes, line ends, escapes and other scripts in a gap harm nothing."""
    title = 'Say `$(touch /tmp/x)` "it\'s" \x1b[31m — ünïcode 漢字 --help'
    world = World(tmp_path, [f"- [ ] {title} [bot-eligible]"])
    world.configure(recipes='printf %s "$BOT_GAP_TITLE" > "-n é [x] *.txt"')
    record = world.cycle()

    assert ("ok", ("-n é [x] *.txt",)) == (record.outcome, record.files_added)
    assert [record.branch] == world.person.branches()
    assert "\x1b" not in world.bot("gaps").out + world.bot("pulls", "list").out
    assert "\x1b" not in world.bot("show", record.cycle_id).out


def push_then_die(world: World) -> None:
    """Run a cycle that is killed once its branch stands on the other side."""
    pid = f"cut -d' ' -f1 {world.folder}/lock"
    hook = world.person.hook("post-receive", f"kill -9 $({pid})")
    running = world.start("cycle")
    running.end()
    until(world.person.branches, "the push to end")
    hook.unlink()


def add_commit(person: Person, branch: str) -> str:
    """Commit on a branch without checking it out, as somebody else would push it."""
    tree = person.git("rev-parse", f"{branch}^{{tree}}")
    made = person.git("commit-tree", "-p", branch, "-m", "mine", tree)
    person.git("update-ref", f"refs/heads/{branch}", made)
    return made
