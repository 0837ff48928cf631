"""Cases of what models do around a right answer, and of markers and fences in files."""

from collections.abc import Iterator

from answer_texts import MARK, Case, answer, edit, head, line, new, whole

PATH = "src/a.py"
OLD = "import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n"
NEW = OLD.replace("return 1", "return 11")
FILES = {PATH: OLD.encode()}
WANT: dict[str, bytes | None] = {PATH: NEW.encode()}
BLOCK = edit(PATH, ("    return 1\n", "    return 11\n"))
PLAIN = answer(BLOCK)

GUIDE = f"""# How answers look

```text
==== a1b2c3 head
summary: an example
==== a1b2c3 end
==== a1b2c3 new x.py
<<<<<<< SEARCH
=======
>>>>>>> REPLACE
==== a1b2c3 end
```

````markdown
```python
print("nested")
```
````

The mark is six digits, as in ==== {MARK[:3]}.
"""
BIG = [
    text
    for number in range(600)
    for text in (
        f"def job_{number}(queue):",
        "    with queue.lock:",
        f"        queue.put({number})",
        "    return queue",
        "",
    )
]


def cases() -> Iterator[Case]:
    """Yield them all."""
    yield from _around()
    yield from _markers()
    yield from _heads()
    yield from _paths()
    yield from _operations()
    yield from _prose_files()
    yield from _large()
    yield from _words_that_are_no_elision()


def _same(name: str, text: str, finish_reason: str | None = "stop") -> Case:
    return Case(name, FILES, text, WANT, finish_reason)


def _around() -> Iterator[Case]:
    yield _same("prose-before", f"Sure, here is the change:\n\n{PLAIN}")
    yield _same("prose-after", f"{PLAIN}\nLet me know if you need more.\n")
    yield _same(
        "prose-between", head() + "Now the file:\n\n" + BLOCK + "Done.\n" + line("done")
    )
    yield _same("fence-around-all", f"```text\n{PLAIN}```\n")
    yield _same("crlf", PLAIN.replace("\n", "\r\n"))
    yield _same("cr", PLAIN.replace("\n", "\r"))
    yield _same("no-final-line-end", PLAIN.rstrip("\n"))
    yield _same("thought", f"<think>\nI could use {MARK} here.\n</think>\n\n{PLAIN}")
    yield _same("thought-in-draft", f"<think>\n{PLAIN}\n</think>\n{PLAIN}")
    yield _same("thinking", f"<thinking>hm</thinking>{PLAIN}")
    yield _same("thought-without-opening", f"Let me see.\n</think>\n{PLAIN}")
    yield _same("no-finish-reason", PLAIN, None)
    yield _same("unknown-finish-reason", PLAIN, "eos")
    yield Case(
        "closing-thought-in-a-file",
        {PATH: OLD.encode()},
        answer(edit(PATH, ("import os\n", "import os\n\nEND = '</think>'\n"))),
        {PATH: OLD.replace("import os\n", "import os\n\nEND = '</think>'\n").encode()},
    )


