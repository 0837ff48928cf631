"""A person's repository, a config and the real command, for tests from end to end."""

import contextlib
import hashlib
import io
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.app import App
from bot.cli.main import run
from bot.cycle.rooms import Options
from bot.cycle.tick import run_tick
from bot.domain.outcome import Outcome, exit_code
from bot.domain.record import CycleRecord
from bot.settings.load import load_settings

ROOT = Path(__file__).parents[2]
WRITE = 'echo "$BOT_GAP_ID" > "$BOT_GAP_ID.txt"'
"""A recipe that closes any gap by a file of its own."""

GATED = f"touch started; until [ -e go ]; do sleep 0.02; done; rm go started; {WRITE}"
"""The same, which waits in mid-recipe until the test says go."""

ROOMY = "max_open_prs = 40\nprs_per_day = 40"
HELLO = "- [ ] Say hello [bot-eligible] [id:hello]"

SEEN: set[Outcome] = set()
"""The outcomes whose records the running test has read."""

_OWN = (
    ".git/objects/",
    *(
        f".git/{place}heads/bot{end}"
        for place in ("refs/", "logs/refs/")
        for end in "/-"
    ),
)
_PATIENCE_S = 240


def gap_line(gap_id: str, tags: str = "") -> str:
    """Return a line of a requirements document that is a gap."""
    return f"- [ ] Close {gap_id} [bot-eligible] [id:{gap_id}]{tags}"


