"""Cases in the languages that people write: each exact, shifted, remembered, whole."""

from collections.abc import Iterator
from dataclasses import dataclass

from answer_texts import Case, answer, edit, whole


@dataclass(frozen=True)
class Sample:
    """A file with one place to change.

    Attributes:
        old: The place as it is.
        new: What stands there afterwards.
        recalled: A line of context beside it as a model misremembers it, and the real.
    """

    path: str
    text: str
    old: str
    new: str
    recalled: tuple[str, str]


SAMPLES = (
    Sample(
        "src/shelf.py",
        '''"""Shelves."""

import os


class Shelf:
    """Holds things."""

    def __init__(self, items):
        # The items come in any order that the caller likes.
        self._items = list(items)
        self._count = 0

    def size(self):
        """Return how many."""
        return 0

    def names(self):
        return [item.name for item in self._items]
''',
        '''        """Return how many."""
        return 0
''',
        '''        """Return how many."""
        if not self._items:
            return 0
        return len(self._items)
''',
        (
            "        return [item.name for item in self.items]\n",
            "        return [item.name for item in self._items]\n",
        ),
    ),
    Sample(
        "web/cart.js",
        """import { tax } from './tax.js';

export class Cart {
  constructor(items = []) {
    this.items = items;
  }

  // The total is in cents, before tax is added to it.
  total() {
    return 0;
  }
}

export const empty = () => new Cart([]);
export default Cart;
""",
        """  total() {
    return 0;
  }
""",
        """  total() {
    return this.items.reduce((sum, item) => {
      return sum + item.price;
    }, 0);
  }
""",
        (
            "  // The total is in cents before tax is added.\n",
            "  // The total is in cents, before tax is added to it.\n",
        ),
    ),
    Sample(
        "web/api.ts",
        """export interface Reply<T> {
  status: number;
  body: T;
}

export async function get<T>(path: string): Promise<Reply<T>> {
  const answer = await fetch(`/api/${path}`, { method: 'GET' });
  const body = await answer.json();
  return { status: answer.status, body };
}

export type Path = string;
""",
        """  const body = await answer.json();
""",
        """  if (!answer.ok) {
    throw new Error(`GET ${path}: ${answer.status}`);
  }
  const body = await answer.json();
""",
        (
            '  const answer = await fetch(`/api/${path}`, { method: "GET" });\n',
            "  const answer = await fetch(`/api/${path}`, { method: 'GET' });\n",
        ),
    ),
    Sample(
        "cmd/main.go",
        """package main

import "fmt"

type Shelf struct {
\tItems []string
}

// Size tells how many items there are on the shelf at the moment.
func (s *Shelf) Size() int {
\tif s == nil {
\t\treturn -1
\t}
\treturn 0
}

func main() {
\tfmt.Println((&Shelf{}).Size())
}
""",
        """\t\treturn -1
\t}
\treturn 0
""",
        """\t\treturn 0
\t}
\treturn len(s.Items)
""",
        (
            "// Size tells how many items there are on this shelf.\n",
            "// Size tells how many items there are on the shelf at the moment.\n",
        ),
    ),
    Sample(
        "src/lib.rs",
        """//! Shelves.

pub struct Shelf {
    items: Vec<String>,
}

impl Shelf {
    /// How many items there are, counted each time that it is asked.
    pub fn size(&self) -> usize {
        0
    }
}

pub fn empty() -> Shelf {
    Shelf { items: vec![] }
}
""",
        """    pub fn size(&self) -> usize {
        0
    }
""",
        """    pub fn size(&self) -> usize {
        match self.items.len() {
            n => n,
        }
    }
""",
        (
            "    /// How many items there are, counted each time when asked.\n",
            "    /// How many items there are, counted each time that it is asked.\n",
        ),
    ),
    Sample(
        ".github/ci.yml",
        """name: ci
on: [push]
jobs:
  test:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v5
      - run: make test
  lint:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v5
      - run: make lint
""",
        """      - run: make test
""",
        """      - name: Test
        run: |
          make test
          make coverage
""",
        (
            "    runs-on: ubuntu-22.04\n",
            "    runs-on: ubuntu-24.04\n",
        ),
    ),
    Sample(
        "Makefile",
        """CC ?= gcc
OBJECTS = main.o shelf.o

# Everything that is built goes below this folder, so that one rule cleans.
shelf: $(OBJECTS)
\t$(CC) -o $@ $(OBJECTS)
\tstrip $@

clean:
\trm -f $(OBJECTS) shelf
""",
        """\t$(CC) -o $@ $(OBJECTS)
\tstrip $@
""",
        """\t$(CC) $(FLAGS) -o $@ $(OBJECTS)
\tstrip $@
\t@echo done
""",
        (
            "# Everything that is built goes below this folder, so one rule cleans.\n",
            "# Everything that is built goes below this folder, so that one rule cleans.\n",
        ),
    ),
    Sample(
        "src/Shelf.java",
        """package shelf;

public class Shelf {
    private final List<String> items = new ArrayList<>();

    /** Returns how many items there are at the time of the call. */
    public int size() {
        return 0;
    }

    public boolean isEmpty() {
        return size() == 0;
    }
}
""",
        """    public int size() {
        return 0;
    }
""",
        """    public int size() {
        synchronized (items) {
            return items.size();
        }
    }
""",
        (
            "    /** Returns how many items there are. */\n",
            "    /** Returns how many items there are at the time of the call. */\n",
        ),
    ),
    Sample(
        "src/shelf.c",
        """#include "shelf.h"

#define MOST 16

static int count;

/* The count is kept here, since nobody else needs to know it by heart. */
int shelf_size(const struct shelf *shelf)
{
    return 0;
}

void shelf_clear(struct shelf *shelf)
{
    count = 0;
}
""",
        """{
    return 0;
}
""",
        """{
    if (!shelf) {
        return 0;
    }
    return shelf->count;
}
""",
        (
            "int shelf_size(struct shelf *shelf)\n",
            "int shelf_size(const struct shelf *shelf)\n",
        ),
    ),
    Sample(
        "lib/shelf.rb",
        """# Shelves hold things.
class Shelf
  LIMIT = 10

  def initialize(items)
    @items = items
  end

  # How many there are, with those that were lent to somebody.
  def size
    0
  end
end
""",
        """  def size
    0
  end
""",
        """  def size
    @items.sum do |item|
      item.count
    end
  end
""",
        (
            "  # How many there are, with those that were lent.\n",
            "  # How many there are, with those that were lent to somebody.\n",
        ),
    ),
    Sample(
        "bin/run.sh",
        """#!/bin/sh
set -eu

usage() {
    echo "usage: run NAME" >&2
}

# Only one may run at a time, so the lock is taken before all else.
main() {
    usage
}

main "$@"
""",
        """main() {
    usage
}
""",
        """main() {
    if [ $# -eq 0 ]; then
        usage
        return 2
    fi
    echo "$1"
}
""",
        (
            "# Only one may run at a time, so the lock is taken first.\n",
            "# Only one may run at a time, so the lock is taken before all else.\n",
        ),
    ),
    Sample(
        "README.md",
        """# Shelf

A shelf holds things. It is small, it is quick, and nobody has to dust it.

```sh
make install
```

## Use

```python
shelf = Shelf([])
print(shelf.size())
```

That is all there is to it.
""",
        """```sh
make install
```
""",
        """```sh
make install PREFIX=/usr
```

Or without make:

```sh
pip install shelf
```
""",
        (
            "A shelf holds things. It is small, it is quick, and no one has to dust it.\n",
            "A shelf holds things. It is small, it is quick, and nobody has to dust it.\n",
        ),
    ),
)


