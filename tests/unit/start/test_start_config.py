"""The config that is written loads, says what was guessed, and overwrites nothing."""

import os
import shutil
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.settings.load import load_settings
from bot.start.config import initialise
from bot.workspace.git import Git

HOME = {"HOME": "/nonexistent"}
NO_RECIPE = "there is no [[repo.recipe]], so no gap can be closed"
NO_CHECK = "there is no [[repo.check]], so nothing is tested"
VENV = "python3 -m venv .venv && .venv/bin/pip install"
UNIT = "import unittest\n"


def written(root, cwd, env=None):
    """Write a config for a repository and return it as the bot reads it."""
    made = initialise(str(root), cwd, env or os.environ)
    return load_settings(made.config, HOME, cwd)


def doubts(loaded):
    """Return what the warnings say, without the place that they say it of."""
    return [warning[warning.index("there is no") :] for warning in loaded.warnings]


KINDS = {
    "pytest by pyproject": (
        {"pyproject.toml": "[tool.pytest.ini_options]\n"},
        [".venv/bin/python -m pytest -q"],
        [f"{VENV} pytest"],
        [("pyproject.toml",)],
    ),
    "pytest by its look": (
        {"test_a.py": "def test_a():\n    assert True\n"},
        [".venv/bin/python -m pytest -q"],
        [f"{VENV} pytest"],
        [()],
    ),
    "pytest with a file of its own": (
        {"pytest.ini": "[pytest]\n"},
        [".venv/bin/python -m pytest -q"],
        [f"{VENV} pytest"],
        [("pytest.ini",)],
    ),
    "unittest at the top": ({"test_a.py": UNIT}, ["python3 -m unittest"], [], []),
    "unittest in a package": (
        {"tests/__init__.py": "", "tests/test_a.py": UNIT},
        ["python3 -m unittest"],
        [],
        [],
    ),
    "unittest in a folder": (
        {"tests/test_a.py": UNIT, "setup.cfg": "[flake8]\n"},
        ["python3 -m unittest discover -s tests"],
        [],
        [],
    ),
    "requirements": (
        {"requirements.txt": "requests\n", "requirements-dev.txt": "pytest\n"},
        [".venv/bin/python -m pytest -q"],
        [f"{VENV} -r requirements.txt -r requirements-dev.txt"],
        [("requirements.txt", "requirements-dev.txt")],
    ),
    "requirements without pytest": (
        {"requirements.txt": "requests\n", "tox.ini": "commands = pytest\n"},
        [".venv/bin/python -m pytest -q"],
        ["python3 -m venv .venv && .venv/bin/pip install -r requirements.txt pytest"],
        [("requirements.txt",)],
    ),
    "a package with test requirements": (
        {
            "pyproject.toml": '[project]\nname = "x"\n[project.optional-dependencies]\n'
            'test = ["pytest"]\n',
        },
        [".venv/bin/python -m pytest -q"],
        ["python3 -m venv .venv && .venv/bin/pip install -e '.[test]'"],
        [("pyproject.toml",)],
    ),
    "a package by setup.py": (
        {"setup.py": "from setuptools import setup\n", "test_a.py": UNIT},
        [".venv/bin/python -m unittest"],
        ["python3 -m venv .venv && .venv/bin/pip install -e ."],
        [("setup.py",)],
    ),
    "a pyproject that is no TOML": (
        {"pyproject.toml": "[pytest", "test_a.py": UNIT},
        [".venv/bin/python -m pytest -q"],
        [f"{VENV} pytest"],
        [("pyproject.toml",)],
    ),
    "uv": (
        {"uv.lock": "", "pyproject.toml": "[tool.pytest.ini_options]\n"},
        [".venv/bin/python -m pytest -q"],
        ["uv sync"],
        [("uv.lock", "pyproject.toml")],
    ),
    "uv with an extra": (
        {
            "uv.lock": "",
            "pyproject.toml": '[project.optional-dependencies]\ndev = ["pytest"]\n',
        },
        [".venv/bin/python -m pytest -q"],
        ["uv sync --extra dev"],
        [("uv.lock", "pyproject.toml")],
    ),
    "poetry": (
        {"poetry.lock": "", "pyproject.toml": "[tool.poetry.dev]\npytest = 1\n"},
        [".venv/bin/python -m pytest -q"],
        ["poetry install --no-interaction"],
        [("poetry.lock", "pyproject.toml")],
    ),
    "pipenv": (
        {"Pipfile.lock": "", "Pipfile": "pytest"},
        [".venv/bin/python -m pytest -q"],
        ["pipenv sync --dev"],
        [("Pipfile.lock",)],
    ),
    "npm": (
        {"package.json": '{"scripts": {"test": "jest"}}', "package-lock.json": ""},
        ["npm test"],
        ["npm ci"],
        [("package-lock.json", "package.json")],
    ),
    "npm without a lock": (
        {"package.json": '{"scripts": {"test": "jest"}}'},
        ["npm test"],
        ["npm install"],
        [("package.json",)],
    ),
    "pnpm": (
        {"package.json": '{"scripts": {"test": "jest"}}', "pnpm-lock.yaml": ""},
        ["pnpm test"],
        ["pnpm install --frozen-lockfile"],
        [("pnpm-lock.yaml", "package.json")],
    ),
    "yarn": (
        {"package.json": '{"scripts": {"test": "jest"}}', "yarn.lock": ""},
        ["yarn test"],
        ["yarn install --frozen-lockfile"],
        [("yarn.lock", "package.json")],
    ),
    "yarn of today": (
        {
            "package.json": '{"scripts": {"test": "jest"}}',
            "yarn.lock": "",
            ".yarnrc.yml": "",
        },
        ["yarn test"],
        ["yarn install --immutable"],
        [("yarn.lock", "package.json")],
    ),
    "bun": (
        {"package.json": '{"scripts": {"test": "jest"}}', "bun.lock": ""},
        ["bun run test"],
        ["bun install --frozen-lockfile"],
        [("bun.lock", "package.json")],
    ),
    "rust": (
        {"Cargo.toml": "", "Cargo.lock": ""},
        ["cargo test --offline"],
        ["cargo fetch --locked"],
        [("Cargo.lock", "Cargo.toml")],
    ),
    "rust without a lock": (
        {"Cargo.toml": ""},
        ["cargo test --offline"],
        ["cargo fetch"],
        [("Cargo.toml",)],
    ),
    "go": (
        {"go.mod": "module x\n", "go.sum": ""},
        ["go test ./..."],
        ["go mod download"],
        [("go.sum", "go.mod")],
    ),
    "make": (
        {"Makefile": "build:\n\ttrue\ntest: build\n\ttrue\n"},
        ["make test"],
        [],
        [],
    ),
    "make with a check target": (
        {"GNUmakefile": "test := x\ncheck:\n\ttrue\n"},
        ["make check"],
        [],
        [],
    ),
    "make beside something better": (
        {"Makefile": "test:\n\ttrue\n", "go.mod": "module x\n"},
        ["go test ./..."],
        ["go mod download"],
        [("go.mod",)],
    ),
    "two languages": (
        {
            "test_a.py": UNIT,
            "package.json": '{"scripts": {"test": "jest"}}',
        },
        ["python3 -m unittest", "npm test"],
        ["npm install"],
        [("package.json",)],
    ),
}
NOTHING = {
    "only text": {"README.md": "# Hello\n"},
    "a Makefile without tests": {"Makefile": "build:\n\ttrue\n"},
    "npm's own placeholder": {
        "package.json": '{"scripts": {"test": "echo no test specified && exit 1"}}'
    },
    "scripts that are no table": {"package.json": '{"scripts": []}'},
    "a package that is no table": {"package.json": "[]"},
    "a package that is no JSON": {"package.json": "{"},
    "a package without a test": {"package.json": '{"scripts": {"start": "x"}}'},
    "Python without tests": {"setup.py": "from setuptools import setup\n"},
}


