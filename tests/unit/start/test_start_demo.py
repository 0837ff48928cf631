"""The demo's folder is made once, gone on with, and never taken from anybody."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cycle.gaps import PrdFile, read_document
from bot.errors import ConfigError, DataFolderUnusable
from bot.settings.load import load_settings
from bot.start.demo import config_text, in_the_way, own_environment, prepare
from bot.start.sample_repository import make_repository, sample_files
from bot.workspace.git import Git

SAMPLE = "6b6a537248ba440f3014326eeb2fe236ab247a2d"


def settings_of(config):
    """Return a demo's settings; it gives no cause for a warning."""
    loaded = load_settings(config, {"HOME": "/nonexistent"}, config.parent)
    assert () == loaded.warnings
    return loaded.settings


@pytest.fixture
def checkout(tmp_path):
    """Return the sample's files in a folder."""
    for path, content in sample_files().items():
        target = tmp_path / "sample" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return tmp_path / "sample"


def run(command, folder):
    """Run a command of the demo's config in a folder, as a shell does."""
    python = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": python, "PYTHONDONTWRITEBYTECODE": "1"}
    argv = ["sh", "-c", command]
    return subprocess.run(
        argv, cwd=folder, env=env, capture_output=True, text=True, check=False
    )


def test_a_new_folder_gets_a_config_and_the_sample(git_env, tmp_path):
    """The sample is the same commit on every machine."""
    demo = prepare(tmp_path / "demo", os.environ)
    git = Git(demo.repository, git_env)

    assert demo.is_new
    assert SAMPLE == git.text("rev-parse", "refs/heads/main")
    assert sorted(sample_files()) == git.text(
        "ls-tree", "-r", "--name-only", "main"
    ).split("\n")
    assert str(demo.repository) == settings_of(demo.config).repo[0].path


def test_a_second_time_changes_nothing(tmp_path):
    """A config that a person has changed and a repository that moved on stay."""
    first = prepare(tmp_path / "demo", os.environ)
    first.config.write_text(first.config.read_text() + "# mine\n")
    before = {p: p.lstat().st_mtime_ns for p in (tmp_path / "demo").rglob("*")}

    second = prepare(tmp_path / "demo", os.environ)

    assert not second.is_new
    assert before == {p: p.lstat().st_mtime_ns for p in (tmp_path / "demo").rglob("*")}


def test_what_a_kill_left_out_is_made_up_for(tmp_path):
    """A demo with a config alone gets its repository."""
    first = prepare(tmp_path / "demo", os.environ)
    first.repository.rename(tmp_path / "elsewhere")

    assert prepare(tmp_path / "demo", os.environ).is_new


def test_an_empty_folder_is_taken(tmp_path):
    """A folder that was made for the demo may be there."""
    (tmp_path / "demo").mkdir()

    assert prepare(tmp_path / "demo", os.environ).is_new


@pytest.mark.parametrize("name", ["README.md", "bot.toml"])
def test_a_folder_with_something_else_is_left_alone(tmp_path, name):
    """Neither a file of somebody's nor a config of somebody's is touched."""
    (tmp_path / name).write_text("mine")

    with pytest.raises(ConfigError, match="left alone; choose another with --dir"):
        prepare(tmp_path, os.environ)
    assert [tmp_path / name] == list(tmp_path.iterdir())
    assert "mine" == (tmp_path / name).read_text()


def test_a_file_is_no_folder(tmp_path):
    """The message says that it is a file."""
    (tmp_path / "demo").write_text("mine")

    with pytest.raises(ConfigError, match="is a file"):
        prepare(tmp_path / "demo", os.environ)


def test_a_place_that_can_not_be_made_is_named(tmp_path):
    """What the file system refuses ends as an unusable data folder."""
    (tmp_path / "file").write_text("")

    with pytest.raises(DataFolderUnusable, match="Not a directory"):
        prepare(tmp_path / "file" / "demo", os.environ)


def test_processes_that_start_together_share_one_repository(git_env, tmp_path):
    """The first that is done wins; the others' drafts go away."""
    target = tmp_path / "there" / "repository.git"
    target.parent.mkdir()
    (target.parent / f".repository.git.{os.getpid()}.tmp").mkdir()  # of a killed one
    script = (
        "import sys; from pathlib import Path; "
        "from bot.start.sample_repository import make_repository; "
        "from bot.workspace.gitconfig import GitEnv; import os; "
        "make_repository(Path(sys.argv[1]), GitEnv.make(Path(sys.argv[2]), os.environ))"
    )
    argv = [sys.executable, "-c", script, str(target)]
    others = [subprocess.Popen([*argv, str(tmp_path / f"e{n}")]) for n in range(2)]
    make_repository(target, git_env)

    assert [0, 0] == [other.wait() for other in others]
    assert [target] == list(target.parent.iterdir())
    assert SAMPLE == Git(target, git_env).text("rev-parse", "main")


