"""What the settings answer to the rest of the bot."""

from decimal import Decimal

import pytest
from pydantic import ValidationError

from bot.errors import ConfigError
from bot.settings import (
    BUILT_IN_PROTECTED,
    Budget,
    Check,
    Limits,
    Policy,
    RepoBudget,
    RepoLimits,
    RepoSettings,
    SandboxSettings,
    Settings,
)
from bot.workspace.paths import matches


def repo(**given: object) -> RepoSettings:
    """Make a repository with what the test is about."""
    return RepoSettings(name="lake", path="/srv/lake", base="main", **given)


def test_a_repository_is_found_by_name():
    """`repo_named` returns the repository of that name."""
    settings = Settings(repo=(repo(),))
    assert settings.repo[0] is settings.repo_named("lake")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("lak", 'did you mean "lake"\\?'), ("zzz", "known: lake")],
)
def test_an_unknown_name_names_the_nearest(name, hint):
    """A name that is not there is a ConfigError with the nearest one or all."""
    with pytest.raises(ConfigError, match=hint):
        Settings(repo=(repo(),)).repo_named(name)


def test_without_repositories_the_error_says_what_to_do():
    """Where the config has no repository, the error points to `bot init`."""
    with pytest.raises(ConfigError, match=r"no \[\[repo\]\] yet.*bot init PATH"):
        Settings().repo_named("lake")


def test_caps_of_a_repository_are_the_narrower_ones():
    """A repository's own caps count only where they are narrower."""
    own = RepoBudget(usd_per_day=Decimal(2), usd_per_gap=Decimal(9), calls_per_day=7)
    settings = Settings(repo=(repo(budget=own),))
    assert Budget(usd_per_day=2, calls_per_day=7) == settings.budget_of(
        settings.repo[0]
    )


def test_limits_of_a_repository_are_the_narrowest_ones():
    """Limits are the least of the global, the policy's and the repository's own."""
    limits = Limits(max_open_prs=1, prs_per_day=9)
    own = repo(limits=RepoLimits(prs_per_day=4), policy=Policy(prs_per_day=6))
    settings = Settings(limits=limits, repo=(own,))
    assert Limits(max_open_prs=1, prs_per_day=4) == settings.limits_of(own)


def test_a_command_without_times_takes_those_of_the_sandbox():
    """`timeout` and `silence` of the sandbox are the defaults of a command's own."""
    sandbox = SandboxSettings()
    own, plain = Check(run="x", timeout="1m", silence="30s"), Check(run="x")
    assert (
        (sandbox.timeout_of(own), sandbox.silence_of(own)),
        (sandbox.timeout_of(plain), sandbox.silence_of(plain)),
    ) == ((60.0, 30.0), (900.0, 300.0))


def test_settings_are_frozen():
    """Nothing changes settings once they are read."""
    with pytest.raises(ValidationError, match="frozen"):
        Settings().timezone = "Europe/Berlin"


def test_protected_holds_the_requirements_by_default():
    """Without `protected`, the built-in list and the files of `prd` are protected."""
    assert (*BUILT_IN_PROTECTED, "docs/*.md") == repo(prd=("docs/*.md",)).protected


def test_protected_is_replaced_whole():
    """A configured list stands alone, also when it is empty."""
    assert repo(policy=Policy(protected=())).protected == ()


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        "deploy/Jenkinsfile",
        "uv.lock",
        "web/package-lock.json",
        ".github/CODEOWNERS",
        "AGENTS.md",
        "src/claude.md",
        ".cursor/rules/x.mdc",
        "sub/.gitattributes",
        ".gitmodules",
        "LICENSE",
        "licence.txt",
        ".pre-commit-config.yaml",
        "config/bot.toml",
        "bot.paused",
    ],
)
def test_the_built_in_list_covers_what_it_is_for(path):
    """Files that run with rights, steer agents or bind by law are protected."""
    assert matches(BUILT_IN_PROTECTED, path)


@pytest.mark.parametrize("path", ["src/app.py", "README.md", "docs/licensing.md"])
def test_the_built_in_list_leaves_the_work_alone(path):
    """Ordinary sources and docs are not protected."""
    assert not matches(BUILT_IN_PROTECTED, path)


@pytest.mark.parametrize(
    ("path", "is_url"),
    [
        ("/srv/a:b", False),
        ("./a:b", False),
        ("https://example.org/a", True),
        ("file:///srv/a", True),
        ("example.org:a/b", True),
    ],
)
def test_a_url_is_what_git_takes_for_one(path, is_url):
    """A colon before the first slash makes a URL."""
    assert is_url == RepoSettings(name="a", path=path, base="main").is_url
