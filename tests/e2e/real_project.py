"""A package of the public index as a repository, and what people do around the bot."""

import ast
import os
import re
import shlex
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from e2e_world import Person, World, gap_line

from bot.domain.record import CycleRecord
from bot.start.interpreter import interpreter_folder

NAME = "boltons"
VERSION = "26.2.0"
SHA256 = "d39cfd15c1a1c3bd4d705c82252fa9edb8e4f5e8cc039f8e39afac7b1b47e92c"
TOOLS = ("pytest==9.2.0", "pyupgrade==3.22.0", "ruff==0.17.6")
BASE = (".git/refs/heads/main", ".git/logs/refs/heads/main")
"""What a merge changes in the repository of a person who stands on another branch."""

_PASSED = re.compile(r"\b(\d+) passed")


@dataclass(frozen=True, slots=True)
class Wish:
    """A gap and the command that closes it.

    Attributes:
        gap_id: Its id, and the name of its recipe.
        run: For the shell, with the tools on PATH.
        tags: What else stands on its line.
    """

    gap_id: str
    run: str
    tags: str = ""

    @property
    def line(self) -> str:
        """The line of the requirements document."""
        return gap_line(self.gap_id, f" [recipe:{self.gap_id}]{self.tags}")

    @property
    def recipe(self) -> str:
        """The command as the bot's config has it."""
        return f". .venv/bin/activate && {self.run}"

    def ticked_in(self, text: str) -> str:
        """Return a requirements document with this line ticked."""
        assert 1 == text.count(self.line)
        return text.replace(self.line, self.line.replace("[ ]", "[x]"))


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a person does by hand what the bot does: an environment with the tools.

    Attributes:
        folder: A folder of its own.
    """

    folder: Path

    @classmethod
    def set_up(cls, folder: Path) -> "Desk":
        """Make the environment and fetch the release; skips without a package index."""
        desk = cls(folder)
        subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
        desk._pip("install", *TOOLS)
        wanted = folder / "wanted.txt"
        wanted.write_text(f"{NAME}=={VERSION} --hash=sha256:{SHA256}\n")
        source = ("--no-deps", "--no-binary", NAME, "--require-hashes")
        desk._pip("download", *source, "-r", str(wanted), "-d", str(folder))
        return desk

    def sdist(self) -> dict[str, bytes]:
        """Return the files of the package's source release."""
        (path,) = self.folder.glob(f"{NAME}-*.tar.gz")
        with tarfile.open(path) as archive:
            return {
                member.name.partition("/")[2]: file.read()
                for member in archive
                if (file := archive.extractfile(member))
            }

    def after(self, world: World, base: str, *wishes: Wish) -> dict[str, str]:
        """Return the tree that these commands make of a base, in a plain clone."""
        clone = self.clone(world)
        clone.git("checkout", "-q", "--detach", base)
        path = f"{self.folder / 'env' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        for wish in wishes:
            subprocess.run(
                ["sh", "-c", wish.run],
                check=True,
                cwd=clone.path,
                env={**os.environ, "PATH": path},
                stdout=subprocess.DEVNULL,
            )
        clone.git("add", "-A")
        return entries(clone, clone.git("write-tree"))

    def merge(self, world: World, branch: str) -> None:
        """Merge a branch and push that, with git alone."""
        clone = self.clone(world)
        clone.git("merge", "-q", "--no-ff", "-m", "Merge", f"origin/{branch}")
        clone.git("push", "-q", "origin", "HEAD:main")

    def clone(self, world: World) -> Person:
        """Return a new clone of the person's repository, on its base."""
        number = len(list(self.folder.glob("clone-*")))
        path = self.folder / f"clone-{number}"
        world.person.git("clone", "-q", "-b", "main", ".", str(path))
        return Person(path)

    def _pip(self, command: str, *args: str) -> None:
        quiet = ("-q", "--disable-pip-version-check", "--retries", "1")
        done = subprocess.run(
            [str(self.folder / "env" / "bin" / "pip"), command, *quiet, *args],
            check=False,
            capture_output=True,
            text=True,
        )
        assert "HASH" not in done.stderr, done.stderr
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["it said nothing"]
            pytest.skip(f"no package index here: pip {command}: {said[-1]}")


def start(folder: Path, desk: Desk, wishes: Iterable[Wish]) -> World:
    """Return the package as a repository that wishes for these, and a config for it."""
    world = World(folder, [wish.line for wish in wishes], desk.sdist())
    python = interpreter_folder()
    world.configure(
        top="[limits]\nmax_open_prs = 10\nprs_per_day = 10"
        + (f'\n[sandbox]\ntools = ["{python}"]' if python else ""),
        policy="max_open_prs = 10\nprs_per_day = 10\nmax_files = 30\n"
        "attempts_per_gap = 1\nrequire_clean_tree = false",
        recipes={wish.gap_id: wish.recipe for wish in wishes},
        checks=["uname -n; .venv/bin/python -m pytest -q"],
        after="[[repo.setup]]\nkey = ['pyproject.toml']\nrun = '''python3 -m venv .venv"
        f" && .venv/bin/pip install -q {shlex.join(TOOLS)}'''",
    )
    return world


def leave_unfinished(person: Person) -> None:
    """Leave the checkout as in the midst of work, on a branch beside the base."""
    person.git("checkout", "-q", "-b", "mine")
    person.write({"README.md": "half a sentence", "staged.txt": "staged\n"})
    person.git("add", "staged.txt")
    person.write({"staged.txt": "and changed since\n", "notes.txt": "untracked\n"})


def entries(repository: Person, tree: str) -> dict[str, str]:
    """Return mode and object of every file of a tree."""
    listed = repository.git("ls-tree", "-r", "-z", tree).split("\0")
    pairs = (entry.partition("\t") for entry in listed if entry)
    return {path: facts for facts, _, path in pairs}


def without_prd(files: Mapping[str, str]) -> dict[str, str]:
    """Return a tree less the requirements document."""
    return {path: facts for path, facts in files.items() if path != "PRD.md"}


def passed(output: str) -> int:
    """Return how many tests a run of pytest says have passed."""
    (count,) = _PASSED.findall(output)
    return int(count)


def functions_of_tests(files: Mapping[str, bytes | str]) -> int:
    """Return how many test functions stand in the files."""
    return sum(
        isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        for path, source in files.items()
        if path.startswith("tests/test_") and path.endswith(".py")
        for node in ast.walk(ast.parse(source))
    )


def ran_on(record: CycleRecord) -> tuple[str, int]:
    """Return on which machine the checks of a cycle ran, and how many tests passed."""
    machine = record.tests_output.splitlines()[1]
    return machine, passed(record.tests_output)
