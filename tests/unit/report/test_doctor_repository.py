"""What `bot doctor` says of one repository, without a change to it."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from command_world import COMMANDS, PRD, World
from doctor_ground import Doctor, open_folder, plain_user

from bot.report.doctor import Finding, Level
from bot.report.doctor.base import base
from bot.report.doctor.commands import first_word, programs_of
from bot.report.doctor.place import owner
from bot.report.doctor.work import budget
from bot.sandbox.bwrap import probe
from bot.settings import SandboxSettings
from bot.settings.repo import Check

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become others")
confined = pytest.mark.skipif(
    not probe(SandboxSettings()).ok, reason="no sandbox can be made here"
)


def seen(findings: list[Finding]) -> list[tuple[str, str]]:
    """Return level and detail of each finding."""
    return [(finding.level.value, finding.detail) for finding in findings]


def everything(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return what can be told of every file under a folder."""
    return {
        str(path): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def gap(world: World) -> str:
    """Let a cycle close the one gap; return the cycle's id."""
    return world.run("cycle", "--json").json["cycle_id"]


# Nothing is changed.


def test_nothing_is_changed(world: World):
    """Neither the repository nor the data folder is another after a whole look."""
    world.run("cycle")
    (world.repo / "draft.txt").write_text("mine")
    before = everything(world.repo), set(everything(world.data))

    ran = world.run("doctor", "--json")

    assert 0 == ran.code
    assert before == (everything(world.repo), set(everything(world.data)))


def test_nothing_is_made(world: World):
    """A first look makes no data folder, no clone and no index."""
    before = everything(world.folder)

    world.run("doctor")

    assert before == everything(world.folder)


# Where it lies.


def test_path(doctor: Doctor, world: World):
    """A checkout is told as one, and is the bot's user's own."""
    assert [("ok", f"checkout at {world.repo}")] == seen(doctor.repo("path"))
    assert ["ok"] == [f.level for f in doctor.repo("owner")]


def test_bare_repository(doctor: Doctor, world: World):
    """A bare repository is told as one; nobody works in it."""
    bare = world.folder / "bare.git"
    world.git("clone", "-q", "--bare", str(world.repo), str(bare))
    world.configure(path="../bare.git")

    assert [("ok", f"bare repository at {bare}")] == seen(doctor.repo("path"))
    assert [] == doctor.repo("checkout")
    assert [("ok", f"`bot pulls merge` moves main of {bare}")] == (
        seen(doctor.repo("merging"))
    )


@pytest.mark.parametrize(
    ("path", "words", "advice"),
    [
        ("../nowhere", "there is no folder", "correct `path`"),
        ("../elsewhere", "is no git repository", "git init"),
        ("../wishes/sub", "is a folder inside a repository", 'set path = "'),
    ],
)
def test_no_repository(
    doctor: Doctor, world: World, path: str, words: str, advice: str
):
    """What is no repository's root is a fault, told once and not by every look."""
    (world.repo / "sub").mkdir()
    world.configure(path=path)

    (found,) = doctor.repo("path")

    assert (Level.FAIL, True, True) == (
        found.level,
        words in found.detail,
        advice in found.advice,
    )
    if "inside" not in words:
        quiet = ("owner", "hooks", "base", "branches", "merging", "gaps", "checkout")
        assert [] == [f for name in quiet for f in doctor.repo(name)]


def test_path_inside_names_the_root(doctor: Doctor, world: World):
    """The right path is given to be copied."""
    (world.repo / "a" / "b").mkdir(parents=True)
    world.configure(path="../wishes/a/b")

    (found,) = doctor.repo("path")

    assert f'set path = "{world.repo}"' == found.advice


def test_shallow(doctor: Doctor, world: World):
    """A history that is cut off is told."""
    world.commit({"a": "1"})
    url = f"file://{world.repo}"
    world.git("clone", "-q", "--depth=1", url, str(world.folder / "shallow"))
    world.configure(path="../shallow")

    found = doctor.repo("path")[1]

    assert Level.WARN is found.level
    assert found.advice.endswith("fetch --unshallow")


@as_root
def test_repository_of_somebody_else(doctor: Doctor, world: World):
    """What root pushes into a person's repository would belong to root: told."""
    for path in (world.repo, *world.repo.rglob("*")):
        os.chown(path, 64999, 64999)

    (found,) = doctor.repo("owner")

    assert (Level.WARN, "run the bot as uid 64999") == (found.level, found.advice)


@as_root
def test_repository_that_takes_no_push(doctor: Doctor, world: World):
    """Where this user may not write, no branch can be pushed."""
    with open_folder() as place:
        shutil.copytree(world.repo, place / "wishes")
        world.configure(path=str(place / "wishes"))
        with doctor.subject() as subject:
            assert subject.place is not None
            with plain_user():
                (found,) = owner(subject)

    assert (Level.FAIL, "run the bot as root") == (found.level, found.advice)


def test_hooks(doctor: Doctor, world: World):
    """Hooks that a push runs are named; those that are samples are not."""
    none = doctor.repo("hooks")
    folder = world.repo / ".git" / "hooks"
    folder.mkdir(exist_ok=True)
    for name in ("pre-receive", "pre-commit", "update"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755 if name != "update" else 0o644)

    found = doctor.repo("hooks")

    assert [("ok", "none run when the bot pushes")] == seen(none)
    assert [
        ("ok", f"pre-receive in {folder} run when the bot pushes, as its user")
    ] == (seen(found))


def test_hooks_elsewhere(doctor: Doctor, world: World):
    """The repository's own place for hooks counts."""
    (world.folder / "hooks").mkdir()
    (world.folder / "hooks" / "post-receive").write_text("#!/bin/sh\n")
    (world.folder / "hooks" / "post-receive").chmod(0o755)
    world.git("config", "core.hooksPath", str(world.folder / "hooks"))

    (found,) = doctor.repo("hooks")

    assert "post-receive" in found.detail


def test_clean_checkout(doctor: Doctor):
    """A clean checkout is told."""
    assert [("ok", "clean")] == seen(doctor.repo("checkout"))


def test_dirty_checkout(doctor: Doctor, world: World):
    """Uncommitted changes keep cycles waiting, and the first are named."""
    for name in "abcde":
        (world.repo / name).write_text("")

    (found,) = doctor.repo("checkout")

    assert Level.WARN is found.level
    assert found.detail.endswith("changes: a, b, c and 2 more")


def test_dirty_checkout_that_may_be(doctor: Doctor, world: World):
    """Where cycles don't wait, nothing is said."""
    (world.repo / "a").write_text("")
    world.configure(more="[repo.policy]\nrequire_clean_tree = false\n")

    assert [] == doctor.repo("checkout")


# The base.


def test_base(doctor: Doctor, world: World):
    """The base is there, and its commit is told."""
    sha = world.git("rev-parse", "main")

    assert [("ok", f"main is at {sha[:12]}")] == seen(doctor.repo("base"))


def test_missing_base(doctor: Doctor, world: World):
    """A base that is not there is a fault, and the branches that are get named."""
    world.configure(keys='base = "master"')

    (found,) = doctor.repo("base")

    assert (Level.FAIL, True) == (found.level, "one of: main" in found.detail)
    assert [] == doctor.repo("gaps")


def test_empty_repository(doctor: Doctor, world: World):
    """A repository without a commit is a fault."""
    world.git("init", "-q", "-b", "main", str(world.folder / "empty"))
    world.configure(path="../empty")

    (found,) = doctor.repo("base")

    assert (Level.FAIL, True) == (
        found.level,
        "no commit on any branch" in found.detail,
    )


@pytest.mark.parametrize(("branch", "prefix"), [("bot", "bot"), ("a", "a/b")])
def test_branch_in_the_way(doctor: Doctor, world: World, branch: str, prefix: str):
    """A branch that is named like the folder of the bot's is told."""
    world.git("branch", branch)
    world.configure(keys=f'base = "main"\nprefix = "{prefix}"')

    (found,) = doctor.repo("branches")

    assert (Level.WARN, True) == (found.level, f"named {branch}," in found.detail)


def test_no_branch_in_the_way(doctor: Doctor):
    """Nothing in the way is told."""
    assert [("ok", "nothing is in the way of bot/")] == seen(doctor.repo("branches"))


def test_what_a_clone_knows_of_its_origin_is_in_nobody_s_way(
    doctor: Doctor, world: World
):
    """Only branches count, whatever other refs end like."""
    world.git("update-ref", "refs/remotes/origin/main", "main")
    world.git("update-ref", "refs/remotes/refs/heads/bot", "main")
    world.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")

    assert [("ok", "nothing is in the way of bot/")] == seen(doctor.repo("branches"))


def test_merging_where_the_base_is_checked_out(doctor: Doctor):
    """Where a person stands on the base they merge themselves."""
    (found,) = doctor.repo("merging")

    assert (Level.OK, True) == (found.level, "main is checked out" in found.detail)


# A remote by URL.


@pytest.fixture
def remote(world: World) -> World:
    """Let the repository be known by a URL."""
    world.configure(path=f"file://{world.repo}")
    return world


def test_remote_is_not_looked_at(doctor: Doctor, remote: World):
    """Offline nothing is told of a URL but the URL."""
    (path,) = doctor.repo("path")
    (base,) = doctor.repo("base")

    assert (f"file://{remote.repo}", True) == (path.detail, "--online" in path.advice)
    assert ("main, never fetched yet", "bot gaps --fetch") == (base.detail, base.advice)
    quiet = ("owner", "hooks", "branches", "merging", "gaps", "checkout")
    assert [] == [f for name in quiet for f in doctor.repo(name)]


def test_remote_online(doctor: Doctor, remote: World):
    """Online the remote's base and branches are looked at."""
    sha = remote.git("rev-parse", "main")

    assert [("ok", f"main is at {sha[:12]}")] == seen(doctor.repo("base", online=True))
    assert ["ok"] == [f.level for f in doctor.repo("branches", online=True)]


def test_remote_as_last_fetched(doctor: Doctor, remote: World):
    """Once fetched, the base and its gaps are told from the clone."""
    remote.run("gaps", "--fetch")
    sha = remote.git("rev-parse", "main")

    assert [("ok", f"main was at {sha[:12]} when last fetched")] == (
        seen(doctor.repo("base"))
    )
    assert [("ok", "1 eligible")] == seen(doctor.repo("gaps"))


def test_remote_that_is_gone(doctor: Doctor, remote: World):
    """A URL that leads nowhere is a fault, and other looks stay quiet."""
    remote.configure(path=f"file://{remote.folder}/nowhere.git")

    (found,) = doctor.repo("base", online=True)

    assert Level.FAIL is found.level
    assert [] == doctor.repo("branches", online=True)


def test_remote_out_of_reach(doctor: Doctor, remote: World):
    """A URL out of reach says nothing about the config."""
    remote.configure(path="http://127.0.0.1:9/x.git")

    (found,) = doctor.repo("base", online=True)

    assert (Level.WARN, "try again later") == (found.level, found.advice)


def test_default_branch(doctor: Doctor, remote: World):
    """Where no base is given the remote's default branch is."""
    sha = remote.git("rev-parse", "main")
    with doctor.subject(online=True, base=None) as subject:
        found = list(base(subject))

    assert [("ok", f"the remote's default branch, at {sha[:12]}")] == seen(found)


def test_no_default_branch(doctor: Doctor, remote: World):
    """A remote without a default branch needs a base."""
    remote.git("symbolic-ref", "HEAD", "refs/heads/none")
    with doctor.subject(online=True, base=None) as subject:
        found = list(base(subject))

    assert [("fail", "the remote has no default branch")] == seen(found)


def test_clone_that_is_broken(doctor: Doctor, remote: World):
    """A clone that git can't read is told in git's own words."""
    remote.run("gaps", "--fetch")
    (remote.data / "wishes" / "clone.git" / "config").write_text("[nonsense")

    (found,) = doctor.repo("gaps")

    assert (Level.FAIL, True) == (found.level, "clone.git/config" in found.detail)


def test_clone_without_a_git_to_read_it(
    doctor: Doctor, remote: World, monkeypatch: pytest.MonkeyPatch
):
    """Without git nothing is said of gaps: that there is none is told elsewhere."""
    remote.run("gaps", "--fetch")
    for name in ("env", "sh"):
        (remote.folder / name).symlink_to(shutil.which(name) or name)
    remote.env["PATH"] = str(remote.folder)
    monkeypatch.setenv("PATH", str(remote.folder))

    assert [] == doctor.repo("gaps")


# The requirements documents.


def test_gaps(doctor: Doctor, world: World):
    """Gaps are counted by state, faulty ones named with their lines."""
    faulty = "".join(f"- [ ] x{n} [bot-eligible] [id:BAD{n}]\n" for n in range(5))
    world.commit({"PRD.md": PRD + faulty})

    counted, wrong = doctor.repo("gaps")

    assert ("ok", "1 eligible, 5 faulty") == (counted.level, counted.detail)
    assert Level.WARN is wrong.level
    assert wrong.detail.startswith("5 faulty: PRD.md:4: [id:BAD0] is no id")
    assert wrong.detail.endswith("; and 2 more")


@pytest.mark.usefixtures("gap")
def test_gaps_with_a_past(doctor: Doctor):
    """What earlier cycles did counts."""
    assert [("ok", "1 open_pr")] == seen(doctor.repo("gaps"))


def test_all_gaps_done(doctor: Doctor, world: World):
    """A document whose gaps are all done is no fault."""
    world.commit({"PRD.md": PRD.replace("[ ]", "[x]")})

    assert [("ok", "all 1 gaps of PRD.md are done")] == seen(doctor.repo("gaps"))


def test_no_gap(doctor: Doctor, world: World):
    """A document without a marker is told how to make one."""
    world.commit({"PRD.md": "# Nothing\n"})

    (found,) = doctor.repo("gaps")

    assert (Level.WARN, "mark a line with [bot-eligible]") == (
        found.level,
        found.advice,
    )


def test_markers_that_nobody_committed(doctor: Doctor, world: World):
    """Markers in the checkout alone are what a newcomer forgot to commit."""
    world.commit({"PRD.md": "# Nothing\n"})
    (world.repo / "PRD.md").write_text(PRD)

    (found,) = doctor.repo("gaps")

    assert "PRD.md of the checkout has some: commit it to the base" == found.advice


def test_no_document(doctor: Doctor, world: World):
    """A base without such a document is a fault."""
    world.configure(keys='base = "main"\nprd = ["docs/*.md"]')

    (found,) = doctor.repo("gaps")

    assert (Level.FAIL, "commit one, or correct `prd`") == (found.level, found.advice)


def test_document_somewhere_else(doctor: Doctor, world: World):
    """A document of that name in another folder is not the one at the root."""
    world.git("rm", "-q", "PRD.md")
    world.commit({"vendor/PRD.md": PRD})

    (found,) = doctor.repo("gaps")

    assert Level.FAIL is found.level


def test_no_document_in_a_bare_repository(doctor: Doctor, world: World):
    """Where there is no checkout there is nothing to commit."""
    world.git("clone", "-q", "--bare", str(world.repo), str(world.folder / "b.git"))
    world.configure(path="../b.git", keys='base = "main"\nprd = ["docs/*.md"]')

    (found,) = doctor.repo("gaps")

    assert "commit one, or correct `prd`" == found.advice


def test_document_that_is_no_text(doctor: Doctor, world: World):
    """A document that is not UTF-8 is a fault that names it."""
    (world.repo / "PRD.md").write_bytes(b"\xff\xfe")
    world.commit({})

    (found,) = doctor.repo("gaps")

    assert (Level.FAIL, True) == (found.level, "PRD.md" in found.detail)


# Commands.


def test_commands(doctor: Doctor):
    """Checks and recipes are named."""
    assert [("ok", "true")] == seen(doctor.repo("checks"))
    assert [("ok", "hello")] == seen(doctor.repo("recipes"))
    assert [] == doctor.repo("set-up")
    assert [] == doctor.repo("secrets")


def test_no_commands(doctor: Doctor, world: World):
    """Without a check or a recipe nothing can be done."""
    world.configure(commands="")

    assert ["fail"] == [f.level for f in doctor.repo("checks")]
    assert ["fail"] == [f.level for f in doctor.repo("recipes")]
    assert [] == doctor.repo("programs")


def test_set_up(doctor: Doctor, world: World):
    """The set-up's results are counted once there are any."""
    world.configure(commands='[[repo.setup]]\nrun = "true"\n' + COMMANDS)
    before = doctor.repo("set-up")
    world.run("check")
    after = doctor.repo("set-up")
    world.configure(commands='[[repo.setup]]\nrun = "true"\n' * 2 + COMMANDS)

    assert [("ok", "1 command, not run yet")] == seen(before)
    assert [("ok", "1 command, 1 results kept")] == seen(after)
    assert [("ok", "2 commands, 1 results kept")] == seen(doctor.repo("set-up"))


def test_secrets_of_commands(doctor: Doctor, world: World):
    """A secret that a command names and nobody has set is a fault."""
    world.configure(commands='[[repo.check]]\nrun = "true"\nsecrets = ["NPM_TOKEN"]\n')
    (missing,) = doctor.repo("secrets")
    world.env["NPM_TOKEN"] = "x"
    found = doctor.repo("secrets")

    assert (Level.FAIL, "`true` asks for NPM_TOKEN, which is not set") == (
        missing.level,
        missing.detail,
    )
    assert [("ok", "NPM_TOKEN can be had")] == seen(found)


@confined
def test_programs(doctor: Doctor):
    """The programs that commands begin with are looked for inside the sandbox."""
    assert [("ok", "the sandbox has echo, true")] == seen(doctor.repo("programs"))


@confined
def test_program_that_the_sandbox_lacks(doctor: Doctor, world: World):
    """What the sandbox has not got is told, and what to do."""
    world.configure(commands='[[repo.check]]\nrun = "X=1 nope-7 -q"\n' + COMMANDS)

    (found,) = doctor.repo("programs")

    assert (Level.WARN, True) == (found.level, "[sandbox] tools" in found.advice)
    assert "`X=1 nope-7 -q` begins with nope-7" in found.detail


@confined
def test_program_that_a_set_up_may_bring(doctor: Doctor, world: World):
    """Where a set-up may install it, `bot check` tells."""
    more = '[[repo.check]]\nrun = "nope-7"\n[[repo.setup]]\nrun = "true"\n'
    world.configure(commands=more)

    (found,) = doctor.repo("programs")

    assert (Level.OK, True) == (found.level, "`bot check`" in found.advice)


def test_programs_without_a_sandbox(doctor: Doctor, world: World):
    """Where nothing can be run nothing is told twice."""
    world.configure(top='[sandbox]\ntools = ["/nowhere"]')

    assert [] == doctor.repo("programs")


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("python -m pytest", "python"),
        ("A=1 B='x y' make test", "make"),
        ("# only words", ""),
        ("'unclosed", ""),
        ("./run it", "./run"),
    ],
)
def test_first_word(command: str, word: str):
    """The program is the first word that sets no variable."""
    assert word == first_word(Check(run=command))


