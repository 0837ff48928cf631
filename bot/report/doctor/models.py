"""The models of a repository: installed, keyed and priced, without asking any of them."""

from collections.abc import Iterator
from importlib.util import find_spec

from bot.errors import Misconfigured
from bot.llm.prices import price_of
from bot.llm.target import Target, target_of
from bot.report.doctor.finding import Finding, fail, ok
from bot.report.doctor.subject import Subject

_EXTRAS = {"openai": "llm", "anthropic": "anthropic", "google": "google"}
_SDKS = {"openai": "openai", "anthropic": "anthropic", "google": "google.genai"}


def models(subject: Subject) -> Iterator[Finding]:
    """Look at each model of the proposer; none is asked anything."""
    rooms = subject.rooms
    if rooms.repo.proposer != "model":
        return
    names = rooms.settings.models.proposer
    if not names:
        yield fail(
            "models",
            'proposer = "model", but no model is named',
            'set `proposer = "openai:gpt-5-mini"` or the like under [models]',
        )
    for name in names:
        yield _model(subject, name)


def _model(subject: Subject, name: str) -> Finding:
    rooms = subject.rooms
    configured = rooms.settings.models
    target = target_of(name, configured)
    if not _is_installed(target):
        extra = _EXTRAS[target.dialect]
        return fail(
            "models",
            f"{name}: the package that speaks to it is not installed",
            f"uv tool install 'gapwright[{extra}]'",
        )
    if target.key_name and not rooms.secret(target.key_name):
        return fail(
            "models",
            f"{name}: its key {target.key_name} is not there",
            f"put {target.key_name} into the environment or /run/secrets/",
        )
    try:
        price_of(target, configured, rooms.clock())
    except Misconfigured as error:
        return fail("models", str(error), "bot config schema")
    return ok("models", f"{name} at {target.base_url}: keyed and priced, not asked")


def _is_installed(target: Target) -> bool:
    needed = ("pydantic_ai", _SDKS[target.dialect].partition(".")[0])
    return all(find_spec(package) is not None for package in needed)
