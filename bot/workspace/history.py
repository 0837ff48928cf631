"""Reading commits, trees and blobs of the clone; every name is taken literally."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.workspace.git import Git
from bot.workspace.paths import matches

_GLOB = re.compile(r"[*?\[\\]")
_REGULAR = frozenset({"100644", "100755"})
_NOT_ANCESTOR = 1


@dataclass(frozen=True, slots=True)
class BlobFile:
    """A regular file of a commit and the blob that it holds."""

    path: str
    blob: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a tree; `mode` as git writes it, e.g. `100644`."""

    mode: str
    oid: str
    path: str


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """What is read of a commit: who made it, and its whole message."""

    sha: str
    author_email: str
    committer_email: str
    body: str


def entries(git: Git, sha: str, *options: str, path: str = "") -> tuple[Entry, ...]:
    """Return what `git ls-tree` lists of a commit, or of one path of it."""
    where = ("--", sha, path) if path else ("--", sha)
    out = git.run("ls-tree", "-z", "--full-tree", *options, *where)
    return tuple(_parse(line) for line in out.split(b"\0") if line)


def files(git: Git, sha: str, globs: Sequence[str]) -> tuple[BlobFile, ...]:
    """Return the regular files of a commit that match a glob, in path order."""
    # A glob without "/" matches at any depth, so only one with it can be looked up.
    literal = [g for g in globs if "/" in g and not _GLOB.search(g)]
    if len(literal) == len(globs):
        listed = [
            e for glob in literal for e in entries(git, sha, "-r", path=glob.strip("/"))
        ]
    else:
        listed = list(entries(git, sha, "-r"))
    found = {
        e.path: e.oid for e in listed if e.mode in _REGULAR and matches(globs, e.path)
    }
    return tuple(BlobFile(path, found[path]) for path in sorted(found))


def blob(git: Git, blob_id: str) -> bytes:
    """Return the content of a blob."""
    return git.run("cat-file", "blob", blob_id)


def read(git: Git, sha: str, path: str) -> bytes | None:
    """Return a regular file of a commit as git stores it; None when there is none."""
    for entry in entries(git, sha, path=path):
        if entry.path == path and entry.mode in _REGULAR:
            return blob(git, entry.oid)
    return None


def log(git: Git, revisions: str, layout: str) -> str:
    """Return `git log --format=<layout>` of a revision range."""
    return git.text("log", f"--format={layout}", "--end-of-options", revisions, "--")


def is_ancestor(git: Git, ancestor: str, descendant: str) -> bool:
    """Say whether a commit is in the history of another."""
    arguments = ("--is-ancestor", "--end-of-options", ancestor, descendant)
    answer = git.call("merge-base", *arguments)
    if answer.code != _NOT_ANCESTOR:
        git.check(("merge-base", *arguments), answer)
    return answer.code == 0


def patch_id(git: Git, sha: str) -> str:
    """Return what identifies a commit's change; empty for one without a change."""
    patch = git.run("diff-tree", "-p", "--root", "--full-index", "--no-renames", sha)
    said = git.text("patch-id", "--stable", input=patch)
    return said.split(" ", 1)[0]


def format_patch(git: Git, sha: str) -> bytes:
    """Return a commit as `git am` takes it."""
    return git.run(
        "format-patch",
        "-1",
        "--stdout",
        "--binary",
        "--full-index",
        "--no-renames",
        "--no-signature",
        sha,
    )


def commits_between(git: Git, old: str, new: str) -> Iterator[CommitInfo]:
    """Yield the commits of `new` that `old` lacks, newest first."""
    out = git.run(
        "log",
        "-z",
        "--encoding=UTF-8",
        "--format=%H%n%ae%n%ce%n%B",
        "--end-of-options",
        new,
        f"^{old}",
        "--",
    )
    for part in out.decode("utf-8", "replace").split("\0"):
        if part:
            sha, author, committer, body = part.split("\n", 3)
            yield CommitInfo(sha, author, committer, body)


def _parse(line: bytes) -> Entry:
    facts, _, path = line.partition(b"\t")
    mode, _, oid = facts.decode("ascii").split(" ")
    return Entry(mode, oid, path.decode("utf-8", "surrogateescape"))