@pytest.mark.parametrize(
    ("files", "checks", "setups", "keys"), KINDS.values(), ids=KINDS
)
def test_every_kind_of_project_gets_its_commands(
    repository, tmp_path, files, checks, setups, keys
):
    """The config loads; its only doubt is the recipe that a person has to write."""
    loaded = written(repository(files), tmp_path)
    repo = loaded.settings.repo[0]

    assert checks == [check.run for check in repo.check]
    assert setups == [setup.run for setup in repo.setup]
    assert keys == [setup.key for setup in repo.setup]
    assert [NO_RECIPE] == doubts(loaded)


@pytest.mark.parametrize("files", NOTHING.values(), ids=NOTHING)
def test_a_project_of_no_known_kind_is_told_to_name_its_check(
    repository, tmp_path, files
):
    """There is no check, and a comment shows how one is written."""
    loaded = written(repository(files), tmp_path)

    assert () == loaded.settings.repo[0].check
    assert [NO_RECIPE, NO_CHECK] == doubts(loaded)
    assert "#[[repo.check]]" in loaded.path.read_text()


def test_poetry_is_told_to_put_its_environment_into_the_tree(repository, tmp_path):
    """Set-up's variables are written with it."""
    files = {"poetry.lock": "", "pyproject.toml": "pytest = 1\n"}
    repo = written(repository(files), tmp_path).settings.repo[0]

    assert {"POETRY_VIRTUALENVS_IN_PROJECT": "true"} == repo.setup[0].env


