"""`bot demo` as a person runs it: the real command, real git, the real sandbox."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

BOT = (sys.executable, "-m", "bot")
PLAIN_USER = 64999


def bot(folder, *args, env=None, prefix=()):
    """Run the command in a folder and return how it ended."""
    return subprocess.run(
        [*prefix, *BOT, *args],
        cwd=folder,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def demo(folder, *args, **given):
    """Run a demo and return its exit status and record."""
    done = bot(folder, "demo", "--json", *args, **given)
    return done.returncode, json.loads(done.stdout)


def pulls(folder):
    """Return gap and state of every pull request of the demo."""
    done = bot(
        folder, "pulls", "list", "--all", "--json", "--config", "data/demo/bot.toml"
    )
    return [(p["gap_id"], p["state"]) for p in json.loads(done.stdout)["pulls"]]


def git(folder, *args):
    """Run git in the sample repository."""
    argv = ["git", "--git-dir", "data/demo/repository.git", *args]
    return subprocess.run(
        argv, cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def test_a_demo_shows_a_whole_cycle(tmp_path):
    """Outcome, diff, where the rest is, and commands that work as they are printed."""
    done = bot(tmp_path, "demo")
    lines = done.stdout.splitlines()

    assert 0 == done.returncode
    assert lines[0].startswith("ok: pull request 1 is open")
    assert '+    return f"{name}, {grams} g"' in lines
    assert '-    return "%s, %s g" % (name, grams)' in lines
    assert "\x1b" not in done.stdout
    page = next(line for line in lines if line.startswith("What the pull")).split()[-1]
    assert "Write the labels with f-strings" in (tmp_path / page).read_text()
    record = next(line for line in lines if line.startswith("record:")).split()[-1]
    assert "ok" == json.loads(Path(record).read_text())["outcome"]
    first = next(line for line in lines if " pulls merge 1 " in line)
    merge = subprocess.run(
        first, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (0, "") == (merge.returncode, merge.stderr)
    assert "return f" in git(tmp_path, "show", "main:teatime/labels.py")
    assert "[x] Write the labels" in git(tmp_path, "show", "main:PRD.md")


def test_a_demo_goes_on_until_nothing_is_left(tmp_path):
    """Each run takes the next gap, none twice; what was blocked comes after the merge."""
    runs = [demo(tmp_path) for _ in range(4)]

    outcomes = [(code, record["outcome"]) for code, record in runs]
    assert [(0, "ok")] * 3 + [(0, "skipped_no_gap")] == outcomes
    opened = ["f-strings", "plain-asserts", "sort-imports"]
    assert [(gap, "open") for gap in opened] == pulls(tmp_path)
    for number in ("2", "3", "1"):
        merged = bot(
            tmp_path, "pulls", "merge", number, "--config", "data/demo/bot.toml"
        )
        assert 0 == merged.returncode
    code, record = demo(tmp_path)
    assert (0, "ok", "plain-types") == (code, record["outcome"], record["gap"]["id"])
    bot(tmp_path, "pulls", "merge", "4", "--config", "data/demo/bot.toml")
    assert [(gap, "merged") for gap in (*opened, "plain-types")] == pulls(tmp_path)
    last = bot(tmp_path, "demo")
    assert 0 == last.returncode
    assert "git --git-dir data/demo/repository.git log -p main" in last.stdout
    assert 5 == len(git(tmp_path, "log", "--format=%H", "main").splitlines())


def test_two_demos_at_once_open_no_pull_request_twice(tmp_path):
    """The second finds the first at work, or goes on behind it."""
    argv = [*BOT, "demo", "--json"]
    both = [
        subprocess.Popen(argv, cwd=tmp_path, stdout=-1, stderr=-1) for _ in range(2)
    ]

    outcomes = [json.loads(one.communicate()[0])["outcome"] for one in both]

    assert set(outcomes) <= {"ok", "skipped_overlap"}
    assert "ok" in outcomes
    gaps = [gap for gap, _ in pulls(tmp_path)]
    assert len(set(gaps)) == len(gaps) == outcomes.count("ok")


def test_the_bot_s_variables_lead_no_demo_astray(tmp_path):
    """A data folder and a config of the person stay as they are."""
    env = {"BOT_DATA_DIR": str(tmp_path / "mine"), "BOT_CONFIG": "/nowhere.toml"}

    done = bot(tmp_path, "demo", "--dir", "here", env=env)

    assert 0 == done.returncode
    assert not (tmp_path / "mine").exists()
    assert "env -u BOT_DATA_DIR " in done.stdout
    assert " demo --dir here " in done.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--config", "x.toml", "demo"), "leave --config out"),
        (("demo", "--dir", "."), "left alone; choose another with --dir"),
    ],
)
def test_a_demo_that_can_not_be_is_told_why(tmp_path, args, said):
    """Wrong usage ends with 2 and changes nothing."""
    (tmp_path / "mine").write_text("mine")

    done = bot(tmp_path, *args)

    assert (2, "") == (done.returncode, done.stdout)
    assert said in done.stderr
    assert [tmp_path / "mine"] == list(tmp_path.iterdir())


@pytest.fixture
def private_folder() -> Iterator[Path]:
    """Return a folder that only its owner can go through."""
    with tempfile.TemporaryDirectory(prefix="demo-") as folder:
        (Path(folder) / "deep").mkdir(mode=0o700)
        yield Path(folder) / "deep"


def test_a_demo_works_where_others_can_not_go(private_folder):
    """The sandbox's user needs no way through the folders above the tree."""
    code, record = demo(private_folder)

    assert (0, "ok") == (code, record["outcome"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_demo_works_for_a_plain_user_too(private_folder):
    """Without rights on the machine, and with a home of their own."""
    try:
        subprocess.run(
            [*_as_user(), *BOT, "--version"], check=True, capture_output=True
        )
    except subprocess.CalledProcessError:
        pytest.skip("this interpreter can't be reached by another user")
    for folder in (private_folder.parent, private_folder):
        os.chown(folder, PLAIN_USER, PLAIN_USER)

    code, record = demo(
        private_folder, env={"HOME": str(private_folder)}, prefix=_as_user()
    )

    assert (0, "ok") == (code, record["outcome"])


def _as_user():
    user = str(PLAIN_USER)
    return ("setpriv", "--reuid", user, "--regid", user, "--clear-groups")
