"""`[[repo]]`: one repository, its commands and its own limits."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from bot.settings.forms import (
    Command,
    CommitSubject,
    EnvName,
    EnvValue,
    Inside,
    Line,
    Person,
    RecipeName,
    Ref,
    RepoName,
    RepoPath,
    SecretName,
    is_url,
)
from bot.settings.policy import BUILT_IN_PROTECTED, Policy
from bot.settings.units import Count, Money, Timeout


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Identity(_Frozen):
    """Who the bot's commits are by."""

    name: Person = Field(default="gapwright", description="Name in the commits.")
    email: Person = Field(
        default="gapwright@localhost", description="E-mail address in the commits."
    )


class RepoBudget(_Frozen):
    """Caps of one repository; a cap that is not set is the global one."""

    calls_per_day: Count | None = Field(
        default=None, description="Most model calls a day for this repository."
    )
    tokens_per_day: Count | None = Field(
        default=None, description="Most model tokens a day for this repository."
    )
    usd_per_day: Money | None = Field(
        default=None, description="Most US dollars a day for this repository."
    )
    usd_per_month: Money | None = Field(
        default=None, description="Most US dollars a month for this repository."
    )
    usd_per_cycle: Money | None = Field(
        default=None, description="Most US dollars a cycle in this repository."
    )
    usd_per_gap: Money | None = Field(
        default=None, description="Most US dollars for one gap of this repository."
    )


class RepoLimits(_Frozen):
    """Limits of one repository; `[repo.policy]` has its defaults."""

    max_open_prs: Count | None = Field(
        default=None, description="Most open pull requests of this repository."
    )
    prs_per_day: Count | None = Field(
        default=None, description="Most pull requests a day of this repository."
    )


class _Timed(_Frozen):
    timeout: Timeout | None = Field(
        default=None,
        description="Longest run of the command; not set: that of [sandbox].",
    )
    silence: Timeout | None = Field(
        default=None,
        description="Longest time without output; not set: that of [sandbox].",
    )
    env: dict[EnvName, EnvValue] = Field(
        default_factory=dict, description="Variables the command sees; no secrets."
    )


class Recipe(_Timed):
    """A command that closes gaps by changing the working tree."""

    name: RecipeName = Field(description="Name that a gap's [recipe:NAME] tag gives.")
    run: Command = Field(description="Command, run by sh at the root of the tree.")
    summary: Line | None = Field(
        default=None, description="Pull request title; not set: the gap's title."
    )
    rationale: str | None = Field(
        default=None, description="Why the change is right, for the pull request."
    )


class _Secretive(_Timed):
    cwd: Inside = Field(
        default=".", description="Folder of the tree that the command starts in."
    )
    secrets: tuple[SecretName, ...] = Field(
        default=(), description="Names of the secrets that the command sees."
    )


class Setup(_Secretive):
    """A command that prepares what the checks need, run on the base commit."""

    run: Command = Field(description="Command, run by sh on the base commit.")
    key: tuple[Inside, ...] = Field(
        default=(),
        description="Globs of the files whose change makes it run again.",
    )
    network: StrictBool = Field(
        default=True, description="Whether it may use the network."
    )


class Check(_Secretive):
    """A command whose exit status says whether the tree is sound."""

    run: Command = Field(description="Command, run by sh; exit status 0 is green.")


class RepoSettings(_Frozen):
    """One repository."""

    name: RepoName = Field(
        description="Name in commands, records and the data folder; unique."
    )
    path: RepoPath = Field(
        description="A checkout, a bare repository or a URL that git understands."
    )
    base: Ref | None = Field(
        default=None,
        description=(
            "Branch that the bot works from and for; must be given with the local "
            "forge."
        ),
    )
    prd: Annotated[tuple[Inside, ...], Field(min_length=1)] = Field(
        default=("PRD.md",), description="Globs of the files that gaps are read from."
    )
    forge: Literal["local"] = Field(
        default="local",
        description="Where pull requests go: local keeps them as files and branches.",
    )
    gate: Literal["local"] = Field(
        default="local",
        description="Whose checks decide: local runs them in the sandbox here.",
    )
    mark_done: Literal["pull_request", "never"] = Field(
        default="pull_request",
        description="Whether the pull request itself ticks the gap's line.",
    )
    proposer: Literal["command", "model"] = Field(
        default="command",
        description=(
            "What closes a gap: command runs one of the recipes; model asks a language "
            "model, and runs a recipe for gaps tagged [recipe:NAME]."
        ),
    )
    prefix: Ref = Field(
        default="bot", description="First part of the name of the bot's branches."
    )
    commit_subject: CommitSubject = Field(
        default="bot: {summary}",
        description="Subject of the commits; {summary} is the proposal's title.",
    )
    identity: Identity = Field(
        default_factory=Identity, description="Who the bot's commits are by."
    )
    budget: RepoBudget = Field(
        default_factory=RepoBudget, description="Caps, only narrower than [budget]."
    )
    limits: RepoLimits = Field(
        default_factory=RepoLimits, description="Limits, only narrower than [limits]."
    )
    recipe: tuple[Recipe, ...] = Field(
        default=(), description="Commands that close gaps."
    )
    setup: tuple[Setup, ...] = Field(
        default=(), description="Commands that prepare the checks, in order."
    )
    check: tuple[Check, ...] = Field(
        default=(), description="Commands that test a change, in order."
    )
    policy: Policy = Field(
        default_factory=Policy, description="What a change may be, and how often."
    )

    @property
    def is_url(self) -> bool:
        """Whether `path` is a URL and not a local folder."""
        return is_url(self.path)

    @property
    def protected(self) -> tuple[str, ...]:
        """The globs that hold here: the configured, or the built-in and the PRDs."""
        if self.policy.protected is not None:
            return self.policy.protected
        return (*BUILT_IN_PROTECTED, *self.prd)