@pytest.mark.parametrize(
    ("files", "prd", "why"),
    [
        ({"README.md": "x [bot-eligible]"}, ("PRD.md",), "There is none yet"),
        ({"TODO.md": "- x", "ROADMAP.md": "- y"}, ("TODO.md",), "mark a line"),
        (
            {"PRD.md": "- x", "TODO.md": "- y [bot-eligible]"},
            ("TODO.md",),
            "Each holds",
        ),
        (
            {
                "docs/requirements-2.md": "- z [bot-eligible]",
                "docs/prd.md": "- x [bot-eligible]",
                "prd.MD": "- y [bot-eligible]",
                "docs/requirements/[x].md": "- n [bot-eligible]",
                "docs/requirements[1].md": "- n [bot-eligible]",
            },
            ("prd.MD", "docs/prd.md", "docs/requirements-2.md"),
            "Each holds",
        ),
    ],
)
def test_documents_with_a_marker_come_first(repository, tmp_path, files, prd, why):
    """Else the first that exists, else one that has to be made."""
    made = initialise(str(repository(files)), tmp_path, os.environ)

    assert (prd, prd) == (
        made.documents.prd,
        load_settings(made.config, HOME, tmp_path).settings.repo[0].prd,
    )
    assert why in made.config.read_text()


def test_the_config_says_where_the_repository_is_and_what_its_base_is(
    repository, tmp_path
):
    """Path, base and forge are those of the repository."""
    root = repository({"a": "a"}, name="Lake House", branch="trunk")
    repo = written(root, tmp_path).settings.repo[0]

    assert ("lake-house", str(root), "trunk", "local") == (
        repo.name,
        repo.path,
        repo.base,
        repo.forge,
    )


@pytest.mark.parametrize(
    "name", ['x"[evil]', "x'''", "a\\b", "#x", "${HOME}", "a b", "ünï"]
)
def test_a_hostile_name_of_a_folder_stays_a_path(repository, tmp_path, name):
    """Nothing of it becomes a table, a key or a comment."""
    root = repository({"test_a.py": UNIT}, name=name)
    loaded = written(root, tmp_path)

    assert [str(root)] == [repo.path for repo in loaded.settings.repo]


def test_a_hostile_name_of_a_file_stays_in_its_comment(repository, tmp_path):
    """The file that a guess comes from is named without its control characters."""
    root = repository(
        {"test_a\n[[repo]].py": UNIT, "test_b\u2028.py": UNIT, "test_c [x] #.py": UNIT}
    )
    loaded = written(root, tmp_path)

    assert 1 == len(loaded.settings.repo)
    assert "# Guessed from test_c [x] #.py." in loaded.path.read_text()


def test_a_config_that_stands_is_left_as_it_is(repository, tmp_path):
    """The block to add is handed out, with a name that is free."""
    first = initialise(str(repository({"a": "a"})), tmp_path, os.environ)
    before = first.config.read_text()
    other = repository({"go.mod": ""}, name="elsewhere/project")

    second = initialise(str(other), tmp_path, os.environ)

    assert (False, "project-2", 1) == (second.is_new, second.name, second.others)
    assert before == first.config.read_text()
    first.config.write_text(f"{before}\n{second.block}")
    added = load_settings(first.config, HOME, tmp_path).settings.repo
    assert [str(tmp_path / "project"), str(other)] == [repo.path for repo in added]


