"""`bot init` as a person runs it, and what the other commands make of its config."""

import json
import os
import subprocess
import sys

import pytest

BOT = (sys.executable, "-m", "bot")
FILES = {
    "PRD.md": "# Wanted\n\n- [ ] Spell receive right [bot-eligible]\n",
    "README.md": "You recieve letters.\n",
    "test_readme.py": "import unittest\n\n\nclass T(unittest.TestCase):\n"
    "    def test_readme(self):\n        self.assertIn('letters', open('README.md').read())\n",
}


def run(folder, *argv):
    """Run a command in a folder and return how it ended."""
    return subprocess.run(
        argv, cwd=folder, env=os.environ, capture_output=True, text=True, check=False
    )


@pytest.fixture
def checkout(tmp_path):
    """Return a checkout with a gap, a test and something to mend."""
    root = tmp_path / "letters"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text)
    run(root, "git", "init", "-q", "-b", "main")
    run(root, "git", "add", "-A")
    run(root, "git", "commit", "-q", "-m", "Start")
    return root


def test_a_config_that_was_written_works_once_it_has_a_recipe(checkout, tmp_path):
    """From `init` to the merge, with nothing but the example taken in."""
    made = run(tmp_path, *BOT, "init", "letters")
    config = tmp_path / "config/bot.toml"

    assert (0, "") == (made.returncode, made.stderr)
    assert made.stdout.startswith(f"wrote {config}\n")
    for command in ("bot doctor ", "bot check ", "bot cycle --plan "):
        assert command in made.stdout
    text = config.read_text().replace("#[[repo.r", "[[repo.r")
    for key in ("name", "run", "summary"):
        text = text.replace(f"#{key} = ", f"{key} = ")
    config.write_text(text)
    assert 0 == run(tmp_path, *BOT, "config", "check").returncode
    assert 0 == run(tmp_path, *BOT, "check").returncode
    assert 0 == run(tmp_path, *BOT, "cycle", "--plan").returncode
    record = json.loads(run(tmp_path, *BOT, "cycle", "--json").stdout)
    assert ("ok", ["README.md"]) == (record["outcome"], record["files_updated"])
    merged = run(tmp_path, *BOT, "pulls", "merge", "1")
    assert "git -C" in merged.stdout  # main is checked out
    command = merged.stdout.splitlines()[-1].strip()
    assert 0 == run(tmp_path, "sh", "-c", command).returncode
    assert "You receive letters.\n" == (checkout / "README.md").read_text()
    assert "- [x] Spell" in (checkout / "PRD.md").read_text()


def test_a_config_that_stands_gets_only_a_block_on_standard_output(checkout, tmp_path):
    """So it can be added with `>>`; everything else is told beside it."""
    run(tmp_path, *BOT, "init", "letters")
    config = tmp_path / "config/bot.toml"
    before = config.read_text()
    (tmp_path / "bare").mkdir()
    run(tmp_path, "git", "clone", "-q", "--bare", "letters", "bare/letters")

    added = run(tmp_path, *BOT, "init", "bare/letters")

    assert 0 == added.returncode
    assert before == config.read_text()
    assert added.stdout.startswith("[[repo]]\n")
    assert "stands and is left as it is" in added.stderr
    assert "--repo letters-2" in added.stderr
    config.write_text(f"{before}\n{added.stdout}")
    assert 0 == run(tmp_path, *BOT, "config", "check").returncode
    again = run(tmp_path, *BOT, "init", "bare/letters")
    assert f"{config} has this repository already, as 'letters-2'" in again.stdout


def test_json_says_what_was_written(checkout, tmp_path):
    """Programs get the block, the path and the commands."""
    answer = json.loads(
        run(tmp_path, *BOT, "init", "letters", "--config", "my.toml", "--json").stdout
    )

    assert (1, str(tmp_path / "my.toml"), True, "letters") == (
        answer["schema_version"],
        answer["config"],
        answer["written"],
        answer["repo"],
    )
    assert answer["block"] in (tmp_path / "my.toml").read_text()
    assert answer["next"][0].endswith("bot doctor --config my.toml")


def test_a_project_without_tests_is_told_so(tmp_path):
    """A check is needed, and the summary says it."""
    run(tmp_path, "git", "init", "-q", "-b", "main", "empty")
    run(tmp_path / "empty", "git", "commit", "-q", "--allow-empty", "-m", "Start")

    made = run(tmp_path, *BOT, "init", "empty")

    assert "check   none was recognised" in made.stdout


def test_a_folder_that_is_no_repository_is_wrong_usage(tmp_path):
    """Nothing is written."""
    done = run(tmp_path, *BOT, "init", ".")

    assert (2, "") == (done.returncode, done.stdout)
    assert "is no git repository" in done.stderr
    assert [] == list(tmp_path.iterdir())
