"""What a failed git command means for the caller, told from what git said.

The words are stable because every command runs under the C locale. Lines that the other
side sent (`remote:`) are only believed where they speak of the other side.
"""

import re
from collections.abc import Sequence

from bot.errors import (
    BotError,
    DataFolderUnusable,
    Deferred,
    GitFailed,
    Misconfigured,
)

NETWORK_COMMANDS = frozenset({"clone", "fetch", "ls-remote", "push"})

_CREDENTIALS = re.compile(r"(?<=://)[^/@\s'\"]+(?=@)")
_NO_ROOM = re.compile(
    r"No space left on device|Disk quota exceeded|Read-only file system"
)
_LOCKED = re.compile(
    r"Unable to create '[^\n]*\.lock': File exists"
    r"|Another git process seems to be running"
    r"|cannot lock ref '[^\n]*': is at [^\n]* but expected"
)
_RATE_LIMITED = re.compile(r"(?i)rate limit|error: 429|too many requests")
_REFUSED = re.compile(
    r"(?i)Authentication failed"
    r"|could not read (?:Username|Password)"
    r"|Permission denied \((?:publickey|password|keyboard)"
    r"|Host key verification failed"
    r"|returned error: 40[0-9]"
    r"|repository not found"
    r"|repository '[^\n]*' (?:not found|does not exist)"
    r"|does not appear to be a git repository"
    r"|not a git repository"
    r"|dubious ownership"
    r"|certificate (?:verification|verify) failed"
    r"|SSL certificate problem"
    r"|Unable to find remote helper"
    r"|transport '[^\n]*' not allowed|strange (?:pathname|hostname)"
)
_UNREACHABLE = re.compile(
    r"(?i)could not resolve|name resolution|connection (?:refused|reset|closed)"
    r"|timed? ?out|early EOF|hung up unexpectedly|unexpected disconnect"
    r"|network is unreachable|no route to host|RPC failed|empty reply from server"
    r"|returned error: 5[0-9][0-9]|couldn't connect|failed to connect"
    r"|Operation too slow|SSL_ERROR_SYSCALL|gnutls|TLS connection"
    r"|could not read from remote repository|unable to access"
)


def without_credentials(text: str) -> str:
    """Return the text with user names and passwords taken out of its URLs."""
    return _CREDENTIALS.sub("***", text)


def diagnose(argv: Sequence[str], code: int, stderr: str) -> BotError:
    """Return the error that a failed `git argv...` is to be raised as."""
    shown = tuple(without_credentials(part) for part in argv)
    said = without_credentials(stderr).strip()
    failed = GitFailed(shown, code, said)
    own = "\n".join(
        line for line in said.splitlines() if not line.startswith("remote:")
    )
    if _NO_ROOM.search(own):
        return DataFolderUnusable(f"{failed}; make room for the data folder")
    if _LOCKED.search(own):
        return Deferred(f"another program holds git's lock: {failed}")
    if argv[0] in NETWORK_COMMANDS:
        return _about_remote(failed, said)
    return failed


def _about_remote(failed: GitFailed, said: str) -> BotError:
    if _RATE_LIMITED.search(said):
        return Deferred(f"the remote asks for patience: {failed}")
    if _REFUSED.search(said):
        return Misconfigured(
            f"the remote can't be used as configured: {failed}; "
            "check `path` in the config and git's credentials for it"
        )
    if _UNREACHABLE.search(said):
        return Deferred(f"the remote could not be reached: {failed}")
    return failed
