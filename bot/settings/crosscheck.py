"""Finds what no single key shows: names taken twice, caps widened, secrets in the file.

These look at the file as it was read, so that they speak even where a key is wrong
by itself, and a person sees every problem at once.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from bot.settings.leaks import has_password, leak_in, shown
from bot.settings.model import Budget, Limits, Settings
from bot.settings.modelcheck import model_contradictions
from bot.settings.problems import Problem, Table, Where, key_path
from bot.settings.repo import RepoSettings
from bot.settings.units import as_decimal

_URL_KEYS = frozenset({"path", "url", "busy_url", "base_url"})


def leaks(value: object, where: Where = ()) -> Iterator[Problem]:
    """Yield every key and value of the file that looks like a secret."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leak(key, (*where, key))
            yield from leaks(inner, (*where, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaks(inner, (*where, index))
    elif isinstance(value, str):
        yield from _leak(value, where)


def _leak(text: str, where: Where) -> Iterator[Problem]:
    kind = leak_in(text)
    if kind is None and where[-1] in _URL_KEYS and has_password(text):
        kind = "a password"
    if kind is not None:
        yield Problem(
            where,
            f"holds {kind}; secrets never stand in the file: take it out, replace it "
            "where it was issued, and give it by the environment or by a file in "
            "$CREDENTIALS_DIRECTORY or /run/secrets",
        )


def contradictions(data: Table) -> Iterator[Problem]:
    """Yield what the keys of a file, taken together, get wrong."""
    yield from model_contradictions(data)
    repos = list(_tables(data, "repo"))
    yield from _taken("repo", repos)
    for index, repo in repos:
        for problem in _in_repo(repo):
            yield Problem(("repo", index, *problem.where), problem.text)


def _in_repo(repo: Table) -> Iterator[Problem]:
    yield from _taken("recipe", list(_tables(repo, "recipe")))
    yield from _base(repo)
    for kind in ("setup", "check"):
        for index, step in _tables(repo, kind):
            yield from _secret_and_plain(step, (kind, index))


def _tables(data: Table, key: str) -> Iterator[tuple[int, Table]]:
    entries = data.get(key)
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        if isinstance(entry, dict):
            yield index, entry


def _taken(kind: str, entries: Sequence[tuple[int, Table]]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, entry in entries:
        name = entry.get("name")
        if isinstance(name, str) and first.setdefault(name, index) != index:
            yield Problem(
                (kind, index, "name"),
                f"{shown(name)} is the name of {kind}[{first[name]}] already; choose "
                "another",
            )


def _base(repo: Table) -> Iterator[Problem]:
    base, prefix = repo.get("base"), repo.get("prefix", "bot")
    if base is None and repo.get("forge", "local") == "local":
        yield Problem(
            ("base",), 'is missing: the local forge needs a branch, like base = "main"'
        )
    elif isinstance(base, str) and f"{base}/".startswith(f"{prefix}/"):
        yield Problem(
            ("base",),
            f"{shown(base)} would be one of the bot's own branches; choose another "
            "prefix",
        )


def _secret_and_plain(step: Table, where: Where) -> Iterator[Problem]:
    secrets, env = step.get("secrets"), step.get("env")
    if not isinstance(secrets, list) or not isinstance(env, dict):
        return
    for index, name in enumerate(secrets):
        if isinstance(name, str) and name in env:
            yield Problem(
                (*where, "secrets", index),
                f"{shown(name)} stands in env too; leave it out of one of them",
            )


def widened(data: Table) -> Iterator[tuple[Problem, Where]]:
    """Yield each cap of a repository above the global one, with that one's place."""
    for index, repo in _tables(data, "repo"):
        for table, model in (("budget", Budget), ("limits", Limits)):
            for key, value, cap in _wider(model, repo.get(table), data.get(table)):
                text = (
                    f"{shown(value)} is wider than {table}.{key}, which is {shown(cap)}; a "
                    "repository may only narrow it"
                )
                yield Problem(("repo", index, table, key), text), (table, key)


def _wider(
    model: type[Budget | Limits], own: object, caps: object
) -> Iterator[tuple[str, Decimal, Decimal]]:
    if not isinstance(own, dict):
        return
    caps = caps if isinstance(caps, dict) else {}
    for key, field in model.model_fields.items():
        value = as_decimal(own.get(key))
        cap = as_decimal(caps.get(key, field.default))
        if value is not None and cap is not None and value > cap:
            yield key, value, cap


def doubts(settings: Settings) -> Iterator[Problem]:
    """Yield what is allowed but hardly meant."""
    if settings.sandbox.kind == "none":
        text = '"none" runs recipes, set-up and checks unconfined, with your rights'
        yield Problem(("sandbox", "kind"), text)
    for index, repo in enumerate(settings.repo):
        where: Where = ("repo", index)
        if not repo.recipe:
            text = "there is no [[repo.recipe]], so no gap can be closed"
            yield Problem((*where, "recipe"), text)
        if not repo.check:
            text = "there is no [[repo.check]], so nothing is tested"
            yield Problem((*where, "check"), text)
        yield from _idle_limits(settings, repo, where)


def _idle_limits(
    settings: Settings, repo: RepoSettings, where: Where
) -> Iterator[Problem]:
    for key in ("max_open_prs", "prs_per_day"):
        value, cap = getattr(repo.policy, key), getattr(settings.limits, key)
        if key in repo.policy.model_fields_set and value > cap:
            place = (*where, "policy", key)
            text = f"{value} has no effect above {key_path(('limits', key))} = {cap}"
            yield Problem(place, text)
