"""The stored edits of a cycle on a base that has moved."""

import os
from collections.abc import Iterable

from bot.errors import Conflict
from bot.workspace.diagnose import diagnose
from bot.workspace.git import Git
from bot.workspace.names import misfit
from bot.workspace.paths import shown

_CONFLICT = 1
# Fixed, so that the same trees give the same commits and nothing piles up.
_WHO = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (
        ("NAME", "gapwright"),
        ("EMAIL", "gapwright@localhost"),
        ("DATE", "@0 +0000"),
    )
}


def rebuild(git: Git, edits_sha: str, new_base: str) -> str:
    """Return the tree of the new base with the edits of a commit put on it.

    Only trees are merged, by commits made for that, so it also works where the base
    was rewritten and shares no history any more. Renames are not followed: an edit
    stays at the path that was checked. Edits that the base already has give the base's
    own tree.

    Args:
        git: Git on the clone.
        edits_sha: A commit whose one parent is the base it was made on.
        new_base: The commit to build on.

    Raises:
        Conflict: The edits no longer fit; the message names the files.
    """
    old = _commit(git, f"{edits_sha}^1")
    ours = _commit(git, new_base, old)
    theirs = _commit(git, edits_sha, old)
    argv = (
        "-c",
        "merge.renames=false",
        "-c",
        "merge.directoryRenames=false",
        "merge-tree",
        "--write-tree",
        "--name-only",
        "--no-messages",
        "-z",
        ours,
        theirs,
    )
    answer = git.call(*argv)
    tree, *files = answer.stdout.rstrip(b"\0").split(b"\0")
    if answer.code == _CONFLICT and files:
        raise _conflict(new_base, (os.fsdecode(file) for file in files))
    if answer.code != 0:
        raise diagnose(argv, answer.code, answer.stderr)
    made = tree.decode()
    _check(git, old, theirs, ours, made, new_base)
    return made


def _commit(git: Git, source: str, *parents: str) -> str:
    given = [part for parent in parents for part in ("-p", parent)]
    tree = git.text("rev-parse", "--verify", f"{source}^{{tree}}")
    return git.text("commit-tree", *given, tree, input=b"", env=_WHO)


def _conflict(new_base: str, files: Iterable[str]) -> Conflict:
    names = ", ".join(shown(file) for file in dict.fromkeys(files))
    return Conflict(f"the edits no longer fit the base {new_base[:12]}: {names}")


def _check(
    git: Git, old: str, theirs: str, ours: str, made: str, new_base: str
) -> None:
    edited, changed = _status(git, old, theirs), _status(git, ours, made)
    # Git before 2.50 follows renames of files whatever the configuration says.
    if changed.keys() - edited.keys():
        raise _conflict(new_base, sorted(changed.keys() ^ edited.keys()))
    added = {path for path, status in changed.items() if status == "A"}
    reason = misfit(added, _paths(git, made) - added) if added else None
    if reason is not None:
        raise Conflict(f"the edits no longer fit the base {new_base[:12]}: {reason}")


def _status(git: Git, before: str, after: str) -> dict[str, str]:
    out = git.run(
        "diff-tree", "-r", "--name-status", "-z", "--no-renames", before, after
    )
    fields = out.decode("utf-8", "surrogateescape").split("\0")
    return dict(zip(fields[1::2], fields[::2], strict=False))


def _paths(git: Git, tree: str) -> frozenset[str]:
    out = git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree)
    return frozenset(out.decode("utf-8", "surrogateescape").split("\0")[:-1])