def until(condition: Callable[[], object], what: str = "the condition") -> None:
    """Wait until the condition holds; fails the test when it never does."""
    end = time.monotonic() + _PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it wrote under `--json`."""
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Person:
    """A person's repository, worked on with plain git."""

    path: Path

    def git(self, *args: str, data: str | None = None) -> str:
        """Run git there and return what it wrote, stripped."""
        done = subprocess.run(
            ["git", "-C", str(self.path), *args],
            input=data,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"git {' '.join(args)}: {done.stderr}"
        return done.stdout.strip()

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write files, or delete those that are None."""
        for name, content in files.items():
            path = self.path / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            data = content.encode() if isinstance(content, str) else content
            path.write_bytes(data)

    def commit(self, files: Mapping[str, str | bytes | None]) -> str:
        """Write files and commit all; return the commit."""
        self.write(files)
        self.git("add", "-A", "-f", "--", ".")
        self.git("commit", "-q", "--allow-empty", "-m", "by a person")
        return self.tip()

    def tip(self, name: str = "HEAD") -> str:
        """Return the commit that a name stands for."""
        return self.git("rev-parse", "--verify", f"{name}^{{commit}}")

    def branches(self) -> list[str]:
        """Return the names of the bot's branches."""
        out = self.git("for-each-ref", "--format=%(refname:short)", "refs/heads/bot/")
        return out.split()

    def changed(self, commit: str) -> list[str]:
        """Return what a commit changed, as `A path`, `M path`, `D path`."""
        out = self.git("diff-tree", "-r", "--name-status", f"{commit}^", commit)
        return out.replace("\t", " ").splitlines()

    def hook(self, name: str, script: str) -> Path:
        """Install a hook of this repository's."""
        path = self.path / ".git" / "hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path


@dataclass(slots=True)
class Running:
    """The command while it runs."""

    process: subprocess.Popen[str]

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.process.poll() is not None

    def end(self) -> Ran:
        """Wait for its end."""
        out, err = self.process.communicate(timeout=_PATIENCE_S)
        return Ran(self.process.returncode, out, err)

    def signal(self, number: int) -> Ran:
        """Send it a signal and wait for its end."""
        self.process.send_signal(number)
        return self.end()

    def kill(self) -> None:
        """Kill it as the kernel would, and take note of its death."""
        self.signal(signal.SIGKILL)


@dataclass(slots=True)
class World:
    """Everything of one test: `person/`, `config/bot.toml` and `data/` in a folder.

    Attributes:
        root: The folder.
        gaps: The lines of the requirements document.
        files: What else the person has committed.
        env: Variables of the command beside those of the tests.
    """

    root: Path
    gaps: Sequence[str] = (HELLO,)
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the person's repository and the config, unless they stand there."""
        if self.person.path.exists():
            return
        self.person.path.mkdir()
        self.person.git("init", "-q", "--template=", "-b", "main")
        self.person.commit({"PRD.md": prd(self.gaps), **self.files})
        self.configure()

    @property
    def person(self) -> Person:
        """The person's checkout."""
        return Person(self.root / "person")

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.root / "data"

    @property
    def folder(self) -> Path:
        """The repository's part of the data folder."""
        return self.data / "demo"

    @property
    def token(self) -> str:
        """A word that no command of another test names."""
        return f"token-{hashlib.sha256(bytes(self.root)).hexdigest()[:16]}"

    @property
    def recipe_tree(self) -> Path:
        """Where recipes run, as seen from outside the sandbox."""
        return self.folder / "trees" / "recipe"

    @property
    def config(self) -> Path:
        """The config file."""
        return self.root / "config" / "bot.toml"

    def configure(
        self,
        *,
        recipes: str | Mapping[str, str] = WRITE,
        checks: Sequence[str] = ("true",),
        policy: str = "",
        repo: str = "",
        top: str = f"[limits]\n{ROOMY}",
        path: str = "../person",
        after: str = "",
    ) -> None:
        """Write the config.

        Args:
            recipes: Commands by name, or the only one.
            checks: Commands.
            policy: Lines of `[repo.policy]`.
            repo: Lines of `[[repo]]`.
            top: Lines and tables before the repository.
            path: The repository's `path`.
            after: Whatever follows.
        """
        named = {"only": recipes} if isinstance(recipes, str) else recipes
        lines = [
            'data_dir = "../data"',
            top,
            *("[[repo]]", 'name = "demo"', f"path = {json.dumps(path)}"),
            repo if "base =" in repo else f'base = "main"\n{repo}',
            f"[repo.policy]\n{policy}",
            *(
                f"[[repo.recipe]]\nname = {json.dumps(n)}\nrun = {json.dumps(r)}"
                for n, r in named.items()
            ),
            *(f"[[repo.check]]\nrun = {json.dumps(check)}" for check in checks),
            after,
        ]
        self.config.parent.mkdir(exist_ok=True)
        self.config.write_text("\n".join(lines) + "\n")

    def start(self, *args: str) -> Running:
        """Start the command as a process of its own."""
        process = subprocess.Popen(
            [sys.executable, "-m", "bot", "--config", str(self.config), *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(ROOT), **self.env},
        )
        return Running(process)

    def bot(self, *args: str) -> Ran:
        """Run the command to its end."""
        return self.start(*args).end()

    def start_until_recipe(self, *args: str) -> Running:
        """Start a cycle with the recipe `GATED` and return while it waits there."""
        running = self.start("cycle", "--json", *args)
        started = self.recipe_tree / "started"
        until(lambda: started.exists() or running.is_over, "the recipe to start")
        assert not running.is_over, running.end()
        return running

    def release(self) -> None:
        """Let the waiting recipe go on."""
        (self.recipe_tree / "go").touch()

    def cycle(self, *args: str) -> CycleRecord:
        """Run one cycle; its exit status, its output and its record must agree.

        The person's checkout is looked at before and after.
        """
        with self.untouched():
            ran = self.bot("cycle", "--json", *args)
        return self.recorded(ran)

    def tick(self, *, repo: str = "demo", **options: Any) -> CycleRecord:
        """Run one cycle in this process, where a process of its own adds nothing."""
        with self.untouched(), self.app() as app:
            one = app.one_repo(repo)
            ended = run_tick(app.rooms(one, Options(**options)), "manual")
        on_disk = self.record(ended.cycle_id, repo)
        assert ended.outcome == on_disk.outcome
        return on_disk

    def recorded(self, ran: Ran) -> CycleRecord:
        """Return the record that a cycle printed, which must be the one on disk."""
        assert ran.out, f"exit status {ran.code}: {ran.err}"
        printed = CycleRecord.model_validate_json(ran.out)
        assert printed == self.record(printed.cycle_id, printed.repo)
        assert exit_code(printed.outcome) == ran.code
        return printed

    def record(self, cycle_id: str, repo: str = "demo") -> CycleRecord:
        """Return a record as it lies on disk."""
        (path,) = (self.data / repo / "cycles").glob(f"*/{cycle_id}.json")
        record = CycleRecord.model_validate_json(path.read_bytes())
        SEEN.add(record.outcome)
        return record

    def records(self, repo: str = "demo") -> list[CycleRecord]:
        """Return all records as they lie on disk, oldest first."""
        paths = sorted((self.data / repo / "cycles").glob("*/*.json"))
        return [self.record(path.stem, repo) for path in paths]

    def ask(self, *args: str) -> Ran:
        """Run the command in this process, where another only costs time."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(
                ["--config", str(self.config), *args], {**os.environ, **self.env}
            )
        return Ran(code, out.getvalue(), err.getvalue())

    def list(self, *args: str) -> list[dict[str, Any]]:
        """Return the entries of a list command's JSON."""
        ran = self.ask(*args, "--json")
        assert ran.code == 0, ran.err
        (entries,) = (value for value in ran.json.values() if isinstance(value, list))
        return entries

    def states(self, *args: str) -> dict[str, str]:
        """Return the state of every gap."""
        return {gap["id"]: gap["state"] for gap in self.list("gaps", *args)}

    @contextmanager
    def app(self) -> Iterator[App]:
        """Build the bot in this process, where a process of its own adds nothing."""
        loaded = load_settings(self.config, {}, self.root)
        with App(loaded, dict(os.environ)) as app:
            yield app

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """Hold that the person's checkout stays byte for byte as it is.

        What the push of a branch of the bot's adds is left out.
        """
        before = snapshot(self.person.path)
        yield
        assert before == snapshot(self.person.path, known=before)


def prd(gaps: Sequence[str]) -> str:
    """Return a requirements document with these lines."""
    return "# Wanted\n\n" + "".join(f"{line}\n" for line in gaps)


def snapshot(
    folder: Path, known: Mapping[str, object] | None = None
) -> dict[str, tuple[int, int, str]]:
    """Return mode, time and content of every file but the bot's own new ones."""
    found = {}
    for place, _folders, names in os.walk(folder):
        for path in (Path(place, name) for name in names):
            name = str(path.relative_to(folder))
            is_object = name.startswith(_OWN[0])
            if name.startswith(_OWN) and not (is_object and name in (known or {name})):
                continue
            facts = path.lstat()
            is_link = stat.S_ISLNK(facts.st_mode)
            data = os.fsencode(path.readlink()) if is_link else path.read_bytes()
            digest = hashlib.sha256(data).hexdigest()
            # Git freshens the time of objects that the clone shares by hard links.
            time_ns = 0 if is_object else facts.st_mtime_ns
            found[name] = (facts.st_mode, time_ns, digest)
    return found


def processes_with(token: str) -> list[str]:
    """Return the command lines of living processes that name the token."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if token in line and int(path.parent.name) != os.getpid():
            found.append(line)
    return found
