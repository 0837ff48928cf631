"""Finished commits on their way to a pull request, also when the way is blocked."""

from pathlib import Path

import pytest
from e2e_world import GATED, HELLO, ROOMY, World, gap_line

from bot.cycle.tick import run_tick

RANDOM = 'head -c 20 /dev/urandom | od -An -tx1 > "$BOT_GAP_ID.txt"'
"""A recipe that never answers the same twice."""


@pytest.mark.outcome("ok")
def test_a_cycle_ends_in_one_tested_commit_on_a_branch_of_its_own(
    tmp_path: Path,
) -> None:
    """Record, branch, commit and the pull request's files all say the same."""
    world = World(tmp_path, [HELLO, gap_line("b")], {"README.md": "old\n"})
    world.configure(
        recipes='echo new > README.md; mkdir d; echo "$BOT_GAP_TITLE" > d/new.sh; '
        "chmod +x d/new.sh",
        checks=["test -x d/new.sh || test -e README.md"],
    )
    base = world.person.tip()
    record = world.cycle()
    commit = world.person.tip("bot/hello-say-hello")

    assert ("ok", 1, "bot/hello-say-hello") == (
        record.outcome,
        record.pr_number,
        record.branch,
    )
    assert (base, commit) == (record.base_sha, record.commit_sha)
    assert base == world.person.tip(f"{commit}^")
    assert ["M PRD.md", "M README.md", "A d/new.sh"] == world.person.changed(commit)
    assert "100755" in world.person.git("ls-tree", commit, "d/new.sh")
    assert f"{HELLO.replace('[ ]', '[x]')}\n{gap_line('b')}" in world.person.git(
        "show", f"{commit}:PRD.md"
    )
    message = world.person.git("log", "-1", "--format=%s%n%b%n%an <%ae>", commit)
    for part in (
        "bot: Say hello",
        f"PRD gap: {HELLO}",
        "Bot-Gap: hello",
        f"Bot-Cycle: {record.cycle_id}",
        "Bot-Model: recipe:only",
        "gapwright <gapwright@localhost>",
    ):
        assert part in message
    assert (("d/new.sh",), ("README.md",), True) == (
        record.files_added,
        record.files_updated,
        record.tests_green,
    )
    assert ["1.json", "1.md", "1.patch"] == sorted(
        path.name for path in (world.folder / "pulls").glob("1.*")
    )
    page = (world.folder / "pulls" / "1.md").read_text()
    assert f"<!-- gapwright gap=hello cycle={record.cycle_id} -->" in page


@pytest.mark.outcome("ok")
def test_the_patch_of_a_pull_request_makes_the_same_tree(world: World) -> None:
    """Whoever applies the stored patch to the base gets the commit's own tree."""
    record = world.tick()
    world.person.git("am", "-q", str(world.folder / "pulls" / "1.patch"))

    assert record.commit_sha
    assert world.person.git("rev-parse", "HEAD^{tree}") == world.person.git(
        "rev-parse", f"{record.commit_sha}^{{tree}}"
    )


@pytest.mark.outcome("dry_run", "ok")
def test_a_dry_run_is_published_by_the_next_cycle_as_the_same_commit(
    world: World,
) -> None:
    """A dry run shows nothing to others, costs no attempt, and is not run again."""
    world.configure(recipes=RANDOM)
    dry = world.cycle("--dry-run")
    assert ("dry_run", []) == (dry.outcome, world.person.branches())
    assert {"hello": "open_pr"} == world.states()

    record = world.cycle()

    assert ("ok", dry.commit_sha) == (record.outcome, record.commit_sha)
    assert dry.commit_sha == world.person.tip("bot/hello-say-hello")
    assert (dry.gap, dry.proposal, dry.tests) == (
        record.gap,
        record.proposal,
        record.tests,
    )
    assert "propose" not in [step.name for step in record.steps]


@pytest.mark.outcome("dry_run", "skipped_no_gap")
def test_a_dry_run_never_publishes_what_another_left(world: World) -> None:
    """However often a dry run is asked for, nothing is pushed by it."""
    outcomes = [world.tick(dry_run=True).outcome for _ in range(2)]

    assert ["dry_run", "skipped_no_gap"] == outcomes
    assert [] == world.person.branches()


