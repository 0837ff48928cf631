"""Where YAML front matter ends.

A file that opens with a thematic break (`---` too) must not lose its gaps up to the next
one, so what stands between has to read as a YAML mapping.
"""

import re
from collections.abc import Sequence

_FENCE = re.compile(r"---[ \t]*")
# A line that a YAML mapping can hold at its left edge: nothing, a comment, a key, an
# entry of a list, the end of a flow collection; all else is indented.
_MAPPING_LINE = re.compile(
    r"""\s.*|-(?:\s.*)?|[\]}].*|\{.*|"""
    r"""(?:"[^"]*"\s*|'[^']*'\s*|[^\s\-\[\]{}\#"'][^:]*):(?:\s.*)?"""
)


def front_matter_end(lines: Sequence[str]) -> int:
    """Return how many lines at the start are front matter, its fences included."""
    if not lines or not _FENCE.fullmatch(lines[0]):
        return 0
    for index in range(1, len(lines)):
        if _FENCE.fullmatch(lines[index]):
            return index + 1 if _is_mapping(lines[1:index]) else 0
    return 0


def _is_mapping(lines: Sequence[str]) -> bool:
    text = [line for line in lines if line.strip() and not line.startswith("#")]
    if text and text[0].startswith("-"):
        return False
    return all(_MAPPING_LINE.fullmatch(line) for line in text)
