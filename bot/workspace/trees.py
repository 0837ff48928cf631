"""Working trees of the clone: moved from commit to commit, never cloned again.

Untrusted commands write in a tree, so nothing in it is believed: git is told where the
repository and the tree are and never reads the tree's `.git`.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Protocol, Self

from bot.domain.change import FileEdit
from bot.errors import GitFailed
from bot.store.files import make_folder, usable
from bot.workspace.changes import read_changes
from bot.workspace.clone import Clone
from bot.workspace.git import Git
from bot.workspace.scour import Tracked, delete_tree, open_up, scour, strangers

SUBMODULE = b"160000"
_ATTRIBUTES = b".gitattributes"
_MANY = 200  # files whose contents are worth a writing of the index not to compare
_A_WHILE_S = 2.5  # the times in an index may be whole seconds


class Owner(Protocol):
    """Who runs untrusted commands in the tree, by number."""

    @property
    def uid(self) -> int:
        """The user."""
        ...

    @property
    def gid(self) -> int:
        """The group."""
        ...


class Tree:
    """A working tree with a detached HEAD.

    Attributes:
        path: Its folder.
        git: Commands on it.
        git_dir: Its own part of the clone: index and HEAD.
    """

    def __init__(self, clone: Clone, path: Path, owner: Owner | None) -> None:
        self._clone = clone
        self._owner = owner
        self.path = path
        self.git_dir = clone.path / "worktrees" / path.name
        self.git = Git(self.git_dir, clone.git.env, path)
        # Even commands on the index alone read the `.gitattributes` of the tree, and wait
        # for ever where that is a pipe; these see an empty tree.
        self._blind = Git(self.git_dir, clone.git.env, self.git_dir)
        self._trash = path.with_name(f".{path.name}.trash")
        self._owned = self.git_dir / "bot-owner"
        self._hasty = self.git_dir / "bot-hasty"

    @classmethod
    def open(cls, clone: Clone, path: Path, owner: Owner | None) -> Self:
        """Return the tree at `path`; its folder is made by the first `move_to`.

        Args:
            clone: The clone that it is a tree of.
            path: Its folder, under the bot's own data folder.
            owner: Who all in it is to belong to; None for the bot's own user.
        """
        return cls(clone, path, owner)

    def move_to(self, sha: str) -> None:
        """Make the tree hold exactly the files of a commit, whatever it held before.

        Raises:
            DataFolderUnusable: No room for it.
            Deferred: Another git process is at work in it.
            GitFailed: The commit can't be checked out.
        """
        with usable(self.path):
            self._clone.without_stale_locks(lambda: self._arrive(sha))

    @property
    def owner(self) -> Owner | None:
        """Who all in the tree belongs to; None for the bot's own user."""
        return self._owner

    def untracked(self) -> tuple[str, ...]:
        """Return what is in the tree beside the commit, ignored or not.

        A folder that holds nothing else is named once, with a `/` at its end.
        """
        open_up(self.path)
        # Not by git: what stands in a repository inside could lead it astray.
        found = strangers(self.path, self._tracked())
        return tuple(os.fsdecode(path) for path in found if path != b".git")

    def changes(self, base_sha: str) -> tuple[FileEdit, ...]:
        """Return what was changed in the tree since a commit, as wanted states.

        Files that the repository ignores are left out; renames are a deletion and an
        addition; contents are as they lie in the tree. The tree is for reading only
        afterwards, until it is moved.

        Raises:
            ApplyFailed: There is more of it than memory is for, or it can't be read.
        """
        open_up(self.path)
        self._point()
        self._index(base_sha)
        return read_changes(self.git, self.path, self._trash)

    def _arrive(self, sha: str) -> None:
        open_up(self.path)  # a command may have closed even that to its own user
        if self._is_whole():
            try:
                self._switch(sha)
            except GitFailed:
                # A damaged index, say: made anew, as nothing in a tree can be lost.
                pass
            else:
                return
        self._remove()
        self._add(sha)
        self._switch(sha)

    def _is_whole(self) -> bool:
        is_folder = self.path.is_dir() and not self.path.is_symlink()
        return is_folder and (self.git_dir / "HEAD").is_file()

    def _remove(self) -> None:
        make_folder(self.path.parent)
        delete_tree(self.path, self._trash)
        delete_tree(self.git_dir, self._trash)

    def _add(self, sha: str) -> None:
        options = ("--quiet", "--no-checkout", "--detach", "--force")
        self._clone.git.run("worktree", "add", *options, "--", str(self.path), sha)

    def _switch(self, sha: str) -> None:
        """Bring index, files and HEAD to a commit, writing only what differs."""
        self._point()
        self._index(sha)
        self._blind.run("update-ref", "--no-deref", "HEAD", sha)
        scour(self.path, self._tracked(), self._trash)
        is_new = self._owner is not None and not self._is_owned_by(self._owner)
        self._owned.unlink(missing_ok=True)
        written = self._rewrite_modified()
        if self._owner is not None:
            self._give(self._owner, self._listed() if is_new else written)
        if written or is_new:
            self._refresh(None if is_new else written)
        self._calm()
        if is_new or len(written) > _MANY:
            self._hasty.touch()

    def _calm(self) -> None:
        """Write the index once more, a while after many files were written with it.

        Git compares the content of a file that is not older than the index, each time
        it looks; after this it needs to look at the times only.
        """
        with suppress(FileNotFoundError):
            if time.time() - self._hasty.stat().st_mtime < _A_WHILE_S:
                return
            command = ("update-index", "-q", "--refresh", "--force-write-index")
            self.git.run(*command, ok=(0, 1))
            self._hasty.unlink()

    def _index(self, sha: str) -> None:
        """Bring the index to a commit; what it knows of other files is kept."""
        options = ("--cached", "--raw", "-z", "--no-renames", "-R")
        if (self.git_dir / "index.lock").exists():
            # Met here, where a stale one is cleared, and not by a later step.
            self._blind.run("read-tree", "--reset", sha)
        out = self._blind.run("diff-index", *options, sha, "--")
        fields = out.split(b"\0")
        wanted = []
        for facts, path in zip(fields[::2], fields[1::2], strict=False):
            _, mode, _, oid, _ = facts.split(b" ")
            wanted.append(b"%b %b\t%b\0" % (mode, oid, path))
        # Removals first, so that a file can make room for a folder of its name.
        wanted.sort(key=lambda line: not line.startswith(b"000000"))
        if wanted:
            self._blind.run(
                "update-index", "-z", "--index-info", input=b"".join(wanted)
            )

    def _rewrite_modified(self) -> set[bytes]:
        """Write every file anew that isn't as the index says; return which."""
        out = self.git.run(
            "diff-files", "--ignore-submodules=dirty", "--name-only", "-z"
        )
        modified = {path for path in out.split(b"\0") if path}
        # How a file is written depends on the attributes that lie in the tree by then.
        attributes = {p for p in modified if p.rpartition(b"/")[2] == _ATTRIBUTES}
        for paths in (attributes, modified - attributes):
            if paths:
                self.git.run(
                    *("checkout-index", "--force", "--quiet", "-z", "--stdin"),
                    input=b"\0".join(sorted(paths)),
                )
        return modified

    def _refresh(self, paths: set[bytes] | None) -> None:
        """Tell the index of the new change times; None is all files."""
        if paths is None:
            self.git.run("update-index", "-q", "--refresh", ok=(0, 1))
            return
        self.git.run(
            *("add", "--refresh", "--pathspec-from-file=-", "--pathspec-file-nul"),
            input=b"\0".join(sorted(paths)),
        )

    def _point(self) -> None:
        """Write `.git` anew, for people and for git inside the sandbox."""
        pointer = self.path / ".git"
        wanted = f"gitdir: {self.git_dir}\n"
        if pointer.is_symlink() or not pointer.is_file():
            delete_tree(pointer, self._trash)
        elif pointer.stat().st_nlink == 1 and pointer.read_text("utf-8") == wanted:
            return
        pointer.unlink(missing_ok=True)
        pointer.write_text(wanted, "utf-8")

    def _tracked(self) -> Tracked:
        lines = self._blind.run("ls-files", "--stage", "-z").split(b"\0")[:-1]
        # Each line is mode, id and stage, of one width all over, and the path.
        start = lines[0].index(b"\t") + 1 if lines else 0
        submodules = [x[start:] for x in lines if x.startswith(SUBMODULE)]
        files = [x[start:] for x in lines if not x.startswith(SUBMODULE)]
        return Tracked(files, submodules)

    def _listed(self) -> set[bytes]:
        listed = self._blind.run("ls-files", "-z").split(b"\0")
        return {path for path in listed if path}

    def _is_owned_by(self, owner: Owner) -> bool:
        try:
            return self._owned.read_text("ascii") == f"{owner.uid}:{owner.gid}"
        except (FileNotFoundError, UnicodeDecodeError):
            return False

    def _give(self, owner: Owner, written: set[bytes]) -> None:
        """Let the owner have what git wrote."""
        root = os.fsencode(self.path)
        # A file of a folder that git made anew: the folders above may be root's too.
        for path in {b"", *written, *_folders(written)}:
            full = root + b"/" + path if path else root
            if os.path.lexists(full):
                os.chown(full, owner.uid, owner.gid, follow_symlinks=False)
                # Git looks at whole seconds. A file written in one and given away in a
                # later one could be changed in that same second, with its old time of
                # change put back, and would pass for unchanged ever after.
                os.utime(full, follow_symlinks=False)
        self._owned.write_text(f"{owner.uid}:{owner.gid}", "ascii")


def _folders(paths: set[bytes]) -> set[bytes]:
    found: set[bytes] = set()
    for path in paths:
        folder = path.rpartition(b"/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition(b"/")[0]
    return found
