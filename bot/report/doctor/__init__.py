"""What `bot doctor` looks at: whether the bot can work here, and what to do where not."""

from bot.report.doctor.finding import Check, Finding, Level, examine
from bot.report.doctor.machine import (
    Machine,
    bare_checks,
    machine_checks,
    private_git_env,
)
from bot.report.doctor.repository import repository_checks

__all__ = [
    "Check",
    "Finding",
    "Level",
    "Machine",
    "bare_checks",
    "examine",
    "machine_checks",
    "private_git_env",
    "repository_checks",
]