def test_programs_that_can_be_told(world: World):
    """What lies in the tree or is made up by the shell is left to `bot check`."""
    commands = ["./run", "$(which x)", "(make)", "make a", "make b"]
    world.configure(
        commands="".join(f"[[repo.check]]\nrun = '{text}'\n" for text in commands)
    )

    assert {"make": "make a"} == programs_of(world.loaded().settings.repo[0])


# Work.


def test_budget_and_limits(doctor: Doctor):
    """Recipes cost nothing, and the limits are told with what is used of them."""
    assert [("ok", "recipes ask no model and cost nothing")] == seen(
        doctor.repo("budget")
    )
    assert [("ok", "0 of 2 pull requests open, 0 of 2 opened today")] == (
        seen(doctor.repo("limits"))
    )


@pytest.mark.parametrize(
    ("cap", "level", "words"), [(5, "ok", "money is left"), (0, "warn", "usd_per_day")]
)
def test_budget_of_what_costs_money(
    doctor: Doctor, world: World, cap: int, level: str, words: str
):
    """Where money can be spent, what is left is told."""
    world.configure(top=f"[budget]\nusd_per_day = {cap}")
    with doctor.subject(can_spend=True) as subject:
        (found,) = budget(subject)

    assert (level, True) == (found.level, words in found.detail)


