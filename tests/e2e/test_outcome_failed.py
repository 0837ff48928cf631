"""Cycles that end without a pull request because of the base, the recipe or its change."""

from pathlib import Path

import pytest
from e2e_world import ROOMY, WRITE, World, gap_line

REFUSED = {
    "protected": (
        "mkdir -p .github/workflows; echo x > .github/workflows/ci.yml",
        "ci",
    ),
    "itself": ("echo x >> PRD.md", "PRD.md"),
    "files": ("for n in 1 2 3 4; do echo x > $n.txt; done", "4 files"),
    "lines": ("seq 1 50 > long.txt", "50 lines"),
    "bytes": ("head -c 5000 /dev/zero | tr '\\0' x > wide.txt", "max_bytes"),
    "link": ("ln -s README.md link", "symlink"),
    "leaving": ("ln -s /etc/passwd link", "symlink"),
    "binary": ("printf 'a\\0b' > blob", "blob"),
    "unclear": ("echo 'unclear: which?'; echo '- this?'; exit 78", "unclear: which?"),
    "big": ("echo 'too_big: split it'; exit 78", "too_big: split it"),
    "already": ("echo 'already_done: see README'; exit 78", "already_done: see README"),
}
FAILING = {
    "exit": ("echo 'no luck'; exit 1", "exit code 1; it last said: no luck"),
    "hang": ("sleep 100", "timeout after"),
    "silent": ("echo quiet; sleep 100", "silence after"),
    "killed": ("kill -9 $$", "exit code 137"),
    "missing": ("no-such-program", "exit code 127"),
    "vague": ("echo 'so what'; exit 78", "without a first line"),
}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Return a repository with a gap for each way to fail, each with its recipe."""
    recipes = {name: run for name, (run, _) in (REFUSED | FAILING).items()}
    gaps = [gap_line(name, f" [recipe:{name}]") for name in recipes]
    world = World(tmp_path_factory.mktemp("many"), gaps, {"README.md": "hello\n"})
    small = 'max_files = 3\nmax_lines = 40\nmax_bytes = "4KB"'
    world.configure(recipes=recipes, policy=f"{ROOMY}\n{small}")
    text = world.config.read_text()
    for name, key in (("hang", "timeout"), ("silent", "silence")):
        run = f'name = "{name}"\n'
        text = text.replace(run, f'{run}{key} = "1s"\n')
    world.config.write_text(text)
    return world


@pytest.mark.outcome("proposal_rejected")
@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_change_that_breaks_a_rule_is_rejected_by_name(
    many: World, name: str
) -> None:
    """Policy refuses the change before anything is written; the record names why."""
    record = many.tick(gap=name)

    assert ("proposal_rejected", name) == (record.outcome, record.gap and record.gap.id)
    assert REFUSED[name][1] in record.reason
    assert (None, None) == (record.commit_sha, record.pr_number)
    assert "apply" not in [step.name for step in record.steps]
    assert [] == many.person.branches()


@pytest.mark.outcome("model_failed")
@pytest.mark.parametrize("name", sorted(FAILING))
def test_a_recipe_without_an_answer_is_a_failed_attempt(many: World, name: str) -> None:
    """A recipe that fails, hangs or dies gives `model_failed` with how it ended."""
    record = many.tick(gap=name)

    assert "model_failed" == record.outcome
    assert FAILING[name][1] in record.reason
    assert record.proposal is None
    assert record.duration_ms < 30_000


@pytest.mark.outcome("proposal_rejected", "ok")
@pytest.mark.parametrize("kind", ["unclear", "too_big", "already_done"])
def test_a_declined_gap_waits_for_its_text_to_change(tmp_path: Path, kind: str) -> None:
    """A declined gap needs an answer in its notes, and is then worked on again."""
    world = World(tmp_path, [gap_line("a")])
    world.configure(
        recipes="case $BOT_GAP_TEXT in *blue*) echo blue > colour;; "
        f"*) echo '{kind}: colour'; exit 78;; esac"
    )
    declined = world.tick()
    waits = world.states()
    world.person.commit({"PRD.md": f"{gap_line('a')}\n  - in blue\n"})

    assert f"declined {kind}: colour" == declined.reason
    assert {"a": "needs_info"} == waits
    assert "ok" == world.cycle().outcome


@pytest.mark.outcome("proposal_rejected")
def test_a_gap_that_names_only_protected_paths_is_turned_away_unpaid(
    tmp_path: Path,
) -> None:
    """Such a gap ends before set-up, baseline and recipe."""
    world = World(
        tmp_path, ["- [ ] Pin actions in .github/workflows/ci.yml [bot-eligible]"]
    )
    record = world.cycle()

    assert "proposal_rejected" == record.outcome
    assert "only protected paths" in record.reason
    assert "sandbox" not in [step.name for step in record.steps]


@pytest.mark.outcome("baseline_failed")
def test_when_every_check_is_red_on_the_base_nothing_can_be_told(world: World) -> None:
    """A base on which all checks are red runs no recipe and blames no gap."""
    world.configure(checks=["echo broken; exit 3", "false"])
    first, second = world.cycle(), world.tick()

    assert ["baseline_failed"] * 2 == [first.outcome, second.outcome]
    assert "`echo broken; exit 3`: exit code 3" in first.reason
    assert "broken" in first.tests_output
    assert {"hello": "eligible"} == world.states()
    assert ["baseline_failed"] == [i["kind"] for i in world.list("inbox")]


@pytest.mark.outcome("ok")
def test_a_check_that_is_red_on_the_base_is_left_out(world: World) -> None:
    """One green check is enough; the red one is not run and the body says so."""
    world.configure(checks=["false", "true"])
    record = world.cycle()

    assert ("ok", ["true"]) == (record.outcome, [test.run for test in record.tests])
    assert "red on the base" in (world.folder / "pulls" / "1.md").read_text()


@pytest.mark.outcome("baseline_failed")
def test_a_set_up_that_fails_ends_the_cycle(world: World) -> None:
    """A failed set-up is `baseline_failed` with what it said."""
    world.configure(after='[[repo.setup]]\nrun = "echo no network; exit 5"')
    record = world.cycle()

    assert "baseline_failed" == record.outcome
    assert "exit code 5" in record.reason
    assert "no network" in record.tests_output


@pytest.mark.outcome("apply_failed")
def test_a_file_that_git_would_send_through_a_filter_is_not_written(
    tmp_path: Path,
) -> None:
    """A path with a filter attribute can't be stored as proposed, so nothing is."""
    files = {".gitattributes": "*.psd filter=lfs\n"}
    world = World(tmp_path, [gap_line("a")], files)
    world.configure(recipes="echo x > a.txt; echo x > art.psd")
    record = world.cycle()

    assert "apply_failed" == record.outcome
    assert "art.psd has the attribute filter=lfs" in record.reason
    assert {"a": "cooling"} == world.states()
    assert "" == git_status(world)


