"""What a written value must look like: names, refs, globs, URLs, commands."""

import re
from pathlib import Path
from string import Formatter
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from bot.settings.leaks import shown
from bot.settings.secrets import BOT_SECRETS

_NAME = r"[a-z0-9][a-z0-9._-]{0,63}"
_RECIPE_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
_ENV_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_RESERVED = frozenset({"ledger", "outbox", "gitconfig", "bot.paused"})
_INDEX = "bot.sqlite3"
_SCHEMES = frozenset({"https", "http", "ssh", "git", "file"})
_IN_NO_REF = frozenset(" ~^:?*[\\")
_LONGEST_LABEL = 50
_FIRST_PRINTABLE = 0x20
_DELETE = 0x7F


def _has_control(text: str) -> bool:
    return any(ord(char) < _FIRST_PRINTABLE or ord(char) == _DELETE for char in text)


def _repo_name(text: str) -> str:
    if re.fullmatch(_NAME, text) is None:
        raise ValueError(
            f"{shown(text)} is no name; write at most 64 of a-z, 0-9, '.', '_', '-', "
            "with a letter or digit first"
        )
    if text in _RESERVED or text.startswith(_INDEX):
        raise ValueError(
            f"{shown(text)} is a file of the data folder itself; choose another name"
        )
    return text


def _recipe_name(text: str) -> str:
    if re.fullmatch(_RECIPE_NAME, text) is None:
        raise ValueError(
            f"{shown(text)} is no name; write at most 64 letters, digits, '.', '_', "
            "'-', with a letter or digit first"
        )
    return text


def _env_name(text: str) -> str:
    if re.fullmatch(_ENV_NAME, text) is None:
        raise ValueError(
            f"{shown(text)} is no variable's name; write letters, digits and '_', "
            "with no digit first"
        )
    return text


def _secret_name(text: str) -> str:
    if text in BOT_SECRETS:
        raise ValueError(
            f"{shown(text)} is the bot's own and given to no command; store the "
            "command's secret under another name"
        )
    return _env_name(text)


def _api_key_name(text: str) -> str:
    if text.startswith("GITHUB_"):
        raise ValueError(
            f"{shown(text)} is the forge's own and given to no model; store the key "
            "under another name"
        )
    return _env_name(text)


def _env_value(text: str) -> str:
    if "\0" in text:
        raise ValueError(f"{shown(text)} holds a NUL character; no variable can")
    return text


def _command(text: str) -> str:
    if not text.strip() or "\0" in text:
        raise ValueError(f'{shown(text)} is no command; write one like "make test"')
    return text


def _line(text: str) -> str:
    if not text.strip() or _has_control(text):
        raise ValueError(f"{shown(text)} must be one line of text that is not empty")
    return text


def _folder(text: object) -> object:
    if isinstance(text, str) and (not text.strip() or _has_control(text)):
        raise ValueError(f"{shown(text)} is no folder; write a path")
    return text


def ref_fault(name: str) -> str | None:
    """Return why git would refuse this as (a part of) a branch name, or None."""
    if not name or name == "@" or name.startswith(("-", "/")):
        return "is empty, '@', or starts with '-' or '/'"
    if name.endswith(("/", ".")) or "//" in name:
        return "ends with '/' or '.', or has '//' in it"
    if any(part.startswith(".") or part.endswith(".lock") for part in name.split("/")):
        return "has a part that starts with '.' or ends with '.lock'"
    if ".." in name or "@{" in name:
        return "has '..' or '@{' in it"
    if _has_control(name) or _IN_NO_REF & set(name):
        return "has a space, a control character or one of ~ ^ : ? * [ \\ in it"
    return None


def _ref(text: str) -> str:
    fault = ref_fault(text)
    if fault is not None:
        raise ValueError(f'{shown(text)} {fault}; write a branch name like "main"')
    if text.startswith("refs/"):
        raise ValueError(f'{shown(text)} starts with "refs/"; write only the name')
    return text


def _inside(text: str) -> str:
    """Refuse what names nothing in the repository's tree."""
    parts = text.split("/")
    if not text or text.startswith("/") or ".." in parts or parts[0] == "~":
        raise ValueError(
            f"{shown(text)} is not inside the repository; write a path relative to its "
            "root, without '..'"
        )
    if "\\" in text or _has_control(text):
        raise ValueError(
            f"{shown(text)} has a backslash or a control character; separate with '/'"
        )
    if parts[0].lower() == ".git":
        raise ValueError(f"{shown(text)} is git's own folder; name files of the tree")
    return text


def is_url(path: str) -> bool:
    """Tell whether git would take this for a URL: a colon before the first slash."""
    return ":" in path.split("/", 1)[0]


def _repo_path(text: str) -> str:
    if not text.strip() or text.startswith("-") or _has_control(text):
        raise ValueError(f"{shown(text)} is no path; write a folder or a URL")
    if not is_url(text):
        return text
    scheme, has_scheme, rest = text.partition("://")
    known = scheme in _SCHEMES if has_scheme else "::" not in text
    host = rest if has_scheme else text
    if not known or host.rpartition("@")[2].startswith("-") or host.startswith("-"):
        raise ValueError(
            f"{shown(text)} is no address that git may use here; write https://, "
            "ssh://, git://, http://, file://, user@host:path, or a folder"
        )
    return text


def _http_url(text: str) -> str:
    scheme, _, rest = text.partition("://")
    host = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    is_http = scheme in {"http", "https"} and host and not host.startswith(":")
    if not is_http or _has_control(text) or " " in text:
        raise ValueError(
            f'{shown(text)} is no web address; write one like "http://127.0.0.1:8080/x"'
        )
    return text


def _label(text: str) -> str:
    if len(_line(text)) > _LONGEST_LABEL:
        raise ValueError(f"{shown(text)} is too long; write at most 50 characters")
    return text


def _person(text: str) -> str:
    if set("<>") & set(_line(text)):
        raise ValueError(f"{shown(text)} has '<' or '>' in it, which git refuses")
    return text


def _commit_subject(text: str) -> str:
    form = 'write one line with {summary} in it, like "bot: {summary}"'
    _line(text)
    try:
        parts = list(Formatter().parse(text))
    except ValueError as error:
        raise ValueError(f"{shown(text)} has a brace too many; {form}") from error
    fields = [part[1:] for part in parts if part[1] is not None]
    if not fields:
        raise ValueError(f"{shown(text)} has no {{summary}}; {form}")
    if any(field != ("summary", "", None) for field in fields):
        raise ValueError(f"{shown(text)} has a field other than {{summary}}; {form}")
    return text


RepoName = Annotated[str, AfterValidator(_repo_name)]
RecipeName = Annotated[str, AfterValidator(_recipe_name)]
EnvName = Annotated[str, AfterValidator(_env_name)]
SecretName = Annotated[str, AfterValidator(_secret_name)]
ApiKeyName = Annotated[str, AfterValidator(_api_key_name)]
EnvValue = Annotated[str, AfterValidator(_env_value)]
Command = Annotated[str, AfterValidator(_command)]
Line = Annotated[str, AfterValidator(_line)]
Folder = Annotated[Path, BeforeValidator(_folder)]
Ref = Annotated[str, AfterValidator(_ref)]
Inside = Annotated[str, AfterValidator(_inside)]
RepoPath = Annotated[str, AfterValidator(_repo_path)]
HttpUrl = Annotated[str, AfterValidator(_http_url)]
Label = Annotated[str, AfterValidator(_label)]
Person = Annotated[str, AfterValidator(_person)]
CommitSubject = Annotated[str, AfterValidator(_commit_subject)]
