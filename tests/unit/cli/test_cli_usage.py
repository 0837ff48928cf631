"""The command line as a whole: help, options, wrong usage, exit statuses."""

import json
import re
import subprocess
import sys

import pytest
import typer
from command_world import COMMANDS, World

from bot import __version__
from bot.cli.main import cli

COMMAND_TREE = typer.main.get_command(cli)
SECOND = '\n[[repo]]\nname = "second"\npath = "../second"\nbase = "main"\n' + COMMANDS


def every_command() -> list[tuple[str, ...]]:
    """Return the words of every command there is."""
    found: list[tuple[str, ...]] = []
    for name, command in COMMAND_TREE.commands.items():
        inner = getattr(command, "commands", {})
        found += [(name, sub) for sub in inner] or [(name,)]
    return found


def test_alone_it_prints_help(world: World):
    """`bot` alone is wrong usage, answered by the help."""
    ran = world.bare()

    assert (2, "") == (ran.code, ran.out)
    assert ran.err.startswith("Usage: bot ")
    assert "doctor" in ran.err


def test_help_of_the_whole_is_cut_nowhere(world: World):
    """The help lists each command with a whole sentence."""
    ran = world.bare("--help")

    assert 0 == ran.code
    assert "..." not in ran.out.partition("Commands:")[2]
    listed = re.findall(
        r"^  ([a-z]+)  ", ran.out.partition("Commands:")[2], re.MULTILINE
    )
    assert list(COMMAND_TREE.commands) == listed


@pytest.mark.parametrize("words", every_command(), ids=" ".join)
def test_every_command_has_a_useful_help(world: World, words: tuple[str, ...]):
    """Each command says in a sentence what it does, and what each option is for."""
    ran = world.bare(*words, "--help")

    assert (0, "") == (ran.code, ran.err)
    lines = ran.out.splitlines()
    assert re.match(r"^  [A-Z].{15,}[.]?$", lines[2])
    options = re.findall(r"^  (--\S+)(.*)$", ran.out, re.MULTILINE)
    assert "--help" in dict(options)
    assert [] == [name for name, text in options if len(text.strip()) < 8]


def test_version(world: World):
    """`--version` prints the version alone."""
    ran = world.bare("--version")

    assert (0, f"bot {__version__}\n", "") == (ran.code, ran.out, ran.err)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gaps", "--nope"), "No such option: --nope"),
        (("gapz",), "Did you mean 'gaps'?"),
        (("show",), "Missing argument 'CYCLE'"),
        (("history", "--limit", "0"), "--limit"),
        (("gaps", "extra"), "extra"),
        (("--json",), "Missing command."),
    ],
)
def test_wrong_usage(world: World, arguments: tuple[str, ...], said: str):
    """Wrong usage ends with 2, the usage and the reason on standard error alone."""
    ran = world.bare(*arguments)

    assert (2, "") == (ran.code, ran.out)
    assert ran.err.startswith("Usage: bot ")
    assert said in ran.err


def test_misplaced_repo_option(world: World):
    """`--repo` in front of the command is told where it belongs."""
    ran = world.bare("--repo", "wishes", "gaps")

    assert 2 == ran.code
    assert "--repo stands behind the command" in ran.err


def test_noun_alone_prints_its_help(world: World):
    """A noun without a verb lists its verbs."""
    ran = world.bare("pulls")

    assert 2 == ran.code
    assert "merge" in ran.err


@pytest.mark.parametrize("place", ["front", "behind", "both"])
def test_json_in_front_of_and_behind_the_command(world: World, place: str):
    """`--json` counts wherever it stands."""
    front = ["--json"] if place != "behind" else []
    behind = ["--json"] if place != "front" else []

    ran = world.bare(*front, "gaps", "--config", str(world.config), *behind)

    assert 0 == ran.code
    assert ["hello"] == [gap["id"] for gap in ran.json["gaps"]]


@pytest.mark.parametrize(
    "words",
    [
        *(("cycle",), ("gaps",), ("status",), ("history",), ("inbox",), ("check",)),
        *(("pause",), ("resume",), ("reindex",), ("why", "x"), ("show", "x")),
        *(("pulls", "list"), ("pulls", "merge", "1"), ("config", "check")),
    ],
    ids=" ".join,
)
def test_no_config(world: World, words: tuple[str, ...]):
    """Without a config every command ends with 2 and says how to get one."""
    ran = world.bare(*words)

    assert (2, "") == (ran.code, ran.out)
    assert "bot: there is no config" in ran.err
    assert "`bot init PATH`" in ran.err


def test_config_without_repository(world: World):
    """A config without a repository says what to add."""
    world.config.write_text('data_dir = "../data"\n')

    ran = world.run("gaps")

    assert 2 == ran.code
    assert "has no [[repo]]" in ran.err


@pytest.mark.parametrize("words", [("cycle",), ("check",), ("pulls", "merge", "1")])
def test_several_repositories(world: World, words: tuple[str, ...]):
    """What is about one repository asks which, where there are several."""
    world.configure(more=SECOND)

    ran = world.run(*words)

    assert (2, "") == (ran.code, ran.out)
    assert "bot: there are several repositories: add --repo (wishes, second)\n" == (
        ran.err
    )


def test_unknown_repository(world: World):
    """A mistyped repository is told the nearest name."""
    ran = world.run("gaps", "--repo", "wishs")

    assert 2 == ran.code
    assert 'did you mean "wishes"?' in ran.err


def test_a_bug_is_told_as_one(world: World):
    """An error that nobody foresaw ends with 1 and says what to report."""
    world.env["BOT_CONFIG"] = 1  # an environment as no system gives it

    ran = world.bare("gaps")

    assert (1, "") == (ran.code, ran.out)
    assert "unexpected TypeError" in ran.err
    assert f"This is a bug in gapwright {__version__}" in ran.err


def test_broken_pipe_ends_quietly(world: World):
    """A reader that leaves early makes no noise."""
    lines = (f"- [ ] Wish {number} [bot-eligible]\n" for number in range(3000))
    world.commit({"PRD.md": "".join(lines)})
    program = f"{sys.executable} -m bot --config {world.config} gaps"

    done = subprocess.run(
        ["bash", "-c", f"{program} | head -1; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ("", "1") == (done.stderr, done.stdout.splitlines()[1])
    assert done.stdout.startswith("GAP ")


def test_full_disk_behind_the_answer(world: World):
    """An answer that can't be written is an error in words, not a bug."""
    done = subprocess.run(
        [
            "sh",
            "-c",
            f"{sys.executable} -m bot --config {world.config} gaps >/dev/full",
        ],
        capture_output=True,
        text=True,
        check=False,
    )

    expected = "bot: the answer can't be written: No space left on device\n"
    assert (1, expected) == (done.returncode, done.stderr)


def test_closed_streams(world: World):
    """Closed standard streams end no command."""
    script = f"{sys.executable} -m bot --config {world.config} gaps >&- 2>&-"

    done = subprocess.run(["sh", "-c", script], check=False)

    assert 0 == done.returncode


def test_json_alone_on_standard_output(world: World):
    """A cycle's log goes to standard error, its record alone to standard output."""
    done = subprocess.run(
        [sys.executable, "-m", "bot", "--config", str(world.config), "cycle", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (0, "ok") == (done.returncode, json.loads(done.stdout)["outcome"])
