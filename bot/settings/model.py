"""The settings as the rest of the bot sees them: frozen, checked, absolute."""

from datetime import UTC, tzinfo
from decimal import Decimal
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bot.domain.outcome import Outcome
from bot.errors import ConfigError
from bot.settings.forms import Folder, HttpUrl
from bot.settings.leaks import shown
from bot.settings.models import Endpoint, Models, Price
from bot.settings.policy import BUILT_IN_PROTECTED, Policy
from bot.settings.repo import (
    Check,
    Identity,
    Recipe,
    RepoBudget,
    RepoLimits,
    RepoSettings,
    Setup,
)
from bot.settings.units import Count, Money, Size, Timeout

__all__ = [
    "BUILT_IN_PROTECTED",
    "Budget",
    "Check",
    "Endpoint",
    "Identity",
    "Limits",
    "Models",
    "Observer",
    "Policy",
    "Price",
    "Recipe",
    "RepoBudget",
    "RepoLimits",
    "RepoSettings",
    "SandboxSettings",
    "Settings",
    "Setup",
]

_MEGABYTE = 1 << 20
_GIGABYTE = 1 << 30


def _outcome_glob(text: str) -> str:
    if any(fnmatchcase(outcome, text) for outcome in Outcome):
        return text
    near = get_close_matches(text, [str(outcome) for outcome in Outcome], n=1)
    hint = f"did you mean {shown(near[0])}?" if near else 'write one like "skipped_*"'
    raise ValueError(f"{shown(text)} matches no outcome; {hint}")


def _zone_name(name: str) -> str:
    if name == "UTC":
        return name
    try:
        ZoneInfo(name)
    except (OSError, ValueError, KeyError) as error:
        zones = sorted(available_timezones())
        near = get_close_matches(name, zones, n=1)
        hint = 'write one like "UTC" or "Europe/Berlin"'
        if near:
            hint = f"did you mean {shown(near[0])}?"
        if not zones:
            hint = 'this machine has no time zones (install tzdata), so write "UTC"'
        raise ValueError(f"{shown(name)} is no time zone; {hint}") from error
    return name


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Budget(_Frozen):
    """Caps of what models may cost over all repositories; 0 is nothing left."""

    calls_per_day: Count | None = Field(
        default=None, description="Most model calls a day; not set: no cap."
    )
    tokens_per_day: Count | None = Field(
        default=None, description="Most model tokens a day; not set: no cap."
    )
    usd_per_day: Money = Field(default=Decimal(5), description="Most US dollars a day.")
    usd_per_month: Money = Field(
        default=Decimal(50), description="Most US dollars a month."
    )
    usd_per_cycle: Money = Field(
        default=Decimal(1), description="Most US dollars a cycle."
    )
    usd_per_gap: Money = Field(
        default=Decimal(3), description="Most US dollars for one gap."
    )


class Limits(_Frozen):
    """Limits on pull requests over all repositories."""

    max_open_prs: Count = Field(
        default=5, description="Most open pull requests of the bot at a time."
    )
    prs_per_day: Count = Field(default=4, description="Most pull requests a day.")


class Observer(_Frozen):
    """Who is told of every cycle."""

    url: HttpUrl | None = Field(
        default=None, description="Web address that every cycle's event is posted to."
    )
    skip: tuple[Annotated[str, AfterValidator(_outcome_glob)], ...] = Field(
        default=(), description='Outcomes that are not posted, like "skipped_*".'
    )


class SandboxSettings(_Frozen):
    """What confines recipes, set-up and checks."""

    kind: Literal["bwrap", "none"] = Field(
        default="bwrap",
        description="bwrap confines with bubblewrap; none runs everything unconfined.",
    )
    memory: Annotated[Size, Field(ge=16 * _MEGABYTE)] = Field(
        default=4 * _GIGABYTE,
        description="Most memory of a command, all its processes together.",
    )
    processes: Annotated[Count, Field(ge=1)] = Field(
        default=512, description="Most processes and threads at a time."
    )
    cpu: Timeout | None = Field(
        default=None, description="Most processor time of a process; not set: no cap."
    )
    disk: Annotated[Size, Field(ge=_MEGABYTE)] = Field(
        default=4 * _GIGABYTE, description="Largest file that may be written."
    )
    tools: tuple[Folder, ...] = Field(
        default=(), description="Folders put on PATH inside, read-only."
    )
    timeout: Timeout = Field(
        default=900.0, description="Longest run of a command without its own."
    )
    silence: Timeout = Field(
        default=300.0,
        description="Longest time without output of a command without its own.",
    )

    def timeout_of(self, step: Recipe | Setup | Check) -> float:
        """Return the seconds that this command may run."""
        return self.timeout if step.timeout is None else step.timeout

    def silence_of(self, step: Recipe | Setup | Check) -> float:
        """Return the seconds that this command may stay silent."""
        return self.silence if step.silence is None else step.silence


class Settings(_Frozen):
    """Everything that is configured; `load_settings` makes its paths absolute."""

    data_dir: Folder = Field(
        default=Path("data"),
        description=(
            "Folder of everything the bot keeps; not set: `data` beside the config, "
            "or `../data` where that is config/bot.toml."
        ),
    )
    timezone: Annotated[str, AfterValidator(_zone_name)] = Field(
        default="UTC", description="Time zone in which a day of budgets begins."
    )
    budget: Budget = Field(
        default_factory=Budget, description="Caps of what models may cost."
    )
    limits: Limits = Field(
        default_factory=Limits, description="Limits on pull requests."
    )
    models: Models = Field(
        default_factory=Models, description="Which models are asked."
    )
    observer: Observer = Field(
        default_factory=Observer, description="Who is told of every cycle."
    )
    sandbox: SandboxSettings = Field(
        default_factory=SandboxSettings, description="What confines commands."
    )
    repo: tuple[RepoSettings, ...] = Field(default=(), description="The repositories.")

    @property
    def zone(self) -> tzinfo:
        """The configured time zone; UTC needs no zone data on the machine."""
        return UTC if self.timezone == "UTC" else ZoneInfo(self.timezone)

    def repo_named(self, name: str) -> RepoSettings:
        """Return the repository of this name.

        Raises:
            ConfigError: There is none; the message names the nearest one.
        """
        for repo in self.repo:
            if repo.name == name:
                return repo
        names = [repo.name for repo in self.repo]
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {shown(near[0])}?" if near else _known(names)
        raise ConfigError(f"no repository is named {shown(name)}; {hint}")

    def budget_of(self, repo: RepoSettings) -> Budget:
        """Return the caps that hold for one repository: the narrower of both."""
        own = repo.budget.model_dump(exclude_none=True)
        caps = self.budget.model_dump(exclude_none=True)
        narrow = {key: min(value, caps.get(key, value)) for key, value in own.items()}
        return self.budget.model_copy(update=narrow)

    def limits_of(self, repo: RepoSettings) -> Limits:
        """Return the limits that hold for one repository: the narrowest of all."""
        return Limits(
            max_open_prs=_least(
                self.limits.max_open_prs,
                repo.policy.max_open_prs,
                repo.limits.max_open_prs,
            ),
            prs_per_day=_least(
                self.limits.prs_per_day,
                repo.policy.prs_per_day,
                repo.limits.prs_per_day,
            ),
        )


def _least(*limits: int | None) -> int:
    return min(limit for limit in limits if limit is not None)


def _known(names: list[str]) -> str:
    if not names:
        return "the config has no [[repo]] yet (see `bot init PATH`)"
    return "known: " + ", ".join(names)