@pytest.mark.outcome("dry_run")
def test_a_dry_run_of_a_file_on_disk_keeps_nothing(world: World) -> None:
    """With `--prd` the gap is nobody's yet, so neither commit nor attempt is kept."""
    draft = world.root / "draft.md"
    draft.write_text(gap_line("draft") + "\n")
    dry = world.cycle("--dry-run", "--prd", str(draft))

    assert ("dry_run", "draft") == (dry.outcome, dry.gap and dry.gap.id)
    assert {"hello": "eligible"} == world.states()
    assert 2 == world.bot("cycle", "--prd", str(draft)).code


@pytest.mark.outcome("dry_run", "ok")
@pytest.mark.parametrize("conflicts", [False, True])
def test_a_commit_that_waited_while_the_base_moved(
    tmp_path: Path, conflicts: bool
) -> None:
    """It is still published where it merges cleanly, else kept as a patch and redone."""
    world = World(tmp_path, [HELLO], {"README.md": "old\n", "other.txt": "x\n"})
    world.configure(recipes="date +%s%N > README.md")
    dry = world.tick(dry_run=True)
    moved = "README.md" if conflicts else "other.txt"
    base = world.person.commit({moved: "the person's\n"})
    record = world.cycle()

    patch = world.folder / "attempts" / f"{dry.cycle_id}.patch"
    assert "ok" == record.outcome
    assert conflicts is (record.commit_sha != dry.commit_sha)
    assert conflicts is patch.exists()
    assert conflicts is (record.base_sha == base)


@pytest.mark.outcome("pr_failed", "ok")
@pytest.mark.parametrize("hook", ["pre-receive", "update"])
def test_a_refused_push_is_published_later_without_the_recipe(
    world: World, hook: str
) -> None:
    """A receive hook's words are recorded; the stored commit goes out when it relents."""
    world.configure(recipes=RANDOM)
    guard = world.person.hook(hook, "echo 'not on fridays' >&2; exit 1")
    refused, again = world.cycle(), world.tick()
    guard.unlink()
    record = world.cycle()

    assert ["pr_failed", "pr_failed", "ok"] == [
        refused.outcome,
        again.outcome,
        record.outcome,
    ]
    assert "not on fridays" in refused.reason
    assert len({refused.commit_sha, again.commit_sha, record.commit_sha}) == 1
    assert record.commit_sha == world.person.tip("bot/hello-say-hello")
    assert "propose" not in [step.name for step in again.steps]
    assert 1 == len(world.list("pulls", "list"))


@pytest.mark.outcome("pr_skipped_by_policy", "ok", "skipped_policy")
def test_a_limit_that_another_repository_reached_meanwhile_holds(
    tmp_path: Path,
) -> None:
    """Limits are looked at again before the push; the commit waits for a free place."""
    world = World(tmp_path)
    other = 'name = "other"\npath = "../person"\nbase = "main"\nprefix = "robot"\n'
    world.configure(
        recipes=GATED,
        top="[limits]\nmax_open_prs = 1",
        after=f"[[repo]]\n{other}[[repo.recipe]]\nname = 'r'\nrun = 'echo > o'\n"
        '[[repo.check]]\nrun = "true"',
    )
    running = world.start_until_recipe("--repo", "demo")
    with world.app() as app:
        rooms = app.rooms(app.one_repo("other"))
        assert "ok" == run_tick(rooms, "manual").outcome
    world.release()
    late = world.recorded(running.end())
    full = world.tick()
    assert 0 == world.ask("pulls", "close", "1", "--repo", "other").code
    record = world.tick()

    assert ["pr_skipped_by_policy", "skipped_policy", "ok"] == [
        late.outcome,
        full.outcome,
        record.outcome,
    ]
    assert "over all repositories" in late.reason
    assert late.commit_sha == record.commit_sha


@pytest.mark.outcome("ok")
def test_a_busy_day_is_worked_off_in_order_of_priority(tmp_path: Path) -> None:
    """p0 first, then document order; each gap once."""
    gaps = [gap_line("c"), gap_line("a", " [p0]"), gap_line("b", " [p3]")]
    world = World(tmp_path, gaps)
    world.configure(policy=ROOMY)
    done = [world.tick().gap for _ in gaps]

    assert ["a", "c", "b"] == [gap.id for gap in done if gap]
    assert "skipped_no_gap" == world.tick().outcome