def test_one_that_comes_later_leaves_the_repository_that_is_there(git_env, tmp_path):
    """It may have moved on already."""
    make_repository(tmp_path / "r.git", git_env)
    Git(tmp_path / "r.git", git_env).run("branch", "-m", "main", "other")

    make_repository(tmp_path / "r.git", git_env)

    heads = Git(tmp_path / "r.git", git_env).text("branch", "--format=%(refname)")
    assert "refs/heads/other" == heads


def test_a_file_in_the_place_of_the_repository_is_left_alone(git_env, tmp_path):
    """It is no repository, and nobody's to replace."""
    (tmp_path / "r.git").write_text("mine")

    with pytest.raises(DataFolderUnusable, match="Not a directory"):
        make_repository(tmp_path / "r.git", git_env)
    assert "mine" == (tmp_path / "r.git").read_text()


def test_every_gap_of_the_sample_has_its_recipe(tmp_path):
    """Three can be worked on at once, one waits for another; none is faulty."""
    prd = PrdFile("PRD.md", sample_files()["PRD.md"].decode())
    config = tmp_path / "bot.toml"
    config.write_text(config_text(()))
    recipes = frozenset(recipe.name for recipe in settings_of(config).repo[0].recipe)

    entries = read_document([prd], recipes=recipes, recipe_needed=True).entries

    assert [None] * 4 == [entry.fault for entry in entries]
    assert recipes == {entry.gap.recipe for entry in entries}
    assert [(), (), (), ("sort-imports",)] == [e.gap.depends for e in entries]


@pytest.mark.parametrize(
    ("names", "changed"),
    [
        (["f-strings"], ["teatime/labels.py"]),
        (["plain-asserts"], ["tests/test_labels.py", "tests/test_shelf.py"]),
        (["sort-imports"], ["teatime/shelf.py"]),
        (["sort-imports", "plain-types"], ["teatime/shelf.py"]),
    ],
)
def test_a_recipe_changes_its_files_and_keeps_the_tests_green(
    checkout, tmp_path, names, changed
):
    """It does its work once, and a second run finds nothing to do."""
    config = tmp_path / "bot.toml"
    config.write_text(config_text(()))
    repo = settings_of(config).repo[0]
    commands = {recipe.name: recipe.run for recipe in repo.recipe}

    for name in names:
        assert 0 == run(commands[name], checkout).returncode
    once = {p: (checkout / p).read_bytes() for p in sample_files()}
    assert changed == [p for p in sorted(once) if once[p] != sample_files()[p]]
    green = run(repo.check[0].run, checkout)
    assert (0, True) == (green.returncode, "Ran 8 tests" in green.stderr)
    run(commands[names[-1]], checkout)
    assert once == {p: (checkout / p).read_bytes() for p in sample_files()}


@pytest.mark.parametrize(
    ("recipe", "source"),
    [
        ("f_strings", 'a = "%d" % x\nb = "{%s}" % x\nc = "%s" % f(x)\nd = 7 % x\n'),
        (
            "f_strings",
            'a = "%s %s" % x\nb = "%q" % x\nc = "%(n)s" % x\ne = b"%s" % x\n',
        ),
        ("plain_asserts", "self.assertTrue(a)\nself.assertTrue(a == b, 'why')\n"),
        ("plain_asserts", "self.assertTrue(a != b)\nassertTrue(a == b)\n"),
        ("plain_types", "x: Dict[str, int]\ny: t.List[int]\n"),
    ],
)
def test_a_recipe_leaves_alone_what_it_does_not_understand(checkout, recipe, source):
    """A recipe that would only guess changes nothing."""
    file = checkout / "x.py"
    file.write_text(source)

    assert 0 == run(f"python3 recipes/{recipe}.py x.py", checkout).returncode
    assert source == file.read_text()


def test_a_percent_sign_survives_in_an_f_string(checkout):
    """A doubled percent sign means one."""
    (checkout / "x.py").write_text("é = '%s: 5 %%' % name\n")

    run("python3 recipes/f_strings.py x.py", checkout)

    assert "é = f'{name}: 5 %'\n" == (checkout / "x.py").read_text()


def test_the_sandbox_is_shown_an_interpreter_where_it_sees_none(tmp_path):
    """The folder stands in the config, whatever it is called."""
    folder = tmp_path / 'a "b"'
    folder.mkdir()
    config = tmp_path / "bot.toml"
    config.write_text(config_text([folder]))

    assert (folder,) == settings_of(config).sandbox.tools


def test_the_bot_s_variables_do_not_reach_a_demo():
    """Those that later commands follow are named, so that they can be left out."""
    env = {"BOT_DATA_DIR": "/x", "BOT_CONFIG": "/y", "PATH": "/z"}

    assert {"PATH": "/z"} == own_environment(env)
    assert ("BOT_DATA_DIR",) == in_the_way(env)
