"""The bounded, plain text of what a program printed; its bytes are untrusted."""

import re
from collections import deque

HEAD_BYTES = 16 * 1024
TAIL_BYTES = 64 * 1024

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|\x1b[PX^_][^\x1b\n]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]?"  # the rest
)
# Controls but tab and newline, and the marks that reorder or hide text on a screen.
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)


def plain(text: str) -> str:
    """Return the text as a terminal would have left it, without any control sequence.

    Of a line that was drawn again and again, by carriage return, the last drawing stays.
    """
    without = _ESCAPES.sub("", text).replace("\r\n", "\n")
    if "\r" in without:
        lines = without.split("\n")
        without = "\n".join(_last_drawn(line) for line in lines)
    return _CONTROLS.sub("", without)


def _last_drawn(line: str) -> str:
    return line.rstrip("\r").rpartition("\r")[2]


class Output:
    """Keeps the first 16 KB and the last 64 KB of a stream of any length."""

    def __init__(self, head: int = HEAD_BYTES, tail: int = TAIL_BYTES) -> None:
        self._head_left = head
        self._tail_size = tail
        self._head: list[bytes] = []
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self.total = 0

    def add(self, chunk: bytes) -> None:
        """Take the next bytes of the stream."""
        self.total += len(chunk)
        if self._head_left:
            self._head.append(chunk[: self._head_left])
            chunk = chunk[self._head_left :]
            self._head_left -= len(self._head[-1])
        if not chunk:
            return
        self._tail.append(chunk)
        self._tail_bytes += len(chunk)
        while self._tail_bytes - len(self._tail[0]) >= self._tail_size:
            self._tail_bytes -= len(self._tail.popleft())

    def text(self) -> str:
        """Return what was kept as plain text, with a line where something is left out."""
        head = b"".join(self._head)
        tail = b"".join(self._tail)[-self._tail_size :]
        missing = self.total - len(head) - len(tail)
        if not missing:
            return plain((head + tail).decode(errors="replace"))
        # Cut characters at the seams are dropped, not shown as damage.
        first = plain(head.decode(errors="ignore"))
        last = plain(tail.decode(errors="ignore"))
        return f"{first}\n[... {missing} bytes left out ...]\n{last}"