@pytest.mark.usefixtures("gap")
def test_limits_that_are_used(doctor: Doctor):
    """Open pull requests count."""
    assert [("ok", "1 of 2 pull requests open, 1 of 2 opened today")] == (
        seen(doctor.repo("limits"))
    )


def test_limit_of_nothing(doctor: Doctor, world: World):
    """A limit of 0 lets nothing through, and is told."""
    world.configure(more="[repo.policy]\nprs_per_day = 0\n")

    assert ["warn"] == [f.level for f in doctor.repo("limits")]


def test_pauses(doctor: Doctor, world: World):
    """Every pause file that holds is named, with the command that ends it."""
    none = doctor.repo("pause")
    world.run("pause", "--reason", "all")
    (world.repo / "bot.paused").write_text("mine")
    (world.data / "wishes").mkdir()
    (world.data / "wishes" / "bot.paused").write_text("until: 2020-01-01T00:00:00Z")

    found = doctor.repo("pause")

    assert [("ok", "not paused")] == seen(none)
    assert [
        ("warn", f"paused by {world.repo}/bot.paused: mine"),
        ("warn", f"paused by {world.data}/bot.paused: all"),
    ] == seen(found)
    assert {"bot resume --repo wishes"} == {f.advice for f in found}


def test_last_cycle(doctor: Doctor, gap: str):
    """The last cycle is told; before the first, the command for one."""
    (found,) = doctor.repo("last cycle")

    assert (Level.OK, True) == (
        found.level,
        found.detail.startswith(f"{gap} ended as ok"),
    )