def _markers() -> Iterator[Case]:
    yield _same("spaces-after-markers", PLAIN.replace(f"{MARK} end", f"{MARK} end  "))
    yield _same("closed-markers", PLAIN.replace(f"{MARK} end", f"{MARK} end ===="))
    yield _same("bold-markers", PLAIN.replace(line("done"), f"**==== {MARK} done**\n"))
    yield _same("indented-markers", PLAIN.replace("====", "  ===="))
    yield _same("longer-markers", PLAIN.replace("====", "======"))
    yield _same("loud-words", PLAIN.replace("search", "SEARCH").replace("edit", "Edit"))
    yield _same("colon-after-word", PLAIN.replace(f"{MARK} edit", f"{MARK} edit:"))
    yield _same(
        "end-of-replace", PLAIN.replace(line("done"), line("end") + line("done"))
    )
    yield _same("head-without-end", PLAIN.replace(line("end"), "", 1))
    both = OLD.replace("return 1", "return 11").replace("return 2", "return 22")
    first, second = (
        ("    return 1\n", "    return 11\n"),
        ("    return 2\n", "    return 22\n"),
    )
    parts = [line("search") + a + line("replace") + b for a, b in (first, second)]
    want: dict[str, bytes | None] = {PATH: both.encode()}
    text = line("edit", PATH) + parts[0] + line("end") + parts[1] + line("end")
    yield Case("edit-goes-on-after-end", FILES, answer(text), want)
    yield Case(
        "two-edits-of-a-file",
        FILES,
        answer(edit(PATH, first), edit(PATH, second)),
        want,
    )
    yield Case("blocks-in-other-order", FILES, answer(edit(PATH, second, first)), want)
    yield _same("same-block-twice", answer(BLOCK, BLOCK))
    twice = edit(PATH, ("def one():\n    return 1\n", "def one():\n    return 11\n"))
    yield _same("same-change-said-twice", answer(whole(PATH, NEW), whole(PATH, NEW)))
    yield _same("wider-block", answer(twice))
    yield Case(
        "blocks-share-context",
        FILES,
        answer(
            edit(
                PATH,
                ("import os\n\n\ndef one():\n", "import re\n\n\ndef one():\n"),
                ("def one():\n    return 1\n", "def one():\n    return 11\n"),
            )
        ),
        {PATH: NEW.replace("import os", "import re").encode()},
    )


def _heads() -> Iterator[Case]:
    def with_head(text: str) -> str:
        return line("head") + text + line("end") + BLOCK + line("done")

    yield _same("head-in-json", with_head('{"summary": "x", "files": ["src/a.py"]}\n'))
    yield _same("head-in-fence", with_head("```yaml\nsummary: x\n```\n"))
    yield _same("head-in-bold", with_head("**summary:** x\n**Rationale:** y\n"))
    yield _same("head-indented", with_head("  summary: x\n  rationale: y\n"))
    yield _same(
        "long-rationale", with_head("rationale: a\n\n  b: c\n- d\nsummary: x\n")
    )
    yield _same("files-in-a-line", with_head("summary: x\nfiles: `src/a.py`\n"))
    yield _same(
        "files-with-notes", with_head("summary: x\nfiles:\n- src/a.py (edit)\n")
    )
    yield _same("files-with-side", with_head("summary: x\nfiles:\n1. a/src/a.py\n"))
    listed = line("head") + "summary: x\nfiles:\n- src/a.py\n" + line("end") + BLOCK
    yield _same("no-done-but-all-files", listed)
    yield _same("head-last", BLOCK + head() + line("done"))


def _paths() -> Iterator[Case]:
    for name, path in (
        ("backticks", "`src/a.py`"),
        ("quotes", '"src/a.py"'),
        ("dot", "./src/a.py"),
        ("side-a", "a/src/a.py"),
        ("side-b", "b/src/a.py"),
    ):
        yield _same(f"path-{name}", PLAIN.replace(f"edit {PATH}", f"edit {path}"))
    yield Case(
        "path-with-real-folder-a",
        {"a/src/a.py": OLD.encode(), PATH: b"other\n"},
        PLAIN.replace(f"edit {PATH}", "edit a/src/a.py"),
        {"a/src/a.py": NEW.encode()},
    )
    decomposed = "docs/re\u0301sume\u0301.txt"
    yield Case(
        "path-in-other-form",
        {decomposed: b"old\n"},
        answer(edit("docs/r\u00e9sum\u00e9.txt", ("old\n", "new\n"))),
        {decomposed: b"new\n"},
    )
    yield Case(
        "path-of-other-letters",
        {"доки/記録 1.txt": b"old\n"},
        answer(edit("доки/記録 1.txt", ("old\n", "new\n"))),
        {"доки/記録 1.txt": b"new\n"},
    )
    yield Case(
        "new-path-with-side",
        FILES,
        answer(new("b/src/b.py", "x\n")),
        {"src/b.py": b"x\n"},
    )
    yield Case("new-folder-a", FILES, answer(new("a/b.py", "x\n")), {"a/b.py": b"x\n"})


