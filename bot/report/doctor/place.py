"""The repository where it lies: there, ours to push to, whole, and with which hooks."""

import os
import pwd
from collections.abc import Iterator
from pathlib import Path

from bot.errors import GitFailed
from bot.report.doctor.data_folder import may_write
from bot.report.doctor.finding import Finding, fail, ok, warn
from bot.report.doctor.subject import Place, Subject, find_place
from bot.workspace.diagnose import without_credentials
from bot.workspace.git import Git

_SHOWN = 3
# What git runs in a repository that is pushed to.
_RECEIVING = (
    "pre-receive",
    "update",
    "proc-receive",
    "post-receive",
    "post-update",
    "reference-transaction",
)


def path(subject: Subject) -> Iterator[Finding]:
    """Look whether there is a repository at the path."""
    repo = subject.repo
    if repo.is_url:
        advice = "" if subject.online else "`bot doctor --online` looks at it"
        yield ok("path", without_credentials(repo.path), advice)
        return
    if not Path(repo.path).is_dir():
        yield fail("path", f"there is no folder {repo.path}", "correct `path`")
        return
    try:
        place = find_place(subject)
    except GitFailed as error:
        advice = f"correct `path`, or `git init {repo.path}`"
        yield fail("path", f"{repo.path} is no git repository: {error.stderr}", advice)
        return
    if place.inside:
        root = repo.path.removesuffix("/" + place.inside.rstrip("/"))
        detail = f"{repo.path} is a folder inside a repository, not its root"
        yield fail("path", detail, f'set path = "{root}"')
        return
    kind = "bare repository" if place.is_bare else "checkout"
    yield ok("path", f"{kind} at {repo.path}")
    if place.is_shallow:
        yield warn(
            "path",
            "it is shallow: what was merged before its boundary can't be seen",
            f"git -C {repo.path} fetch --unshallow",
        )


def owner(subject: Subject) -> Iterator[Finding]:
    """Look whose repository it is: what a push makes there belongs to the bot's user."""
    place = subject.place
    if place is None:
        return
    own, theirs = os.geteuid(), place.git_dir.stat().st_uid
    objects = place.git_dir / "objects"
    if not may_write(objects):
        detail = f"this user may not write to {objects}, so no branch can be pushed"
        yield fail("owner", detail, f"run the bot as {_name(theirs)}")
    elif own != theirs:
        yield warn(
            "owner",
            f"it belongs to {_name(theirs)} and the bot runs as {_name(own)}: files "
            "that its pushes make there will belong to the latter",
            f"run the bot as {_name(theirs)}",
        )
    else:
        yield ok("owner", f"{_name(own)}, like the bot")


def hooks(subject: Subject) -> Iterator[Finding]:
    """Say which hooks of the repository run at each push, unconfined."""
    place = subject.place
    if place is None:
        return
    folder = _hooks_folder(place, subject)
    found = [n for n in _RECEIVING if os.access(folder / n, os.X_OK)]
    if found:
        names = ", ".join(found)
        yield ok("hooks", f"{names} in {folder} run when the bot pushes, as its user")
    else:
        yield ok("hooks", "none run when the bot pushes")


def _hooks_folder(place: Place, subject: Subject) -> Path:
    git = Git(place.git_dir, subject.git_env())
    answer = git.call("config", "--local", "--type=path", "--get", "core.hooksPath")
    set_to = os.fsdecode(answer.stdout).strip()
    return place.git_dir / set_to if set_to else place.git_dir / "hooks"


def dirty(subject: Subject) -> Iterator[Finding]:
    """Look for uncommitted changes where cycles wait for a clean checkout."""
    from bot.workspace.checkout import look  # noqa: PLC0415 - only for a checkout

    rooms = subject.rooms
    wanted = rooms.repo.policy.require_clean_tree
    is_required = rooms.repo.forge == "local" if wanted is None else wanted
    if rooms.checkout is None or not is_required or subject.place is None:
        return
    ours = (rooms.config_path, rooms.settings.data_dir)
    paths = look(rooms.checkout, subject.git_env(), ours).dirty
    if not paths:
        yield ok("checkout", "clean")
        return
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    yield warn(
        "checkout",
        f"cycles wait while it has uncommitted changes: {', '.join(paths[:_SHOWN])}{more}",
        "commit or ignore them, or set policy.require_clean_tree = false",
    )


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
