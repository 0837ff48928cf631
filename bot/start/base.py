"""Which branch of a local repository the bot is to work on."""

from collections.abc import Collection
from dataclasses import dataclass

from bot.workspace.git import Git

_USUAL = ("main", "master", "trunk", "develop")
_BOTS = "bot/"  # the prefix of a new config
_REMOTE = "refs/remotes/origin/"
_HEADS = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Base:
    """A branch and why it was chosen."""

    name: str
    why: str


def choose_base(git: Git) -> Base | None:
    """Return the branch to work on; None where there is no branch with a commit.

    It has to be a branch of this very repository: the local forge pushes there.
    """
    heads = frozenset(
        ref.removeprefix(_HEADS)
        for ref in git.text("for-each-ref", "--format=%(refname)", _HEADS).splitlines()
    )
    fitting = frozenset(
        h for h in heads if h.isprintable() and not f"{h}/".startswith(_BOTS)
    )
    default = _symbolic(git, f"{_REMOTE}HEAD", _REMOTE)
    current = _symbolic(git, "HEAD", _HEADS)
    if default in fitting:
        return Base(default, "the default branch of origin")
    if current in fitting:
        return Base(current, "the branch that is checked out")
    return _other(fitting)


def _other(heads: Collection[str]) -> Base | None:
    for name in (*_USUAL, *sorted(heads)):
        if name in heads:
            return Base(name, f"one of {len(heads)} branches: is it the right one?")
    return None


def _symbolic(git: Git, ref: str, prefix: str) -> str:
    answer = git.call("symbolic-ref", "--quiet", ref)
    return answer.stdout.decode("utf-8", "replace").strip().removeprefix(prefix)
