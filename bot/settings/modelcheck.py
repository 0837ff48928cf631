"""Finds what the keys of `[models]`, taken together, get wrong."""

from collections.abc import Iterator
from difflib import get_close_matches

from bot.settings.leaks import shown
from bot.settings.models import PROVIDERS
from bot.settings.problems import Problem, Table, Where

_RATES = ("input", "output", "cache_read", "cache_write", "reasoning")


def model_contradictions(data: Table) -> Iterator[Problem]:
    """Yield models of no known server, prices that say two things, keys given away."""
    models = _table(data, "models")
    endpoints = _table(models, "endpoints")
    yield from _strangers(models.get("proposer"), [*PROVIDERS, *endpoints])
    for name, endpoint in endpoints.items():
        where: Where = ("models", "endpoints", name)
        if name not in PROVIDERS and isinstance(endpoint, dict):
            yield from _address(endpoint, where)
    for name, price in _table(models, "prices").items():
        if isinstance(price, dict):
            yield from _price(price, ("models", "prices", name))
    yield from _given_away(data, endpoints)


def _table(data: Table, key: str) -> Table:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _strangers(cascade: object, known: list[str]) -> Iterator[Problem]:
    names = cascade if isinstance(cascade, list) else [cascade]
    for index, name in enumerate(names):
        server = name.partition(":")[0] if isinstance(name, str) else None
        if server is None or server in known or ":" not in str(name):
            continue
        near = get_close_matches(server, known, n=1)
        hint = f"did you mean {shown(near[0])}? Or" if near else "known: "
        hint = hint if near else hint + ", ".join(known) + "; or"
        yield Problem(
            ("models", "proposer", index),
            f"{shown(name)} names no server; {hint} describe it under "
            f"[models.endpoints.{server}]",
        )


def _address(endpoint: Table, where: Where) -> Iterator[Problem]:
    if "base_url" not in endpoint:
        yield Problem(
            (*where, "base_url"),
            'is missing: the address of its API, like "http://127.0.0.1:11434/v1"',
        )


def _price(price: Table, where: Where) -> Iterator[Problem]:
    given = [key for key in _RATES if key in price]
    if price.get("free") is True and given:
        text = f"has both free = true and {given[0]}; leave one of them out"
        yield Problem(where, text)
    elif price.get("free") is not True:
        for key in ("input", "output"):
            if key not in price:
                text = "is missing: US dollars per million tokens (or free = true)"
                yield Problem((*where, key), text)


def _given_away(data: Table, endpoints: Table) -> Iterator[Problem]:
    keys = {e.get("api_key_name") for e in endpoints.values() if isinstance(e, dict)}
    for where, name in _secrets(data):
        if isinstance(name, str) and name in keys:
            yield Problem(
                where,
                f"{shown(name)} is a model's key and given to no command; store the "
                "command's secret under another name",
            )


def _secrets(data: Table) -> Iterator[tuple[Where, object]]:
    for repo_index, repo in _entries(data, "repo"):
        for kind in ("setup", "check"):
            for index, step in _entries(repo, kind):
                names = step.get("secrets")
                for place, name in enumerate(names if isinstance(names, list) else []):
                    yield ("repo", repo_index, kind, index, "secrets", place), name


def _entries(data: Table, key: str) -> Iterator[tuple[int, Table]]:
    entries = data.get(key)
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        if isinstance(entry, dict):
            yield index, entry
