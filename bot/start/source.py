"""Looks at the repository that a person names: where it is, its base, its files.

Everything is read from commits; nothing of the repository is run, and nothing written.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

from pydantic import TypeAdapter, ValidationError

from bot.errors import ConfigError, GitFailed
from bot.settings.forms import RepoPath, is_url
from bot.settings.leaks import has_password
from bot.start.base import Base, choose_base
from bot.workspace import fetch, history
from bot.workspace.git import Git, GitEnv

_FILES = frozenset({"100644", "100755"})
_LARGEST = 1 << 20  # of a file that is read for hints
_COMMIT = "so the bot has nothing to work on; commit something first"


class Files:
    """The files of one commit, each read when it is asked for."""

    def __init__(self, git: Git, sha: str) -> None:
        self._git = git
        self._sha = sha

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of all regular files, without names that no line can show."""
        entries = history.entries(self._git, self._sha, "-r")
        return frozenset(
            e.path for e in entries if e.mode in _FILES and e.path.isprintable()
        )

    def text(self, path: str) -> str:
        """Return a file's text; empty when there is none, or it is huge or no UTF-8."""
        if path not in self.paths:
            return ""
        name = f"{self._sha}:{path}"
        if int(self._git.text("cat-file", "-s", name)) > _LARGEST:
            return ""
        content = history.read(self._git, self._sha, path) or b""
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return ""


@dataclass(frozen=True, slots=True)
class Source:
    """A repository as it was found.

    Attributes:
        path: What the config calls it by: an absolute path or a URL.
        base: The branch to work on, and why that one.
        files: The files of the base.
    """

    path: str
    base: Base
    files: Files


@contextmanager
def open_source(text: str, cwd: Path, environ: Mapping[str, str]) -> Iterator[Source]:
    """Open the repository that `text` names: a folder in or of it, or a URL.

    Raises:
        ConfigError: There is no repository, or none that the bot can work on.
        Misconfigured: The URL is refused.
        Deferred: It can't be reached now.
    """
    with TemporaryDirectory(prefix="gapwright-") as scratch:
        env = GitEnv.make(Path(scratch), environ)
        if is_url(text) and not (cwd / text).exists():
            yield _remote(text, Path(scratch), env)
        else:
            yield _local(cwd / text, env)


def _local(path: Path, env: GitEnv) -> Source:
    root = _root(path, env)
    _refuse_odd(root)
    git = Git(None, env, Path(root), personal=True)
    base = choose_base(git)
    if base is None:
        raise ConfigError(f"{root} has no commit on a branch of a person, {_COMMIT}")
    sha = git.text("rev-parse", "--verify", f"refs/heads/{base.name}^{{commit}}")
    return Source(root, base, Files(git, sha))


def _root(path: Path, env: GitEnv) -> str:
    """Return the top folder of the checkout around the path, or the bare repository."""
    if not path.is_dir():
        raise ConfigError(
            f"{path} is no folder; name a checkout, a repository or a URL"
        )
    folder = path.resolve()
    if folder.name == ".git":
        folder = folder.parent
    git = Git(None, env, folder, personal=True)
    try:
        is_bare = git.text("rev-parse", "--is-bare-repository") == "true"
        what = "--absolute-git-dir" if is_bare else "--show-toplevel"
        return git.run("rev-parse", what).decode("utf-8", "surrogateescape")[:-1]
    except GitFailed as error:
        raise ConfigError(
            f"{folder} is no git repository and in none; run `git init` there, commit, "
            "and come back"
        ) from error


def _remote(url: str, scratch: Path, env: GitEnv) -> Source:
    _refuse_odd(url)
    if has_password(url):
        raise ConfigError(
            "the URL holds a password, and none may stand in the config: leave it out "
            "and let git's credential helper know it"
        )
    source = SimpleNamespace(name=url, is_url=True)
    branch = fetch.default_branch(Git(None, env), url, source)
    clone = scratch / "clone.git"
    Git(None, env).run(
        "clone",
        "--quiet",
        "--bare",
        "--depth=1",
        "--filter=blob:none",
        "--single-branch",
        "--no-tags",
        "--template=",
        f"--branch={branch}",
        "--",
        url,
        str(clone),
    )
    git = Git(clone, env)
    sha = git.text("rev-parse", "--verify", f"refs/heads/{branch}^{{commit}}")
    return Source(url, Base(branch, "the default branch of the URL"), Files(git, sha))


def _refuse_odd(path: str) -> None:
    """Refuse what no config can hold: control characters, odd schemes, no UTF-8."""
    try:
        path.encode("utf-8")
        TypeAdapter(RepoPath).validate_python(path)
    except UnicodeEncodeError as error:
        raise ConfigError(
            f"the path {path!a} is not UTF-8, so no config can name it; rename the "
            "folder or reach it by a link"
        ) from error
    except ValidationError as error:
        said = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise ConfigError(said) from error