def test_no_cycle_yet(doctor: Doctor):
    """Before the first cycle its command is told."""
    (found,) = doctor.repo("last cycle")

    assert ("none yet", "bot cycle --repo wishes") == (found.detail, found.advice)


def test_last_cycle_that_needs_a_person(doctor: Doctor, world: World):
    """Where a person must act that is told, with the command that says more."""
    world.configure(commands=COMMANDS.replace('run = "true"', 'run = "false"'))
    world.run("cycle")

    (found,) = doctor.repo("last cycle")

    assert (Level.WARN, "bot check --repo wishes") == (found.level, found.advice)


def test_finished_commits(doctor: Doctor, world: World):
    """Finished work that waits is told; what can't be published or read, too."""
    cycle = world.run("cycle", "--dry-run", "--json").json["cycle_id"]
    waiting = doctor.repo("finished")
    path = world.data / "wishes" / "unpublished" / f"{cycle}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "refused": "no"}))
    refused = doctor.repo("finished")
    path.write_text("{")
    unreadable = doctor.repo("finished")

    assert [("ok", "1 finished commits wait for the next cycle")] == seen(waiting)
    assert [("warn", "the finished commit for hello can't be published: no")] == (
        seen(refused)
    )
    assert "bot cycle --repo wishes --gap hello" == refused[0].advice
    assert [("warn", f"a finished commit can't be read: {path}")] == seen(unreadable)


@pytest.mark.usefixtures("gap")
def test_locks_of_a_killed_git(doctor: Doctor, world: World):
    """A lock in the bot's clone is told, unless a git process is at work there."""
    clone = world.data / "wishes" / "clone.git"
    none = doctor.repo("locks")
    (clone / "packed-refs.lock").write_text("")
    (found,) = doctor.repo("locks")
    env = {**os.environ, "GIT_DIR": str(clone)}
    with subprocess.Popen(["sleep", "30"], env=env) as at_work:
        held = doctor.repo("locks")
        at_work.kill()

    assert ([], []) == (none, held)
    assert (Level.WARN, f"a killed git left {clone}/packed-refs.lock") == (
        found.level,
        found.detail,
    )
