"""Commits and trees made from parts, without a working tree and without a hook."""

import os
import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from bot.errors import ApplyFailed
from bot.workspace.git import Git
from bot.workspace.paths import shown
from bot.workspace.text import split_lines

SUBJECT_LENGTH = 72

_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# What git, a forge or `git am` would act on: trailers, headers in the body, the start of
# a patch or of the next mail.
_SPEAKS_TO_A_PROGRAM = re.compile(
    r"\s*(?:bot-[a-z0-9-]*|[a-z0-9-]+-by|from|subject|date)\s*:"
    r"|\s*(?:---|diff -|index: |>?from .*[0-9]:[0-9]|-+ ?(?:8<|>8|%<|>%))",
    re.IGNORECASE,
)
_DROPPED = frozenset({"Cc", "Cs"})
_TOKEN = re.compile(r"[A-Za-z0-9-]+")


class Identity(Protocol):
    """Who a commit is by."""

    @property
    def name(self) -> str:
        """The name."""
        ...

    @property
    def email(self) -> str:
        """The address."""
        ...


def message_of(subject: str, body: str, trailers: Sequence[tuple[str, str]]) -> str:
    """Return a commit message in which only our own trailers can be read as such.

    Subject, body and trailer values are untrusted: control characters go, the subject
    is one line of at most 72 characters, and a line of the body that a program would
    act on is quoted with `> `.
    """
    paragraphs = [_subject(subject), _body(body)]
    lines = [f"{_token(name)}: {_one_line(value)}" for name, value in trailers]
    paragraphs.append("\n".join(lines))
    return "\n\n".join(part for part in paragraphs if part) + "\n"


def commit(
    git: Git,
    tree_sha: str,
    parent_sha: str,
    message: str,
    identity: Identity,
    when: datetime,
) -> str:
    """Make a commit object by one identity at one moment, unsigned, and return its id."""
    moment = f"@{int(when.timestamp())} {when.strftime('%z') or '+0000'}"
    who = {}
    for role in ("AUTHOR", "COMMITTER"):
        who[f"GIT_{role}_NAME"] = _one_line(identity.name)
        who[f"GIT_{role}_EMAIL"] = _one_line(identity.email)
        who[f"GIT_{role}_DATE"] = moment
    return git.text(
        "-c",
        "i18n.commitEncoding=UTF-8",
        "commit-tree",
        "--no-gpg-sign",
        "-p",
        parent_sha,
        "-F",
        "-",
        tree_sha,
        input=_clean(message).encode(),
        env=who,
    )


def replace_file(git: Git, tree_sha: str, path: str, content: bytes) -> str:
    """Return the tree with one file's bytes replaced; its mode stays.

    The bytes are stored as they are: no line end is converted. Only the folders on the
    way to the file are written anew.

    Raises:
        ApplyFailed: The tree has no such file.
    """
    made = git.text("hash-object", "-w", "-t", "blob", "--stdin", input=content)
    way: list[tuple[list[_Entry], _Entry]] = []
    tree, names = tree_sha, os.fsencode(path).split(b"/")
    for depth, name in enumerate(names, start=1):
        entries = _listing(git, tree)
        kind = b"blob" if depth == len(names) else b"tree"
        entry = next((e for e in entries if e.name == name and e.kind == kind), None)
        if entry is None or entry.mode == b"120000":
            raise ApplyFailed(f"{shown(path)} is no file of the tree {tree_sha}")
        way.append((entries, entry))
        tree = entry.sha.decode()
    for entries, old in reversed(way):
        new = old._replace(sha=made.encode())
        made = _make_tree(git, [new if entry is old else entry for entry in entries])
    return made


class _Entry(NamedTuple):
    mode: bytes
    kind: bytes
    sha: bytes
    name: bytes


def _listing(git: Git, tree: str) -> list[_Entry]:
    lines = git.run("ls-tree", "-z", "--full-tree", tree).split(b"\0")[:-1]
    split = (line.partition(b"\t") for line in lines)
    # ls-tree: mode, kind and id apart by spaces, then a tab and the name
    return [_Entry._make([*head.split(b" "), name]) for head, _, name in split]


def _make_tree(git: Git, entries: list[_Entry]) -> str:
    lines = (b"%b %b %b\t%b\0" % entry for entry in entries)
    return git.text("mktree", "-z", input=b"".join(lines))


def _subject(text: str) -> str:
    line = _one_line(text) or "(no summary)"
    if len(line) <= SUBJECT_LENGTH:
        return line
    return line[: SUBJECT_LENGTH - 1].rstrip() + "…"


def _body(text: str) -> str:
    lines = (_clean(line).rstrip() for line in split_lines(text))
    quoted = (
        f"> {line}" if _SPEAKS_TO_A_PROGRAM.match(line) else line for line in lines
    )
    return "\n".join(quoted).strip("\n")


def _token(name: str) -> str:
    if not _TOKEN.fullmatch(name):
        raise ValueError(f"{name!r} can't be the name of a trailer")
    return name


def _one_line(text: str) -> str:
    return " ".join(_clean(text).split())


def _clean(text: str) -> str:
    """Drop what is no text: control characters, turned direction, half surrogates."""
    kept = (c for c in text if c in "\n\t" or unicodedata.category(c) not in _DROPPED)
    return _BIDI.sub("", "".join(kept))
