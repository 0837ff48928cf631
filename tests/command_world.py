"""A person's repository, a config for it, and the command line run in this process."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.cli.main import run
from bot.settings.load import Loaded, load_settings

PRD = """\
# Wishes

- [ ] Say hello [bot-eligible] [id:hello]
"""
COMMANDS = """
[[repo.recipe]]
name = "hello"
run = "echo hello > hello.txt"

[[repo.check]]
run = "true"
"""


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be JSON alone."""
        return json.loads(self.out)


class World:
    """A folder with a repository `wishes` and a config.

    Args:
        folder: Where it all lies.
        captured: Returns and forgets what was written so far.
    """

    def __init__(self, folder: Path, captured: Callable[[], tuple[str, str]]) -> None:
        self.folder = folder
        self.repo = folder / "wishes"
        self.data = folder / "data"
        self.config = folder / "config" / "bot.toml"
        self.env = dict(os.environ)
        self._captured = captured
        self.git("init", "-q", "-b", "main", str(self.repo), at=folder)
        self.commit({"PRD.md": PRD})
        self.configure()

    def git(self, *args: str, at: Path | None = None) -> str:
        """Run git as the person does."""
        command = ["git", "-C", str(at or self.repo), *args]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, files: Mapping[str, str]) -> str:
        """Commit files on the branch that is checked out."""
        for name, text in files.items():
            (self.repo / name).parent.mkdir(parents=True, exist_ok=True)
            (self.repo / name).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Wish")
        return self.git("rev-parse", "HEAD")

    def configure(
        self,
        top: str = "",
        keys: str = 'base = "main"',
        commands: str = COMMANDS,
        path: str = "../wishes",
        more: str = "",
    ) -> None:
        """Write the config of one repository, and what else is given."""
        head = f'{top}\n[[repo]]\nname = "wishes"\npath = "{path}"\n{keys}\n'
        self.config.parent.mkdir(exist_ok=True)
        self.config.write_text(head + commands + more)

    def loaded(self) -> Loaded:
        """Load the config."""
        return load_settings(self.config, self.env, self.folder)

    def run(self, *arguments: str) -> Ran:
        """Run the command line with the config."""
        return self.bare("--config", str(self.config), *arguments)

    def bare(self, *arguments: str) -> Ran:
        """Run the command line as it is."""
        self._captured()
        code = run(list(arguments), self.env)
        return Ran(code, *self._captured())