def _operations() -> Iterator[Case]:
    yield Case(
        "new-file", FILES, answer(new("src/b.py", "x = 1\n")), {"src/b.py": b"x = 1\n"}
    )
    yield Case(
        "new-empty-file",
        FILES,
        answer(new("src/__init__.py", "")),
        {"src/__init__.py": b""},
    )
    yield Case("delete", FILES, answer(line("delete", PATH)), {PATH: None})
    rename = line("rename", f"{PATH} -> src/b.py")
    moved: dict[str, bytes | None] = {PATH: None, "src/b.py": OLD.encode()}
    changed: dict[str, bytes | None] = {PATH: None, "src/b.py": NEW.encode()}
    yield Case("rename", FILES, answer(rename), moved)
    yield Case("rename-other-arrow", FILES, answer(rename.replace("->", "→")), moved)
    yield Case("rename-and-delete", FILES, answer(rename, line("delete", PATH)), moved)
    yield Case(
        "rename-and-edit",
        FILES,
        answer(rename, BLOCK.replace(PATH, "src/b.py")),
        changed,
    )
    yield Case("edit-and-rename", FILES, answer(BLOCK, rename), changed)
    yield Case(
        "rename-and-whole", FILES, answer(rename, whole("src/b.py", NEW)), changed
    )
    yield Case("rename-and-new", FILES, answer(rename, new("src/b.py", NEW)), changed)
    gone = edit(PATH, ("def one():\n    return 1\n\n\n", ""))
    less: dict[str, bytes | None] = {
        PATH: OLD.replace("def one():\n    return 1\n\n\n", "").encode()
    }
    yield Case("name-removed-as-asked", FILES, answer(gone), less, asked="Drop `one`.")
    yield Case("name-removed-as-said", FILES, answer(gone, removes="`one()`"), less)
    moving = new("src/b.py", "def one():\n    return 1\n")
    both: dict[str, bytes | None] = {**less, "src/b.py": b"def one():\n    return 1\n"}
    yield Case("name-moved", FILES, answer(gone, moving), both)
    yield Case("nothing-changes", FILES, answer(whole(PATH, OLD)), {PATH: OLD.encode()})
    yield Case(
        "empty-file-filled", {PATH: b""}, answer(whole(PATH, "x\n")), {PATH: b"x\n"}
    )
    yield Case(
        "blank-edges",
        FILES,
        answer(
            edit(
                PATH,
                (
                    "\n\n\n\ndef one():\n    return 1\n\n\n\n",
                    "\ndef one():\n    return 11\n\n",
                ),
            )
        ),
        {PATH: NEW.encode()},
    )
    yield Case(
        "context-keeps-its-spaces",
        {"a.md": b"one  \ntwo  \nthree\n"},
        answer(edit("a.md", ("one\ntwo\nthree\n", "one\ntwo\nfour\n"))),
        {"a.md": b"one  \ntwo  \nfour\n"},
    )
    yield Case(
        "nothing-changes-but-spaces",
        {"a.md": b"one  \ntwo\n"},
        answer(edit("a.md", ("one\ntwo\n", "one\ntwo\n"))),
        {"a.md": b"one  \ntwo\n"},
    )
    yield Case(
        "indented-blank-line",
        {"a.txt": b"\tone\n\n\ttwo\n"},
        answer(edit("a.txt", ("one\n\ntwo\n", "one\n\nthree\n"))),
        {"a.txt": b"\tone\n\n\tthree\n"},
    )
    repeated = b"[a]\nx = 1\n\n[b]\nx = 1\n\n[c]\nx = 1\n"
    yield Case(
        "repeated-block-told-apart",
        {"a.toml": repeated},
        answer(edit("a.toml", ("[b]\nx = 1\n", "[b]\nx = 2\n"))),
        {"a.toml": repeated.replace(b"[b]\nx = 1", b"[b]\nx = 2")},
    )


