"""What a person is shown: the diff, and the commands to go on with."""

import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.start.diff import diff_lines
from bot.start.interpreter import interpreter_folder, program
from bot.start.next_steps import after_demo, after_init
from bot.start.toolbox import find_toolbox

PATCH = b"""From 1 Mon Sep 17 00:00:00 2001
Subject: [PATCH] x
---
 a | 2 +-
diff --git a/a b/a
index 1..2 100644
--- a/a
+++ b/a
@@ -1,2 +1,2 @@
 index kept
-old
+new\x1b]0;evil\x07\ttab \xff
"""


def test_a_diff_starts_behind_the_head_of_the_mail():
    """Head and object ids are left out, and nothing acts on the terminal."""
    expected = [
        "diff --git a/a b/a",
        "--- a/a",
        "+++ b/a",
        "@@ -1,2 +1,2 @@",
        " index kept",
        "-old",
        "+new?]0;evil?\ttab �",
    ]

    assert expected == list(diff_lines(PATCH, colour=False))


def test_a_diff_in_colour_says_the_same():
    """Each line is coloured by what it is; context is not."""
    lines = list(diff_lines(PATCH, colour=True))

    assert "\x1b[1mdiff --git a/a b/a\x1b[0m" == lines[0]
    assert " index kept" == lines[4]
    assert "\x1b[31m-old\x1b[0m" == lines[5]
    assert lines[6].startswith("\x1b[32m+new?")


def test_a_patch_without_a_diff_shows_nothing():
    """An empty change has no lines."""
    assert [] == list(diff_lines(b"From 1\n\n---\n", colour=True))


def steps(outcome="ok", opened=None, waiting=()):
    """Return the commands that follow a cycle of the demo."""
    last = SimpleNamespace(cycle_id="C", outcome=outcome, pr_number=opened)
    return [
        step.command
        for step in after_demo(
            "bot",
            last=last,
            waiting=waiting,
            config="a b/bot.toml",
            repository="r.git",
            options=("--dir", "a b"),
        )
    ]


GAPS = "bot gaps --config 'a b/bot.toml'"
AGAIN = "bot demo --dir 'a b'"


@pytest.mark.parametrize(
    ("outcome", "opened", "waiting", "commands"),
    [
        (
            "ok",
            2,
            (1, 2),
            ["bot pulls merge 2 --config 'a b/bot.toml'", AGAIN, GAPS],
        ),
        (
            "skipped_no_gap",
            None,
            (1, 2),
            [
                "bot pulls merge 1 --config 'a b/bot.toml'",
                "bot pulls merge 2 --config 'a b/bot.toml'",
                AGAIN,
                GAPS,
            ],
        ),
        (
            "skipped_no_gap",
            None,
            (),
            [GAPS, "git --git-dir r.git log -p main"],
        ),
        (
            "misconfigured",
            None,
            (1,),
            [
                "bot show C --config 'a b/bot.toml'",
                "bot doctor --config 'a b/bot.toml'",
            ],
        ),
    ],
)
def test_a_person_is_told_what_makes_sense_now(outcome, opened, waiting, commands):
    """Merge what was opened, look into what failed, look back when all is done."""
    assert commands == steps(outcome, opened, waiting)


def test_a_demo_without_a_cycle_goes_on_all_the_same():
    """An index that was lost meanwhile takes no command away."""
    given = {"config": "c", "repository": "r", "options": ()}

    assert 2 == len(after_demo("bot", last=None, waiting=(), **given))
    assert 3 == len(after_demo("bot", last=None, waiting=(1,), **given))


def test_a_new_config_is_followed_by_three_looks():
    """Config and repository are named where the commands would not find them."""
    commands = [
        s.command for s in after_init("bot", ("--config", "a b"), ("--repo", "x"))
    ]

    assert [
        "bot doctor --config 'a b'",
        "bot check --config 'a b' --repo x",
        "bot cycle --plan --config 'a b' --repo x",
    ] == commands


def test_a_program_on_path_is_called_by_its_name(tmp_path):
    """One elsewhere is called by its path, a module by its interpreter."""
    for name in ("on path", "off path"):
        (tmp_path / name).mkdir()
        shutil.copy("/bin/true", tmp_path / name / "bot")
    env = {"PATH": str(tmp_path / "on path")}

    assert "bot" == program(str(tmp_path / "on path" / "bot"), env)
    assert f"'{tmp_path}/off path/bot'" == program(
        str(tmp_path / "off path" / "bot"), env
    )
    assert f"{sys.executable} -m bot" == program("/x/bot/__main__.py", env)
    assert "env -u BOT_A -u BOT_B bot" == program(
        str(tmp_path / "on path" / "bot"), env, ("BOT_A", "BOT_B")
    )


def test_the_sandbox_needs_no_interpreter_where_it_sees_one(tmp_path):
    """Else it gets that of the installation, or the one that runs the bot."""
    for name in ("seen", "installed/bin"):
        (tmp_path / name).mkdir(parents=True)
        shutil.copy("/bin/true", tmp_path / name / "python3")

    assert None is interpreter_folder(str(tmp_path / "seen"))
    assert tmp_path / "installed/bin" == interpreter_folder(
        "/nowhere", str(tmp_path / "installed")
    )
    assert Path(sys.executable).parent == interpreter_folder("/nowhere", "/nowhere")


def test_only_the_real_program_counts(tmp_path):
    """A shim would look for the program in a home that the sandbox hides."""
    for name in ("shims", "cargo", "real", "home/bin"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("shims/uv", "cargo/rustup", "real/uv", "home/bin/bun", "home/pnpm"):
        shutil.copy("/bin/true", tmp_path / name)
    (tmp_path / "cargo/cargo").symlink_to("rustup")
    path = ":".join(
        [
            "",
            *(
                str(tmp_path / n)
                for n in ("shims", "cargo", "real", "home/bin", "home")
            ),
        ]
    )
    env = {"PATH": path, "HOME": str(tmp_path / "home")}

    found = find_toolbox(("sh", "uv", "cargo", "bun", "uv", "pnpm", "none"), env)

    assert {
        str(tmp_path / "real"): ("uv",),
        str(tmp_path / "home/bin"): ("bun",),
    } == found.folders
    assert ("cargo", "pnpm", "none") == found.missing


def test_a_relative_folder_of_path_is_not_shown(tmp_path, monkeypatch):
    """It means another folder at another place."""
    (tmp_path / "here").mkdir()
    shutil.copy("/bin/true", tmp_path / "here" / "uvx")
    monkeypatch.chdir(tmp_path)

    assert ("uvx",) == find_toolbox(("uvx",), {"PATH": "here"}).missing


def test_the_interpreter_of_the_bot_stands_in_for_one_of_the_system():
    """Its folder is shown, unless that would show a home."""
    folder = interpreter_folder("/nowhere")
    inside = {"HOME": f"{folder}/home"}

    assert [str(folder)] == [*find_toolbox(("python3",), {}, "/nowhere").folders]
    assert ("python3",) == find_toolbox(("python3",), inside, "/nowhere").missing