def cases() -> Iterator[Case]:
    """Yield for each sample the ways in which a right answer comes."""
    for sample in SAMPLES:
        files = {sample.path: sample.text.encode()}
        after = sample.text.replace(sample.old, sample.new)
        want = {sample.path: after.encode()}
        name = sample.path.rpartition("/")[2]
        for way, block in _ways(sample, after):
            yield Case(f"{name}-{way}", files, answer(block), want)


def _ways(sample: Sample, after: str) -> Iterator[tuple[str, str]]:
    path, old, new = sample.path, sample.old, sample.new
    context = _context(sample)
    yield "exact", edit(path, (old, new))
    yield "whole", whole(path, after)
    yield "spaces", edit(path, (_spaced(old), new))
    yield "indented", edit(path, (_indented(old), _indented(new)))
    yield "recalled", edit(path, context)
    yield "fence-in-blocks", edit(path, (_fenced(old), _fenced(new)))
    if not path.endswith(".md"):
        yield "fence-around", whole(path, _fenced(after))


def _context(sample: Sample) -> tuple[str, str]:
    """Return a block that reaches over the line that is remembered wrongly."""
    wrong, right = sample.recalled
    text, at = sample.text, sample.text.index(sample.old)
    start = min(at, text.index(right))
    stop = max(at + len(sample.old), text.index(right) + len(right))
    if right in text[at + len(sample.old) :] and stop <= at + len(sample.old):
        stop = text.index(right, at) + len(right)
    # Some more that is remembered well makes the place sure.
    start = text.rfind("\n\n", 0, max(0, start - 1)) + 2 if start > 2 else 0
    search = text[start:stop].replace(right, wrong)
    return search, search.replace(sample.old, sample.new)


def _spaced(text: str) -> str:
    return "".join(f"{line} \n" for line in text.splitlines())


def _indented(text: str) -> str:
    lines = [f"  {line}" if line else line for line in text.splitlines()]
    if any("\t" in line for line in lines):  # as models write tabs
        lines = [line[2:].replace("\t", "    ") for line in lines]
    return "".join(f"{line}\n" for line in lines)


def _fenced(text: str) -> str:
    ticks = "````" if "```" in text else "```"
    return f"{ticks}python\n{text}{ticks}\n"