@pytest.mark.outcome("cycle_noop")
@pytest.mark.parametrize(
    "recipe", ["true", "touch -d 2001-01-01 PRD.md", "echo x > ign"]
)
def test_a_recipe_that_changes_nothing_is_a_noop(tmp_path: Path, recipe: str) -> None:
    """No difference to the base, or only ignored files, is no pull request."""
    world = World(tmp_path, [gap_line("a")], {".gitignore": "ign\n"})
    world.configure(recipes=recipe)
    record = world.tick()

    assert "cycle_noop" == record.outcome
    assert (None, []) == (record.pr_number, world.person.branches())


@pytest.mark.outcome("tests_failed")
def test_a_red_change_is_kept_as_a_patch_that_applies(tmp_path: Path) -> None:
    """After red tests nothing is shown to others; the work stays as patch and ref."""
    world = World(tmp_path, [gap_line("a")], {"README.md": "old\n"})
    world.configure(
        recipes=f"{WRITE}; echo new > README.md",
        checks=["echo looking; grep -q old README.md"],
    )
    record = world.cycle()
    patch = world.folder / "attempts" / f"{record.cycle_id}.patch"

    assert ("tests_failed", False) == (record.outcome, record.tests_green)
    assert "exit code 1" in record.reason
    assert "looking" in record.tests_output
    assert [1] == [test.exit_code for test in record.tests]
    assert (["a.txt"], ["README.md"]) == (
        [*record.files_added],
        [*record.files_updated],
    )
    assert {"a": "cooling"} == world.states()
    assert [] == world.person.branches()
    world.person.git("am", "-q", str(patch))
    assert "new\n" == (world.person.path / "README.md").read_text()
    kept = world.person.git(
        f"--git-dir={world.folder}/clone.git",
        "rev-parse",
        f"refs/bot/attempts/{record.cycle_id}",
    )
    assert record.commit_sha == kept


@pytest.mark.outcome("tests_failed", "skipped_no_gap", "model_failed")
def test_a_failed_gap_cools_down_and_then_needs_a_person(tmp_path: Path) -> None:
    """Attempts are counted over all ways to fail, and asking by id goes through."""
    world = World(tmp_path, [gap_line("a")])
    world.configure(
        recipes="touch red", checks=["test ! -e red"], policy="attempts_per_gap = 2"
    )
    first, cooling = world.tick(), world.tick()
    world.configure(recipes="exit 1", policy="attempts_per_gap = 2")
    forced = world.tick(gap="a")

    assert ["tests_failed", "skipped_no_gap", "model_failed"] == [
        first.outcome,
        cooling.outcome,
        forced.outcome,
    ]
    assert {"a": "needs_human"} == world.states()
    assert ["needs_human"] == [item["kind"] for item in world.list("inbox")]


def git_status(world: World) -> str:
    """Return what git says of the cycle's own tree."""
    tree = world.folder / "trees" / "cycle"
    return world.person.git(
        f"--git-dir={world.folder}/clone.git/worktrees/cycle",
        f"--work-tree={tree}",
        "status",
        "--porcelain",
        "--ignored",
    )
