"""Which paths a proposal may name at all, and how globs match them."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

MAX_COMPONENT_BYTES = 255
MAX_PATH_BYTES = 4096

# HFS+ drops these code points from names, so `.g<U+200C>it` is `.git` there.
_IGNORED = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)
# They turn the direction of the text, so a name can be shown as another one.
_BIDI = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_DRIVE = re.compile(r"[A-Za-z]:")
_GIT_FOLDER = re.compile(r"\.git|git~[0-9]+")
_TAIL = re.compile(r"[ .]+(?=/|$)")


def check_path(path: str) -> str | None:
    """Return why an untrusted relative path is refused, or None when it is fine."""
    return _about_text(path) or _about_place(path) or _about_components(path)


def shown(path: str) -> str:
    """Return a path for messages: as it is when printable, else escaped."""
    return path if path.isprintable() and path else ascii(path)


def fold(path: str) -> str:
    """Return the form in which two paths are one on some file system.

    Case, Unicode normalisation, code points that HFS+ ignores and the dots and spaces
    that Windows drops from the end of a name make no difference.
    """
    if path.isascii():
        folded = path.lower()
    else:
        plain = unicodedata.normalize("NFC", path).translate(_IGNORED)
        folded = unicodedata.normalize("NFC", plain.casefold())
    return _TAIL.sub("", folded)


def matches(globs: Sequence[str], path: str) -> bool:
    """Return whether any glob matches the path.

    Globs read as in a `.gitignore`: `*` and `?` stay within a name, `**` spans folders,
    `[a-z]` and `[!a-z]` are sets, a backslash takes the next character as it is. A glob
    without `/` matches at any depth, one with `/` starts at the root, and one that
    matches a folder covers everything beneath it. Both sides are compared as `fold`
    gives them, so a protected name can't be reached by another spelling.
    """
    return first_protected(globs, path) is not None


def first_protected(globs: Sequence[str], path: str) -> str | None:
    """Return the first of the globs that matches the path as `matches` does."""
    folded = fold(path)
    return next((glob for glob in globs if _compiled(glob).fullmatch(folded)), None)


def _about_text(path: str) -> str | None:
    if not path:
        return "the path is empty"
    if any(unicodedata.category(char) == "Cs" for char in path):
        return "the path is not valid UTF-8"
    if any(_is_control(char) for char in path):
        return "the path holds a control character"
    if "\\" in path:
        return "the path holds a backslash"
    if len(path.encode()) > MAX_PATH_BYTES:
        return f"the path is longer than {MAX_PATH_BYTES} bytes"
    return None


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Zl", "Zp"} or char in _BIDI


def _about_place(path: str) -> str | None:
    if path.startswith("/"):
        return "the path is absolute"
    if _DRIVE.match(path):
        return "the path starts with a drive letter"
    if path.endswith("/"):
        return "the path ends with a slash"
    return None


def _about_components(path: str) -> str | None:
    for name in path.split("/"):
        if not name:
            return "the path holds an empty name"
        # Windows takes `.. ` for `..` and knows no name made of dots and spaces.
        if not name.strip(". "):
            return f"the path holds the name {name!r}"
        if len(name.encode()) > MAX_COMPONENT_BYTES:
            return f"a name in the path is longer than {MAX_COMPONENT_BYTES} bytes"
        if _is_git_folder(name):
            return f"{name!r} stands for git's own folder"
    return None


def _is_git_folder(name: str) -> bool:
    # NTFS reads what follows a colon as the name of a stream of the same file.
    stem = fold(fold(name).partition(":")[0])
    return _GIT_FOLDER.fullmatch(stem) is not None


@lru_cache(maxsize=512)
def _compiled(glob: str) -> re.Pattern[str]:
    folded = glob.lower() if glob.isascii() else fold(glob)
    body = folded.strip("/")
    if not body:
        return re.compile(r"(?!)")
    is_anchored = folded.startswith("/") or "/" in body
    start = "" if is_anchored else "(?:.*/)?"
    # `dir/**` covers `dir` itself too: a symlink there would bring in all beneath.
    body = re.sub(r"(?:/\*\*)+$", "", body)
    return re.compile(f"{start}{_pattern(body)}(?:/.*)?", re.DOTALL)


_TOKEN = re.compile(
    r"(?P<any>(?:^|(?<=/))(?:\*\*/)+)"  # `**/`: any folders, also none
    r"|(?P<star>\*+)"
    r"|(?P<one>\?)"
    r"|\[(?P<not>[!^]?)(?P<set>\]?[^\]/]*)\]"
    r"|\\(?P<next>.)"
    r"|(?P<plain>.)",
    re.DOTALL,
)


def _pattern(glob: str) -> str:
    return "".join(_translated(token) for token in _TOKEN.finditer(glob))


def _translated(token: re.Match[str]) -> str:
    fixed = {"any": "(?:.*/)?", "star": "[^/]*", "one": "[^/]"}
    if token.lastgroup in fixed:
        return fixed[token.lastgroup]
    if token["set"] is not None:
        return _set(token)
    return re.escape(token["next"] or token["plain"])


def _set(token: re.Match[str]) -> str:
    inside = re.sub(r"([\\\[\]&~|^])", r"\\\1", token["set"])
    try:
        re.compile(f"[{inside}]")
    except re.error:  # `[z-a]`: no set, so only its own text can match
        return re.escape(token.group())
    return f"(?!/)[{'^' if token['not'] else ''}{inside}]"
