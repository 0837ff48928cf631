"""The code in a prompt: files that the gap names, files that fit it, a map of the rest."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bot.propose.prompt.fence import Fence
from bot.propose.prompt.names import is_hidden, why_by_name, why_not_text
from bot.propose.prompt.plain import plain
from bot.propose.prompt.room import Room, cut, estimate
from bot.propose.prompt.secret import holds_secret, masked
from bot.propose.prompt.view import CodeView

NO_ROOM = "no room"
RANKED = 40
"""Files that are looked at because they fit the gap."""

_MAP_SHARE = 5  # the map gets at least a fifth of the room for code, up to
_MAP_TOKENS = 4000
_MORE_TOKENS = 300  # of it, for the folders of what is not listed
_MORE_FOLDERS = 12
_CUT_AT_LEAST = 200  # tokens; a shorter piece of a file helps nobody
_FENCE_TOKENS = 160  # at most, beside the path
_LISTED_SYMBOLS = 12
_MOST_BYTES = 4  # of a token, so that no file is passed over that might fit
_SECRET = "not shown, it may hold secrets"  # noqa: S105 - words for people


@dataclass(slots=True)
class Code:
    """What was chosen.

    Attributes:
        files: The blocks of files, in order.
        shown: Their paths.
        left_out: Paths that were to be shown and why they are not.
        map: The lines of the map; empty without room.
        unlisted: How many files the map doesn't name.
    """

    files: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    map: list[str] = field(default_factory=list)
    unlisted: int = 0


def choose(
    code: CodeView,
    named: Sequence[str],
    ranked: Sequence[str],
    room: Room,
    fence: Fence,
) -> Code:
    """Fill the room: named files first, then ranked ones, then the map.

    A file is shown whole; only of a named one that is too long the beginning is.
    """
    chosen = Code()
    aside = room.set_aside(min(room.left // _MAP_SHARE, _MAP_TOKENS))
    for path in named:
        _show(code, path, room, fence, chosen, may_cut=True)
    for path in ranked:
        if path in chosen.shown or path in chosen.left_out:
            continue
        if (code.size(path) or 0) // _MOST_BYTES > room.left:
            chosen.left_out[path] = NO_ROOM  # known without reading it
        else:
            _show(code, path, room, fence, chosen, may_cut=False)
    room.give(aside)
    _draw_map(code, (*named, *ranked), room, chosen)
    return chosen


def file_text(code: CodeView, path: str) -> tuple[str, str]:
    """Return a file's text as it can be shown and, where it can't be, why."""
    size = code.size(path)
    if size is None:
        return "", "no such file"
    reason = _SECRET if is_hidden(path) else why_by_name(path, size)
    content = code.read(path) if reason is None else None
    if content is None:
        return "", reason or "no such file"
    raw = _decoded(content)
    text = plain(raw)
    reason = why_not_text(raw) or (_SECRET if holds_secret(text) else None)
    return ("", reason) if reason else (text, "")


def file_block(path: str, text: str, fence: Fence, of_lines: int = 0) -> str:
    """Return a file between its marks; `of_lines` is given for the beginning of one."""
    lines = text.count("\n")
    note = f" (only its first {lines} of {of_lines} lines)" if of_lines else ""
    return fence.around(f"file {path}{note}", text)


def _show(
    code: CodeView, path: str, room: Room, fence: Fence, chosen: Code, *, may_cut: bool
) -> None:
    text, reason = file_text(code, path)
    if reason:
        chosen.left_out[path] = reason
        return
    block = file_block(path, text, fence)
    if not room.take(block):
        block = _beginning(path, text, room, fence) if may_cut else ""
        if not block:
            chosen.left_out[path] = NO_ROOM
            return
    chosen.files.append(block)
    chosen.shown.append(path)


def _beginning(path: str, text: str, room: Room, fence: Fence) -> str:
    left = room.left - _FENCE_TOKENS - estimate(path)
    piece = cut(text, left) if left >= _CUT_AT_LEAST else ""
    if not piece:
        return ""
    block = file_block(path, piece, fence, of_lines=len(text.splitlines()))
    return block if room.take(block) else ""


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _draw_map(code: CodeView, first: Sequence[str], room: Room, chosen: Code) -> None:
    shown = set(chosen.shown)
    rest = list(_in_order(code, first, shown))
    lines = Room(room.left - _MORE_TOKENS - _FENCE_TOKENS)
    for number, path in enumerate(rest):
        if is_hidden(path):
            continue
        line = _line(code, path)
        if not lines.take(line):
            chosen.unlisted = len(rest) - number
            _name_folders(rest[number:], chosen)
            return
        chosen.map.append(line)


def _in_order(code: CodeView, first: Sequence[str], shown: set[str]) -> Iterator[str]:
    """Yield the files that are not shown: those that fit the gap, then neighbours."""
    near = {path.rpartition("/")[0] for path in shown}
    ranked = [path for path in first if path not in shown]
    yield from dict.fromkeys(ranked)
    done = shown.union(ranked)
    paths = [path for path in code.paths() if path not in done]
    yield from (path for path in paths if path.rpartition("/")[0] in near)
    yield from (path for path in paths if path.rpartition("/")[0] not in near)


def _line(code: CodeView, path: str) -> str:
    size = code.size(path) or 0
    reason = why_by_name(path, size)
    if reason:
        return masked(f"{path} ({reason}, {size} bytes)")
    names = ", ".join(plain(name) for name in code.symbols(path)[:_LISTED_SYMBOLS])
    return masked(f"{path}: {names}" if names else path).replace("\n", " ")


def _name_folders(paths: Sequence[str], chosen: Code) -> None:
    """Say in which folders the files are that the map has no room for."""
    if not chosen.map:
        return
    counts = Counter(_top(path) for path in paths)
    room = Room(_MORE_TOKENS)
    head = f"and {len(paths)} more files, in:"
    room.take(head)
    listed = []
    for folder, count in counts.most_common(_MORE_FOLDERS):
        entry = masked(f" {folder} ({count})")
        if is_hidden(folder) or not room.take(entry):
            break
        listed.append(entry)
    chosen.map.append(head + ",".join(listed))


def _top(path: str) -> str:
    folder, slash, _ = path.partition("/")
    return f"{folder}/" if slash else "./"
