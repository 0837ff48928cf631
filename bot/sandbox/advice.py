"""What to do where bubblewrap can't work, from its words and the kernel's settings."""

import re
from pathlib import Path

INSTALL = (
    "Install bubblewrap 0.8 or newer: `apt install bubblewrap`, `dnf install "
    "bubblewrap`, `apk add bubblewrap` or `pip install 'gapwright[bwrap]'`."
)

_APPARMOR = (
    "kernel.apparmor_restrict_unprivileged_userns is 1: only programs with an AppArmor "
    "profile may make user namespaces. Give bwrap one that says `userns,` (the package "
    "apparmor-profiles has bwrap-userns-restrict), or set it to 0 with sysctl."
)
_CLONE = (
    "kernel.unprivileged_userns_clone is 0: only root may make user namespaces. Set it "
    "to 1 with sysctl."
)
_NONE_LEFT = (
    "user.max_user_namespaces is 0: nobody may make user namespaces. Set it to 10000 "
    "with sysctl."
)
_SYSCTLS = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", _APPARMOR),
    ("kernel/unprivileged_userns_clone", "0", _CLONE),
    ("user/max_user_namespaces", "0", _NONE_LEFT),
)

_NAMESPACES = (
    "Namespaces can't be made here. In Docker start the container with `--security-opt "
    "seccomp=unconfined --security-opt apparmor=unconfined`, or run the bot on the host."
)
_PROC = (
    "/proc can't be mounted here. In Docker start the container with `--security-opt "
    "systempaths=unconfined`, or run the bot on the host."
)
_OTHER = "Run the command of the message by hand as the bot's user to see more."
_WORDS = (
    (r"mount proc|/proc", _PROC),
    (r"namespace|unshare|uid map|loopback|mount", _NAMESPACES),
)


def advice(said: str, sysctls: Path = Path("/proc/sys")) -> str:
    """Return what to do about bubblewrap's words.

    Args:
        said: What it wrote when it failed.
        sysctls: Where the kernel shows its settings.
    """
    for name, bad, remedy in _SYSCTLS:
        if _value(sysctls / name) == bad:
            return remedy
    for pattern, remedy in _WORDS:
        if re.search(pattern, said, re.IGNORECASE):
            return remedy
    return _OTHER


def _value(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
