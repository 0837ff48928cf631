"""The start of every job's command line: all by exec, so that its parent is the bot."""

import os

from bot.sandbox.limits import prlimit_args
from bot.sandbox.owner import Owner
from bot.settings.model import SandboxSettings

# From here on the kernel kills us with the bot; it may be dead already, so look.
_WITH_BOT = '[ "$PPID" = "$0" ] || exit 125; exec "$@"'


def chain(settings: SandboxSettings, owner: Owner | None) -> tuple[str, ...]:
    """Return what drops privileges, ties the job to the bot's life and sets limits."""
    uid = os.geteuid() if owner is None else owner.uid
    return (
        *("setpriv", *_user(owner), "--no-new-privs", "--pdeathsig", "KILL"),
        *("sh", "-c", _WITH_BOT, str(os.getpid())),
        *("prlimit", *prlimit_args(settings, uid)),
    )


def _user(owner: Owner | None) -> tuple[str, ...]:
    if owner is None:
        return ()
    return (f"--reuid={owner.uid}", f"--regid={owner.gid}", "--clear-groups")