def test_a_repository_that_the_config_has_is_not_added_again(repository, tmp_path):
    """Its name there is said instead."""
    root = repository({"a": "a"})
    initialise(str(root), tmp_path, os.environ)

    again = initialise(str(root), tmp_path, os.environ)

    assert (None, "project", 0) == (again.block, again.name, again.others)


def test_a_bot_toml_beside_is_a_config_that_stands(repository, tmp_path):
    """Also one that can't be read, and one that is a dead link."""
    root = repository({"a": "a"})
    (tmp_path / "bot.toml").write_text("[[[")

    made = initialise(str(root), tmp_path, os.environ)
    assert (tmp_path / "bot.toml", False) == (made.config, made.is_new)

    (tmp_path / "bot.toml").unlink()
    (tmp_path / "bot.toml").symlink_to(tmp_path / "nowhere")
    made = initialise(str(root), tmp_path, os.environ)
    assert (tmp_path / "bot.toml", False) == (made.config, made.is_new)
    assert not (tmp_path / "nowhere").exists()


def test_the_config_is_written_where_the_other_commands_look(repository, tmp_path):
    """`--config` comes before `BOT_CONFIG`, that before the usual place."""
    root = repository({"a": "a"})
    env = {**os.environ, "BOT_CONFIG": "by-env/some.toml"}

    by_env = initialise(str(root), tmp_path, env)
    by_option = initialise(str(root), tmp_path, env, Path("by-option.toml"))

    assert tmp_path / "by-env/some.toml" == by_env.config
    assert tmp_path / "by-option.toml" == by_option.config
    assert (
        tmp_path / "data"
        == load_settings(by_option.config, HOME, tmp_path).settings.data_dir
    )


def test_a_repository_in_the_folder_of_data_gets_another_folder(repository, tmp_path):
    """The bot's own files never lie in the repository that is called `data`."""
    root = repository({"a": "a"}, name="data")
    loaded = written(root, tmp_path)

    assert tmp_path / "bot-data" == loaded.settings.data_dir


def test_a_folder_that_can_not_be_written_is_named(repository, tmp_path):
    """The message says what to do instead."""
    root = repository({"a": "a"})
    (tmp_path / "config").write_text("a file")

    with pytest.raises(ConfigError, match=r"bot\.toml can't be written: .*--config"):
        initialise(str(root), tmp_path, os.environ)


def test_a_path_that_looks_like_a_secret_gets_no_config(repository, tmp_path):
    """What the bot would refuse to read is never written."""
    root = repository({"a": "a"}, name="ghp_" + "a1" * 20)

    with pytest.raises(ConfigError, match=r"no config can be written .*GitHub token"):
        initialise(str(root), tmp_path, os.environ)
    assert not (tmp_path / "config").exists()


def test_programs_outside_the_system_are_shown_to_the_sandbox(repository, tmp_path):
    """Their folder is named; a program that is not there is named as missing."""
    tools = tmp_path / "some tools"
    tools.mkdir()
    shutil.copy("/bin/true", tools / "cargo")
    files = {"Cargo.toml": "", "uv.lock": "", "pytest.ini": ""}
    root = repository(files)
    git = shutil.which("git")
    assert git
    env = {**os.environ, "PATH": f"{tools}:{Path(git).parent}"}

    made = initialise(str(root), tmp_path, env)

    assert (tools,) == load_settings(made.config, HOME, tmp_path).settings.sandbox.tools
    assert "# uv was not found here" in made.config.read_text()
    again = initialise(str(root), tmp_path, env, made.config)
    assert again.block is None
    other = initialise(str(repository(files, name="o")), tmp_path, env, made.config)
    assert other.block
    assert f"# [sandbox] tools has to name {tools}, for cargo." in other.block


def test_the_repository_is_only_read(repository, git_env, tmp_path):
    """Nothing in it changes, and none of its hooks or filters runs."""
    root = repository({".gitattributes": "* filter=evil\n", "test_a.py": UNIT})
    git = Git(None, git_env, root)
    git.run("config", "filter.evil.smudge", f"touch {tmp_path}/ran")
    git.run("config", "core.fsmonitor", f"touch {tmp_path}/ran")
    before = sorted((p, p.lstat().st_mtime_ns) for p in root.rglob("*"))

    initialise(str(root), tmp_path, os.environ)

    assert before == sorted((p, p.lstat().st_mtime_ns) for p in root.rglob("*"))
    assert not (tmp_path / "ran").exists()
