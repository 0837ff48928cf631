"""Reading what a command left in a working tree, as wanted states of paths.

Git runs what the configuration of a repository inside the tree says, waits for pipes and
takes files of any size, so the tree is made harmless before git looks at it, and nothing
is stored: contents are read here, once there is known to be little enough.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from bot.domain.change import FileEdit, Kind
from bot.errors import ApplyFailed, GitFailed
from bot.workspace.git import Git
from bot.workspace.paths import shown
from bot.workspace.settle import settle

MOST_BYTES = 256 * 1024 * 1024
MOST_PATHS = 10_000

_SUBMODULE = "160000"
_KINDS: dict[str, Kind] = {"120000": "symlink", _SUBMODULE: "submodule"}
_REPOSITORY = b""  # what stands for the content of a repository inside the tree


def read_changes(git: Git, root: Path, trash: Path) -> tuple[FileEdit, ...]:
    """Return how the tree differs from the commit that its index holds.

    Pipes, sockets, devices and the git folders of repositories inside are deleted; such a
    repository is told as a submodule, unless it is ignored.

    Raises:
        ApplyFailed: The changed files are over 256 MB together or over 10,000, or git
            can't read the tree as it was left.
    """
    repositories = settle(root, trash)
    try:
        kinds = _changed(git) | _others(git, repositories)
    except GitFailed as error:
        raise ApplyFailed(f"what was left in {root} can't be read: {error}") from error
    if len(kinds) > MOST_PATHS:
        raise ApplyFailed(f"{len(kinds)} files changed in {root}: over {MOST_PATHS}")
    room = MOST_BYTES - sum(_size(root, path) for path in kinds)
    if room < 0:
        raise ApplyFailed(
            f"the changed files in {root} are over {MOST_BYTES >> 20} MB together"
        )
    return tuple(_edit(root, path, kinds[path]) for path in sorted(kinds))


def _changed(git: Git) -> dict[bytes, Kind]:
    """Return the tracked paths that changed, and what each was in the commit."""
    seen = _differing(git)
    # A deleted one may lie behind a symlink by now, and nothing can be compared there.
    touched = [path for path, facts in seen.items() if _is_touched(facts)]
    if touched and len(touched) <= MOST_PATHS:
        # What was only touched is compared now, and is no change then.
        git.run(
            *("add", "--refresh", "--pathspec-from-file=-", "--pathspec-file-nul"),
            input=b"\0".join(touched),
            ok=(0, 1),
        )
        seen = _differing(git)
    return {path: _KINDS.get(_old_mode(facts), "file") for path, facts in seen.items()}


def _is_touched(facts: bytes) -> bool:
    return _old_mode(facts) != _SUBMODULE and not facts.endswith(b"D")


def _old_mode(facts: bytes) -> str:
    return facts[1:7].decode("ascii")


def _differing(git: Git) -> dict[bytes, bytes]:
    """Return paths that are not as the index knows them: modes, ids and a letter of each.

    Without `--ignore-submodules` git starts `git status` in each submodule, under its
    own configuration.
    """
    out = git.run("diff-files", "--ignore-submodules=dirty", "--raw", "-z")
    fields = out.split(b"\0")
    return dict(zip(fields[1::2], fields[::2], strict=False))


def _others(git: Git, repositories: Iterable[bytes]) -> dict[bytes, Kind]:
    """Return the paths that are neither tracked nor ignored, repositories too."""
    out = git.run("ls-files", "--others", "--exclude-standard", "-z")
    found: dict[bytes, Kind] = dict.fromkeys(filter(None, out.split(b"\0")), "file")
    return found | dict.fromkeys(_not_ignored(git, repositories), "submodule")


def _not_ignored(git: Git, folders: Iterable[bytes]) -> Iterator[bytes]:
    # This command takes patterns and nothing else, and `./` keeps a colon from being one.
    asked = b"".join(b"./%b\0" % folder for folder in folders)
    if asked:
        patterns = {"GIT_LITERAL_PATHSPECS": "0"}
        command = ("check-ignore", "-z", "--stdin")
        out = git.run(*command, input=asked, ok=(0, 1), env=patterns)
        told = asked.split(b"\0")[:-1]
        ignored = set(out.split(b"\0"))
        yield from (path.removeprefix(b"./") for path in told if path not in ignored)


def _edit(root: Path, path: bytes, old: Kind) -> FileEdit:
    name = path.decode("utf-8", "surrogateescape")
    if old == "submodule":
        return FileEdit(name, _REPOSITORY, kind=old)
    full = os.fsencode(root) + b"/" + path
    try:
        return _as_it_lies(full, name, old)
    except OSError as error:
        raise ApplyFailed(f"{shown(name)} can't be read: {error.strerror}") from error


def _as_it_lies(full: bytes, name: str, old: Kind) -> FileEdit:
    mode = _mode(full)
    if stat.S_ISLNK(mode):
        target = Path(os.fsdecode(full)).readlink()
        return FileEdit(name, os.fsencode(target), kind="symlink")
    if not stat.S_ISREG(mode):
        return FileEdit(name, None, kind=old)
    return FileEdit(name, _content(full), executable=bool(mode & stat.S_IXUSR))


def _content(full: bytes) -> bytes:
    handle = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        return file.read()


def _size(root: Path, path: bytes) -> int:
    full = os.fsencode(root) + b"/" + path
    return os.lstat(full).st_size if stat.S_ISREG(_mode(full)) else 0


def _mode(full: bytes) -> int:
    """Return the mode of what stands there; 0 for nothing, also below a file or link."""
    try:
        return os.lstat(full).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0
