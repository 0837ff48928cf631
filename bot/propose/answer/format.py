"""The answer format as the model is told it, and the mark that keeps it unambiguous."""

import hashlib
from collections.abc import Iterable

MAX_QUESTIONS = 3
MAX_WANTED = 20

_MARK_DIGITS = 6

INSTRUCTIONS = """\
# Answer format

Your answer is read by a program. It consists of marker lines and what stands between
them. A marker line starts in the first column with `==== {mark}`, then a word, then
perhaps a path. Copy `{mark}` exactly; it stands in no file.

First the head. It says what you do; it never holds file contents:

==== {mark} head
summary: one line, at most 72 characters, what the change does
rationale: why it is done this way, in a few sentences
files:
- src/new_module.py
- src/shelf.py
tests:
- tests/test_new_module.py: what it proves
skills: none
==== {mark} end

Write summary and rationale in the language of the gap. `files` names every file that you
add, change, delete or rename, one a line. If the change takes a function, class or other
top-level name away on purpose, add a line `removes: name, other_name` to the head.

Then the files, each in one of these ways.

A new file, complete:

==== {mark} new src/new_module.py
the whole text of the file
==== {mark} end

An existing file of at most 300 lines, complete. Nothing of it may be left out:

==== {mark} whole src/short.py
the whole new text of the file
==== {mark} end

Pieces of an existing file (always for one of more than 300 lines). The lines after
`search` are copied from the file exactly, whole lines with their indentation, and enough
of them that they stand there only once. Every `search` is about the file as you were
shown it, not as changed by an earlier block. Blocks must not overlap. To insert, search
for the line beside it and repeat that line in `replace`. An empty `replace` removes the
lines:

==== {mark} edit src/shelf.py
==== {mark} search
def size(self):
    return 0
==== {mark} replace
def size(self):
    return len(self._items)
==== {mark} search
import oss
==== {mark} replace
import os
==== {mark} end

A file that goes, and a file that moves (an `edit` or `whole` of the new path may follow):

==== {mark} delete src/unused.py
==== {mark} rename src/old.py -> src/better.py

Last, when everything is there:

==== {mark} done

Rules:
- Between the markers stands the text of the file and nothing else: no code fence around
  it, no line numbers, no diff signs.
- Never shorten with "... rest unchanged ..." or the like; such an answer is refused.
- Paths start at the root of the repository. Only `new` makes a file that is not there.

Instead of a change, the head alone may say that the gap should not be closed as it
stands. Use this only when a good change is not possible:

==== {mark} head
decline: unclear
reason: what can't be decided from the text
questions:
- at most three questions whose answers would decide it
==== {mark} end
==== {mark} done

or `decline: too_big` with `reason:` and `split:` (a list of smaller gaps that together
are this one), or `decline: already_done` with `reason:` and `evidence:` (a list of files
and lines that show it).

Or the head alone may ask for files that you must read first:

==== {mark} head
need:
- src/other.py
==== {mark} end
==== {mark} done
"""
"""What the prompt tells; `{mark}` stands where the mark of the answer belongs."""


def instructions(mark: str) -> str:
    """Return the instructions for an answer with this mark."""
    return INSTRUCTIONS.replace("{mark}", mark)


def choose_mark(seed: str, texts: Iterable[str] = ()) -> str:
    """Return a mark that stands in none of the texts; the same for the same input.

    Args:
        seed: Anything that differs from cycle to cycle, such as the cycle's id.
        texts: All that the prompt holds, so that no file can look like a marker.
    """
    shown = tuple(texts)
    number = 0
    while True:
        digest = hashlib.sha256(f"{seed}\0{number}".encode("utf-8", "replace"))
        mark = digest.hexdigest()[:_MARK_DIGITS]
        if not any(mark in text for text in shown):
            return mark
        number += 1
