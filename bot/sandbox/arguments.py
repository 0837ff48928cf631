"""What bubblewrap is told for one job: what is seen, where, and with which variables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.sandbox.gitdir import GIT_ENV, git_binds, git_files
from bot.sandbox.host import PATH, etc_args, made_up_files, system_args
from bot.sandbox.job import HOME, REPO, Bind, Job
from bot.sandbox.mountpoints import fits
from bot.sandbox.online import online_binds, online_env
from bot.sandbox.owner import Owner
from bot.sandbox.tools import Tools

_NAMESPACES = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"),
    *("--clearenv", "--cap-drop", "ALL", "--hostname", "sandbox"),
)
_ENV = {
    "HOME": HOME,
    "USER": "bot",
    "LOGNAME": "bot",
    "SHELL": "/bin/sh",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "TMPDIR": "/tmp",  # noqa: S108  # the job's own
    "TERM": "dumb",
    "CI": "true",
}
# `uv run` would first bring the environment up to date, which is set-up's work: without
# network it can't, and what it would write to is read-only.
_SETTLED = {"UV_NO_SYNC": "1", "UV_NO_CACHE": "1"}
# Shares of the configured memory; file systems in memory don't count as processes'.
_TMPFS = {"/tmp": 2, HOME: 4, "/dev/shm": 4, "/var/tmp": 8, "/run": 64}  # noqa: S108


@dataclass(frozen=True, slots=True)
class View:
    """Everything that one job sees.

    Attributes:
        job: The job itself.
        owner: Who runs it.
        tools: The configured tools.
        memory: Bytes, of which the private file systems get shares.
        hidden: Folders covered where they lie in something that is shown.
        environ: The bot's environment, for jobs with network.
    """

    job: Job
    owner: Owner
    tools: Tools
    memory: int
    hidden: tuple[Path, ...]
    environ: Mapping[str, str]

    def shown_before(self) -> tuple[Bind, ...]:
        """Return what is shown before the bot's folders are covered."""
        online = online_binds(self.environ) if self.job.network else ()
        return (*self.tools.binds, *online)

    def shown_after(self) -> tuple[Bind, ...]:
        """Return what is shown of the repository, its git and its set-up."""
        job = self.job
        tree = Bind(job.tree, REPO, writable=True)
        fitting = (bind for bind in job.binds if fits(job.tree, bind))
        return (tree, *git_binds(job.tree, job.git_dir), *fitting)

    def files(self) -> Mapping[str, str]:
        """Return the texts that are shown as files, by path."""
        owner, network = self.owner, self.job.network
        made_up = made_up_files(owner.uid, owner.gid, network=network)
        return {**made_up, **git_files(self.job.git_dir)}

    def options(
        self, names: Mapping[Path, str], files: Mapping[str, int]
    ) -> Iterator[str]:
        """Yield the options of bubblewrap, in the order in which it acts on them.

        Args:
            names: The name under which each bind's source is found.
            files: The descriptor that each text of `files` is read from.
        """
        yield from _NAMESPACES
        yield from ("--share-net",) if self.job.network else ()
        yield from system_args()
        yield from etc_args(network=self.job.network)
        yield from ("--proc", "/proc", "--dev", "/dev")
        for path, share in _TMPFS.items():
            size = str(self.memory // share)
            yield from ("--perms", "1777", "--size", size, "--tmpfs", path)
        yield from _bound(self.shown_before(), names)
        for folder in self._covered():
            yield from ("--size", "4096", "--tmpfs", str(folder))
        yield from _bound(self.shown_after(), names)
        for path, fd in files.items():
            yield from ("--perms", "0444", "--ro-bind-data", str(fd), path)
        yield from ("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", REPO)
        for name, value in self.env().items():
            yield from ("--setenv", name, value)

    def env(self) -> dict[str, str]:
        """Return the whole environment inside."""
        path = ":".join((*self.tools.path, PATH))
        more = GIT_ENV if self.job.git_dir is not None else {}
        if self.job.network:
            more = {**more, **online_env(self.environ)}
        elif not self._is_set_up():
            more = {**more, **_SETTLED}
        return {"PATH": path, **_ENV, **more, **self.job.env}

    def _is_set_up(self) -> bool:
        """Whether the job fills the home that later jobs see."""
        return any(b.target == HOME and b.writable for b in self.job.binds)

    def _covered(self) -> tuple[Path, ...]:
        shown = [Path("/usr"), *(Path(b.target) for b in self.shown_before())]
        return tuple(
            folder
            for folder in self.hidden
            if folder.is_dir() and any(folder.is_relative_to(seen) for seen in shown)
        )


def _bound(binds: tuple[Bind, ...], names: Mapping[Path, str]) -> Iterator[str]:
    for bind in binds:
        option = "--bind" if bind.writable else "--ro-bind"
        yield from (option, names[bind.source], bind.target)
