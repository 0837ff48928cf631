"""`[repo.policy]`: what a change may be, and how often the bot comes with one."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from bot.settings.forms import HttpUrl, Inside, Label
from bot.settings.units import Count, Duration, Size

BUILT_IN_PROTECTED: tuple[str, ...] = (
    # What runs on a forge or a build server, with its secrets.
    ".github/workflows/**",
    ".github/actions/**",
    ".github/dependabot.yml",
    ".forgejo/**",
    ".gitea/**",
    ".gitlab-ci.yml",
    ".gitlab/**",
    ".circleci/**",
    ".ci/**",
    ".buildkite/**",
    ".tekton/**",
    ".woodpecker/**",
    ".woodpecker.yml",
    ".travis.yml",
    ".drone.yml",
    ".cirrus.yml",
    ".appveyor.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "**/Jenkinsfile",
    # What is installed.
    "**/uv.lock",
    "**/poetry.lock",
    "**/pdm.lock",
    "**/pixi.lock",
    "**/Pipfile.lock",
    "**/conda-lock.yml",
    "**/package-lock.json",
    "**/npm-shrinkwrap.json",
    "**/yarn.lock",
    "**/pnpm-lock.yaml",
    "**/bun.lock",
    "**/bun.lockb",
    "**/deno.lock",
    "**/Cargo.lock",
    "**/go.sum",
    "**/Gemfile.lock",
    "**/composer.lock",
    "**/mix.lock",
    "**/flake.lock",
    "**/gradle.lockfile",
    "**/packages.lock.json",
    "**/Package.resolved",
    "**/pubspec.lock",
    # Who must review.
    "**/CODEOWNERS",
    # What steers other agents.
    "**/AGENTS.md",
    "**/CLAUDE.md",
    "**/GEMINI.md",
    "**/.cursorrules",
    "**/.windsurfrules",
    "**/.clinerules",
    "**/.mcp.json",
    ".cursor/**",
    ".windsurf/**",
    ".claude/**",
    ".gemini/**",
    ".codex/**",
    ".github/copilot-instructions.md",
    ".github/instructions/**",
    # How git reads the tree.
    "**/.gitattributes",
    "**/.gitmodules",
    # What the law says.
    "**/LICENSE*",
    "**/LICENCE*",
    "**/COPYING*",
    "**/NOTICE",
    "LICENSES/**",
    # What runs on a person's machine at a commit.
    "**/.pre-commit-config.yaml",
    "**/.pre-commit-config.yml",
    "**/.pre-commit-hooks.yaml",
    "**/lefthook.yml",
    "**/.lefthook.yml",
    ".husky/**",
    ".githooks/**",
    # The bot's own switches.
    "bot.paused",
    "bot.toml",
    "config/bot.toml",
)
"""Globs that no proposal may touch when `protected` is not set."""

_DAY_S = 86_400.0


class Policy(BaseModel):
    """What a change may be, and how often the bot comes with one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_files: Annotated[Count, Field(ge=1)] = Field(
        default=20, description="Most files that one change may touch."
    )
    max_lines: Annotated[Count, Field(ge=1)] = Field(
        default=600, description="Most added plus removed lines of one change."
    )
    max_bytes: Annotated[Size, Field(ge=1)] = Field(
        default=512 * 1024, description="Most bytes of the whole patch."
    )
    max_open_prs: Count = Field(
        default=2,
        description="Most open pull requests of the bot in this repository.",
    )
    prs_per_day: Count = Field(
        default=2, description="Most pull requests a day in this repository."
    )
    attempts_per_gap: Annotated[Count, Field(ge=1)] = Field(
        default=3, description="Attempts at one gap before it needs a person."
    )
    cooldown: Annotated[tuple[Duration, ...], Field(min_length=1)] = Field(
        default=(_DAY_S, 3 * _DAY_S, 7 * _DAY_S),
        description=(
            "Rest of a gap after its first, second, … failed attempt; the last one "
            "holds from then on."
        ),
    )
    protected: tuple[Inside, ...] | None = Field(
        default=None,
        description=(
            "Globs that no change may touch; they replace the built-in list, "
            "and [] protects nothing."
        ),
    )
    allow_binary: StrictBool = Field(
        default=False, description="Whether a file with a NUL byte may be changed."
    )
    allow_symlinks: StrictBool = Field(
        default=False,
        description="Whether symlinks that stay in the tree may be added or changed.",
    )
    on_protected: Literal["block", "draft", "allow"] = Field(
        default="block",
        description=(
            "What happens to a change of a protected file: refused, a draft pull "
            "request for a person, or let through."
        ),
    )
    require_clean_tree: StrictBool | None = Field(
        default=None,
        description=(
            "Whether cycles wait while the checkout has uncommitted changes; not set: "
            "only where the forge is local and `path` is a checkout."
        ),
    )
    busy_url: HttpUrl | None = Field(
        default=None,
        description=(
            "Web address asked before a cycle; the cycle waits while its JSON says "
            "`running` and a `queue_depth` over 0."
        ),
    )
    labels: tuple[Label, ...] = Field(
        default=(), description="Labels of the pull requests."
    )
    draft: StrictBool = Field(
        default=False, description="Whether pull requests open as drafts."
    )
