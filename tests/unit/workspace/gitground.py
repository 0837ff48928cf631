"""A person's repository on disk, and what the clone reads of its settings."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

IS_ROOT = os.geteuid() == 0


@dataclass(frozen=True, slots=True)
class Source:
    """The settings of a repository, as far as the clone reads them."""

    path: str
    name: str = "r"
    base: str | None = "main"
    prefix: str = "bot"
    is_url: bool = False


@dataclass(frozen=True, slots=True)
class Owner:
    """A user and group by number."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Person:
    """A person's repository, worked on with plain git."""

    path: Path

    def git(self, *args: str, data: bytes | None = None) -> str:
        """Run git there and return what it wrote, stripped."""
        done = subprocess.run(
            ["git", "-C", str(self.path), *args],
            input=data,
            check=True,
            capture_output=True,
        )
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def commit(self, files: dict[str, str | bytes | None], message: str = "m") -> str:
        """Write (or delete, for None) files, commit all and return the commit."""
        for name, content in files.items():
            file = self.path / name
            if content is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            data = content.encode() if isinstance(content, str) else content
            file.write_bytes(data)
        self.git("add", "-A", "-f", "--", ".")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.tip()

    def tip(self, name: str = "HEAD") -> str:
        """Return the commit that a name stands for."""
        return self.git("rev-parse", "--verify", name)

    def hook(self, name: str, script: str) -> None:
        """Install a hook."""
        git_dir = Path(self.git("rev-parse", "--absolute-git-dir"))
        file = git_dir / "hooks" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)


def listing(root: Path) -> set[str]:
    """Return every path below a folder but its `.git`, folders with a slash."""
    found: set[str] = set()
    for folder, folders, files in os.walk(root):
        inside = Path(folder).relative_to(root)
        found |= {f"{inside / name}/" for name in folders}
        found |= {str(inside / name) for name in files}
    return found - {".git"}
