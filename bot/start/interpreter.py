"""Where this Python is, and how this program was called, for what a person runs next."""

import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.sandbox.host import PATH

_NAME = "python3"


def interpreter_folder(seen: str = PATH, prefix: str = sys.base_prefix) -> Path | None:
    """Return the folder that lets the sandbox see a `python3`; None where it sees one.

    That is the interpreter that runs the bot, found from its installation rather than
    from a virtual environment on it.

    Args:
        seen: The folders of programs that the sandbox sees by itself.
        prefix: Where this Python is installed.
    """
    if shutil.which(_NAME, path=seen):
        return None
    installed = Path(prefix) / "bin"
    return installed if (installed / _NAME).exists() else Path(sys.executable).parent


def program(argv0: str, env: Mapping[str, str], without: Sequence[str] = ()) -> str:
    """Return what a person types to run this program again.

    Args:
        argv0: What it was started as.
        env: Where PATH is looked up.
        without: Variables that it is to run without.
    """
    unset = [word for name in without for word in ("-u", name)]
    prefix = f"env {shlex.join(unset)} " if unset else ""
    return prefix + _program(argv0, env)


def _program(argv0: str, env: Mapping[str, str]) -> str:
    started = Path(argv0)
    if started.name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m bot"
    found = shutil.which(started.name, path=env.get("PATH", ""))
    if found and Path(found).absolute() == started.absolute():
        return started.name
    return shlex.quote(argv0)
