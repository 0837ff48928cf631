"""The configuration: read once, checked whole, handed on frozen."""

from bot.settings.load import Loaded, find_config, load_settings
from bot.settings.model import (
    BUILT_IN_PROTECTED,
    Budget,
    Check,
    Identity,
    Limits,
    Observer,
    Policy,
    Recipe,
    RepoBudget,
    RepoLimits,
    RepoSettings,
    SandboxSettings,
    Settings,
    Setup,
)

__all__ = [
    "BUILT_IN_PROTECTED",
    "Budget",
    "Check",
    "Identity",
    "Limits",
    "Loaded",
    "Observer",
    "Policy",
    "Recipe",
    "RepoBudget",
    "RepoLimits",
    "RepoSettings",
    "SandboxSettings",
    "Settings",
    "Setup",
    "find_config",
    "load_settings",
]
