"""Text without what a reader can't see: invisible and direction-turning characters.

They let a text say one thing to a person and another to a model, and let a delimiter
or a secret slip by a comparison.
"""

import re

# Written as ranges: looking up the category of every code point takes 0.3 s.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and line feed
    "\u00ad\u034f\u061c\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2"
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # fillers, Mongolian selectors
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # zero widths, bidirectional controls
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff"  # halves of a pair: no text
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"  # tags and more selectors
)
_LINE_END = re.compile("\r\n?|[\u2028\u2029\x0b\x0c\x85]")


def plain(text: str) -> str:
    """Return the text with line feeds only and without unseen characters."""
    return _UNSEEN.sub("", _LINE_END.sub("\n", text))


def is_plain_name(path: str) -> bool:
    """Say whether a path can stand in a line of the prompt as it is."""
    if path.isascii():
        return path.isprintable() and path != ""
    return not _UNSEEN.search(path) and plain(path) == path and "\t" not in path
