"""Test commands that are missing, hang, hide or shout: each ends, and nothing survives."""

import time

import pytest
from e2e_world import World, processes_with

ON_CHANGE = "test ! -e hello.txt || "
"""Green on the base; what follows runs on the change only."""


@pytest.mark.outcome("baseline_failed")
def test_a_check_that_does_not_exist_says_what_to_do(world: World) -> None:
    """A program that the sandbox lacks is named, with where to get it from."""
    world.configure(checks=["no-such-runner --all"])
    record = world.cycle()

    assert "baseline_failed" == record.outcome
    assert "was not found in the sandbox (exit code 127)" in record.reason
    assert "no-such-runner" in record.tests_output


@pytest.mark.outcome("tests_failed")
@pytest.mark.parametrize(
    ("key", "named"), [("timeout", "(timeout)"), ("silence", "printed nothing")]
)
def test_a_check_that_hangs_is_ended(world: World, key: str, named: str) -> None:
    """Time and silence are bounded, and what hung is gone with all its children."""
    hangs = f"{ON_CHANGE}{{ : {world.token}; trap '' TERM HUP; sleep 300 & wait; }}"
    world.configure(checks=[hangs], after=f'{key} = "3s"')
    record = world.cycle()

    assert "tests_failed" == record.outcome
    assert named in record.reason
    assert [None] == [test.exit_code for test in record.tests]
    assert [] == processes_with(world.token)


@pytest.mark.outcome("ok")
def test_a_check_that_leaves_a_daemon_behind_is_done_when_it_ends(world: World) -> None:
    """A daemon that holds the output open neither delays the cycle nor survives it."""
    lingers = f"setsid sh -c ': {world.token}; sleep 300; : again' & sleep 0.1"
    world.configure(checks=[f"{ON_CHANGE}{{ {lingers}; }}"])
    started = time.monotonic()
    record = world.cycle()

    assert "ok" == record.outcome
    assert time.monotonic() - started < 60
    assert [] == processes_with(world.token)


@pytest.mark.outcome("ok")
def test_a_gigabyte_of_output_is_read_and_bounded(world: World) -> None:
    """Head and tail of it are kept, and the record stays small."""
    shouts = "echo first; head -c 1G /dev/zero; echo last"
    world.configure(checks=[f"{ON_CHANGE}{{ {shouts}; }}"])
    record = world.cycle()

    assert "ok" == record.outcome
    assert record.tests_output.endswith("last\n")
    (path,) = (world.folder / "cycles").glob("*/*.json")
    assert path.stat().st_size < 200_000


@pytest.mark.outcome("tests_failed", "ok")
def test_a_check_can_neither_spend_the_memory_nor_fill_the_disk(world: World) -> None:
    """What it may use is bounded, and the next cycle has its room back."""
    world.configure(
        checks=[f"{ON_CHANGE}head -c 100M /dev/zero > big"],
        top='[sandbox]\ndisk = "10MB"',
    )
    red = world.tick()
    world.configure(
        checks=[f"{ON_CHANGE}head -c 5M /dev/zero > ignored"],
        top='[sandbox]\ndisk = "10MB"',
    )

    assert "tests_failed" == red.outcome
    assert not (world.folder / "trees" / "cycle" / "big").exists() or (
        (world.folder / "trees" / "cycle" / "big").stat().st_size <= 10 << 20
    )
    record = world.tick(gap="hello")
    assert "ok" == record.outcome
    assert record.commit_sha
    assert ["M PRD.md", "A hello.txt"] == world.person.changed(record.commit_sha)


@pytest.mark.outcome("ok")
def test_what_a_check_does_to_tree_and_git_stays_out_of_the_commit(
    world: World,
) -> None:
    """Hooks, config, index and files that a check leaves behind reach nothing."""
    mischief = (
        "echo evil > evil.txt; echo '* filter=x' > .gitattributes; git add -A; "
        "git config core.hooksPath /tmp; git commit -qm evil; rm -rf .git; "
        "ln -s /etc .git; echo evil >> hello.txt; chmod -R a-w . ; true"
    )
    world.configure(checks=[f"{ON_CHANGE}{{ {mischief}; }}"])
    record = world.cycle()

    assert "ok" == record.outcome
    assert record.commit_sha
    assert ["M PRD.md", "A hello.txt"] == world.person.changed(record.commit_sha)
    assert "hello" == world.person.git("show", f"{record.commit_sha}:hello.txt")
    world.person.commit({"PRD.md": "- [ ] Again [bot-eligible] [id:again]\n"})
    assert "ok" == world.cycle().outcome


@pytest.mark.outcome("model_failed", "ok")
def test_neither_recipe_nor_check_sees_network_home_or_data(world: World) -> None:
    """Secrets of the environment, the data folder and the network are out of reach."""
    world.env["GITHUB_TOKEN"] = "ghp_" + "0" * 36
    looks = (
        f'test "$(ls -A {world.folder})" = clone.git && '
        f"test ! -e {world.data}/bot.sqlite3 && test ! -e {world.person.path} && "
        'test -z "$GITHUB_TOKEN" && ! grep -q : /proc/net/route && '
        "test \"$(tail -n +3 /proc/net/dev | tr -d ' ' | cut -d: -f1)\" = lo"
    )
    world.configure(recipes=f"{looks} && echo x > hello.txt", checks=[looks])
    record = world.cycle()
    world.configure(recipes="exit 1")

    assert "ok" == record.outcome
    assert "ghp_" not in "".join(
        path.read_text(errors="replace")
        for path in world.data.rglob("*")
        if path.is_file()
    )
    world.person.commit({"PRD.md": "- [ ] Again [bot-eligible] [id:again]\n"})
    assert "model_failed" == world.tick().outcome
