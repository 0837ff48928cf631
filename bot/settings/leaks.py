"""Recognises secrets that stand where none may, and shows values without them."""

import json
import re
from functools import cache

_LONGEST_SHOWN = 60
_MOST_BITS = 256

_FORMS = {
    "a GitHub token": r"\b(?:gh[opusr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})",
    "a GitLab token": r"\bglpat-[\w-]{16,}",
    "a model API key": r"(?<![\w-])sk-(?=[A-Za-z_-]*\d)[\w-]{20,}",
    "a Google API key": r"\bAIza[\w-]{30,}",
    "an AWS access key": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "a Slack token": r"\bxox[abeoprs]-[\w-]{10,}",
    "a package registry token": r"\b(?:npm_[A-Za-z0-9]{30,}|pypi-AgE[\w-]{20,})",
    "a Hugging Face token": r"\bhf_[A-Za-z0-9]{30,}",
    "a signed web token": r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+",
    "a private key": r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY",
}
_URL_WITH_LOGIN = r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#@]*:[^/?#]*@"


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(form)) for kind, form in _FORMS.items())


def leak_in(text: str) -> str | None:
    """Return what kind of secret the text looks like, or None."""
    return next((kind for kind, form in _patterns() if form.search(text)), None)


def has_password(url: str) -> bool:
    """Tell whether a URL carries a password."""
    return re.match(_URL_WITH_LOGIN, url) is not None


def shown(value: object) -> str:
    """Return a value as it may stand in a message: short, and never a secret."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return "a huge number"
    # Variables may hold bytes that are no text and can't be printed.
    text = str(value).encode("utf-8", "backslashreplace").decode()
    if leak_in(text) or has_password(text):
        return '"***"'
    if len(text) > _LONGEST_SHOWN:
        text = text[: _LONGEST_SHOWN - 1] + "…"
    return json.dumps(text, ensure_ascii=False) if isinstance(value, str) else text