def _prose_files() -> Iterator[Case]:
    files = {"docs/a.md": GUIDE.encode()}
    changed = GUIDE.replace("six digits", "six hexadecimal digits")
    want: dict[str, bytes | None] = {"docs/a.md": changed.encode()}
    last = GUIDE.splitlines(keepends=True)[-1]
    block = edit(
        "docs/a.md", (last, last.replace("six digits", "six hexadecimal digits"))
    )
    yield Case("markers-in-a-file-edit", files, answer(block), want)
    yield Case(
        "markers-in-a-file-whole", files, answer(whole("docs/a.md", changed)), want
    )
    yield Case(
        "markers-in-a-new-file",
        {},
        answer(new("b.md", GUIDE)),
        {"b.md": GUIDE.encode()},
    )
    example = "==== a1b2c3 end\n```\n"
    yield Case(
        "markers-in-the-blocks",
        files,
        answer(edit("docs/a.md", (example, f"==== a1b2c3 done\n{example}"))),
        {"docs/a.md": GUIDE.replace(example, f"==== a1b2c3 done\n{example}").encode()},
    )
    nested = '```python\nprint("nested")\n```\n'
    yield Case(
        "nested-fence-in-the-blocks",
        files,
        answer(edit("docs/a.md", (nested, nested.replace("nested", "deep")))),
        {"docs/a.md": GUIDE.replace('"nested"', '"deep"').encode()},
    )
    text = "# T\n\n```sh\nmake\n```\n\nEnd.\n"
    wrapped = f"```markdown\n{text}```\n"
    yield Case(
        "markdown-in-a-fence", {}, answer(new("b.md", wrapped)), {"b.md": text.encode()}
    )
    longer = f"````\n{text}````\n"
    both = "```sh\nmake\n```\n\nand\n\n```sh\nmake test\n```\n"
    yield Case(
        "fences-at-both-edges", {}, answer(new("b.md", both)), {"b.md": both.encode()}
    )
    old = f"{longer}tail\n"
    yield Case(
        "file-that-begins-with-a-fence",
        {"b.md": old.encode()},
        answer(whole("b.md", longer)),
        {"b.md": longer.encode()},
    )
    doc = 'X = """\n```\ncode\n```\n"""\n'
    yield Case(
        "fence-in-a-string", {}, answer(new("b.py", doc)), {"b.py": doc.encode()}
    )
    setext = "Title\n=====\n\n==== not ours\n"
    yield Case(
        "lines-of-equal-signs",
        {},
        answer(new("b.md", setext)),
        {"b.md": setext.encode()},
    )


def _large() -> Iterator[Case]:
    assert len(BIG) == 3000
    old = "".join(f"{text}\n" for text in BIG)
    new_text = old.replace("queue.put(417)", "queue.put(4170)")
    files, want = {PATH: old.encode()}, {PATH: new_text.encode()}
    around = BIG[417 * 5 : 417 * 5 + 4]
    search = "".join(f"{text}\n" for text in around)
    replace = search.replace("put(417)", "put(4170)")
    dedented = "".join(f"{text[4:] or text}\n" for text in around[1:])
    yield Case("large-edit", files, answer(edit(PATH, (search, replace))), want)
    yield Case("large-whole", files, answer(whole(PATH, new_text)), want)
    yield Case(
        "large-shifted",
        files,
        answer(edit(PATH, (dedented, dedented.replace("put(417)", "put(4170)")))),
        want,
    )
    crlf: dict[str, bytes | None] = {PATH: new_text.replace("\n", "\r\n").encode()}
    yield Case(
        "large-crlf",
        {PATH: old.replace("\n", "\r\n").encode()},
        answer(edit(PATH, (search, replace))),
        crlf,
    )
    pairs = [
        (f"        queue.put({number})\n", f"        queue.put(-{number})\n")
        for number in range(0, 600, 3)
    ]
    many = old
    for before, after in pairs:
        many = many.replace(before, after)
    yield Case(
        "large-many-blocks", files, answer(edit(PATH, *pairs)), {PATH: many.encode()}
    )
    recalled = search.replace("job_417(queue)", "job_417(queue, lock)")
    yield Case(
        "large-recalled",
        files,
        answer(edit(PATH, (recalled, recalled.replace("put(417)", "put(4170)")))),
        want,
    )


