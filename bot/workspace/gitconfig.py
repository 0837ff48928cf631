"""The git configuration that the bot's own commands run under.

Credentials, proxies, `insteadOf` and the ssh command come from the person; hooks,
signing, pagers, filters and every other program do not.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.errors import DataFolderUnusable
from bot.workspace.diagnose import diagnose
from bot.workspace.door import execute

_READ_TIMEOUT_S = 30.0
_Entry = tuple[str, str | None]  # a key without value means true
_PRIVATE = 0o600  # `http.extraHeader` and rewritten URLs can carry a token

_INHERITED = frozenset(
    {
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "TMPDIR",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
        "DBUS_SESSION_BUS_ADDRESS",
        "SSH_AUTH_SOCK",
        "GNUPGHOME",
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "no_proxy",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "CURL_CA_BUNDLE",
        "LD_LIBRARY_PATH",
        "NIX_SSL_CERT_FILE",
    }
)
"""What git and its credential helpers need; a model's key is not among it."""

_SSH = "ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15 -o ControlPath=none"

# In the environment of each command, and not in the file: a push to a local path hands
# the file on to the receiving side, where the person's own hooks are to run.
_FORCED = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "core.pager": "cat",
    "core.quotePath": "false",
    "core.autocrlf": "false",
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.trustctime": "true",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "push.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "push.recurseSubmodules": "no",
    "advice.detachedHead": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
}

_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "false",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_ADVICE": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "LC_ALL": "C.UTF-8",
    "LANGUAGE": "C",
}

_PERSONAL_FORCED = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "safe.directory": "*",
}


@dataclass(frozen=True, slots=True)
class GitEnv:
    """The environments of git commands.

    Attributes:
        own: For the bot's clone and trees, and for talking to remotes.
        personal: For reading a person's checkout as its owner would see it: the whole
            configuration of the person counts, except hooks and the file monitor.
    """

    own: Mapping[str, str] = field(repr=False)  # proxies can carry a password
    personal: Mapping[str, str] = field(repr=False)

    @classmethod
    def make(cls, data_dir: Path, environ: Mapping[str, str]) -> "GitEnv":
        """Filter the person's configuration into `data_dir/gitconfig` (mode 0600).

        Raises:
            DataFolderUnusable: The file can't be written.
            Misconfigured: There is no git program.
        """
        kept = {name: environ[name] for name in _INHERITED if name in environ}
        entries = tuple(_wanted(_read(kept, environ)))
        file = data_dir / "gitconfig"
        _write(file, render((*entries, ("safe.directory", "*"))))
        own = {
            **kept,
            **_QUIET,
            **_as_variables(_FORCED),
            "GIT_CONFIG_GLOBAL": str(file),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_LITERAL_PATHSPECS": "1",
        }
        if all(key != "core.sshcommand" for key, _ in entries):
            own["GIT_SSH_COMMAND"] = environ.get("GIT_SSH_COMMAND", _SSH)
        personal = {
            **kept,
            **_configuring(environ),
            **_QUIET,
            **_as_variables(_PERSONAL_FORCED),
        }
        return cls(own=own, personal=personal)


def render(entries: tuple[_Entry, ...]) -> bytes:
    """Return entries of `git config --list` as the text of a configuration file."""
    lines: list[str] = []
    for key, value in entries:
        section, _, rest = key.partition(".")
        middle, _, name = rest.rpartition(".")
        sub = f' "{_escaped(middle)}"' if middle else ""
        # A key without value means true, and differs from an empty value.
        said = "" if value is None else f' = "{_escaped_value(value)}"'
        lines.append(f"[{section}{sub}]\n\t{name}{said}\n")
    return "".join(lines).encode("utf-8", "surrogateescape")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _escaped_value(text: str) -> str:
    return _escaped(text).replace("\n", "\\n").replace("\t", "\\t")


def _configuring(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that say where the person's configuration lies."""
    names = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
    return {name: environ[name] for name in names if name in environ}


def _read(kept: Mapping[str, str], environ: Mapping[str, str]) -> tuple[_Entry, ...]:
    env = {**kept, **_configuring(environ), "LC_ALL": "C.UTF-8"}
    argv = ("-C", "/", "config", "--list", "-z", "--show-scope", "--includes")
    answer = execute(argv, env=env, timeout_s=_READ_TIMEOUT_S)
    if answer.code != 0:
        raise diagnose(argv, answer.code, answer.stderr)
    fields = answer.stdout.decode("utf-8", "surrogateescape").split("\0")
    # The root of the file system may be a repository of its own.
    return tuple(
        _parsed(entry)
        for scope, entry in zip(fields[::2], fields[1::2], strict=False)
        if scope in {"system", "global"}
    )


def _parsed(entry: str) -> _Entry:
    key, newline, value = entry.partition("\n")
    return key, value if newline else None


def _wanted(entries: tuple[_Entry, ...]) -> Iterator[_Entry]:
    for key, value in entries:
        is_rewrite = key.startswith("url.") and key.endswith(
            (".insteadof", ".pushinsteadof")
        )
        is_access = key.startswith(("credential.", "http."))
        if is_rewrite or is_access or key in {"core.sshcommand", "ssh.variant"}:
            yield key, value


def _as_variables(settings: Mapping[str, str]) -> dict[str, str]:
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for index, (key, value) in enumerate(settings.items()):
        variables[f"GIT_CONFIG_KEY_{index}"] = key
        variables[f"GIT_CONFIG_VALUE_{index}"] = value
    return variables


def _write(file: Path, text: bytes) -> None:
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if _is_current(file, text):
            return
        temporary.unlink(missing_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
        with os.fdopen(descriptor, "wb") as out:
            out.write(text)
        temporary.replace(file)
    except OSError as error:
        raise DataFolderUnusable(
            f"the git configuration can't be written to {file}: {error}"
        ) from error


def _is_current(file: Path, text: bytes) -> bool:
    try:
        is_private = file.stat().st_mode & 0o777 == _PRIVATE
        return is_private and file.read_bytes() == text
    except FileNotFoundError:
        return False