FINE = {
    "py-skip-rest": ("x.py", "# Skip the rest of the header, it holds no dates.\n"),
    "py-other": ("x.py", "# Other tests need this order.\n"),
    "py-existing": ("x.py", "# An existing lock file is taken over.\n"),
    "py-loading": ("x.py", 'print("Loading ...")\n'),
    "py-same": ("x.py", "x = 1  # same unit as above, in seconds\n"),
    "py-protocol": ("x.py", "class P(Protocol):\n    def run(self) -> None: ...\n"),
    "py-protocol-body": (
        "x.py",
        "class P(Protocol):\n    def run(self) -> None:\n        ...\n",
    ),
    "py-docstring-body": ("x.py", 'def f() -> int:\n    """Say."""\n    ...\n'),
    "py-stub-file": ("x.pyi", "x: int\n...\n"),
    "py-doctest": ("x.py", '"""\n>>> for x in y:\n...     pass\n...\n"""\n'),
    "js-spread": ("x.js", "f({\n  ...rest,\n  ...existing,\n});\n"),
    "js-rest": ("x.js", "const [first, ...rest] = all;\n"),
    "c-variadic": ("x.c", "int log(const char *format,\n        ...\n);\n"),
    "yaml-end": ("x.yml", "a: 1\n...\n"),
    "yaml-items": ("x.yml", "state:\n  - unchanged\n  - existing\n"),
    "go-variadic": ("x.go", "func f(rest ...string) {}\n"),
    "rust-range": ("x.rs", "let Point { x, .. } = point;\n"),
    "md-quote": ("x.md", "He said:\n\n> ...\n\nand left.\n"),
    "readme": ("README", "...\n\nThe rest of the file remains unchanged.\n"),
    "md-heading": ("x.md", "# Existing code\n"),
    "py-existing-file": (
        "x.py",
        "# Existing file.\n# Original content\n# Same as above.\n",
    ),
    "py-marks": ("x.py", "# # # # # x and more\n"),
    "md-prose": ("x.md", "The rest of the file remains unchanged.\n"),
    "md-config": ("x.md", "```toml\n# ...\n```\n"),
    "json-words": ("x.json", '[\n  "unchanged",\n  "existing code"\n]\n'),
    "py-strings": ("x.py", 'WORDS = [\n    "existing code",\n    "unchanged",\n]\n'),
    "ruby-return": ("x.rb", "def f\n  existing\nend\n"),
    "sql-comment": ("x.sql", "-- Existing rows keep their owner.\nSELECT 1;\n"),
}


def _words_that_are_no_elision() -> Iterator[Case]:
    for name, (path, text) in FINE.items():
        want: dict[str, bytes | None] = {path: text.encode()}
        yield Case(f"no-elision-{name}", {}, answer(new(path, text)), want)
    old = "a = 1\n# ... existing code ...\nb = 2\nc = 3\n"
    yield Case(
        "elision-that-was-there",
        {"x.py": old.encode()},
        answer(whole("x.py", old.replace("c = 3", "c = 4"))),
        {"x.py": old.replace("c = 3", "c = 4").encode()},
    )
    stubs = "def f():\n    ...\n\n\ndef g():\n    return 1\n"
    yield Case(
        "stub-that-was-there",
        {"x.py": stubs.encode()},
        answer(whole("x.py", stubs.replace("return 1", "return 2"))),
        {"x.py": stubs.replace("return 1", "return 2").encode()},
    )
