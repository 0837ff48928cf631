"""Cases of wrong answers, each with words of the reason that must come."""

from collections.abc import Iterator

from answer_texts import MARK, Case, answer, edit, head, line, new, whole
from cases_tolerated import BLOCK, FILES, NEW, OLD, PATH, PLAIN

CLASS = """\
import os

LIMIT = 3


class Shelf:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def size(self):
        return len(self.items)


def main():
    return Shelf()
"""

ELISIONS = {
    "py-hash": ("x.py", "    # ... rest of the code unchanged ..."),
    "py-existing": ("x.py", "    # existing code here"),
    "py-remaining": ("x.py", "    # (remaining methods unchanged)"),
    "py-only-dots": ("x.py", "    # ..."),
    "py-one-dot": ("x.py", "    # …"),
    "py-bare": ("x.py", "..."),
    "py-named": ("x.py", "    # ... rest of the Shelf class remains the same"),
    "py-unchanged": ("x.py", "    # unchanged"),
    "py-omitted": ("x.py", "    # omitted for brevity"),
    "py-pass": ("x.py", "    pass  # existing implementation"),
    "py-docstring": ("x.py", '    """... existing code ..."""'),
    "py-more": ("x.py", "    # ... (10 more methods)"),
    "py-before": ("x.py", "    # same code as before"),
    "js-slashes": ("x.js", "  // ... existing code ..."),
    "js-star": ("x.js", "  /* rest of the file remains unchanged */"),
    "js-jsx": ("x.jsx", "      {/* ... existing code ... */}"),
    "js-doc": ("x.js", "   * ... rest of the function ..."),
    "js-bare": ("x.js", "  ..."),
    "js-body": ("x.js", "function f() { /* existing code */ }"),
    "ts-other": ("x.ts", "  // ...other methods"),
    "ts-stay": ("x.ts", "  // The remaining code stays the same."),
    "go": ("x.go", "\t// ... rest of implementation"),
    "rust": ("x.rs", "    // ... the other fields stay as before"),
    "rust-doc": ("x.rs", "    //! rest of the module unchanged"),
    "java": ("X.java", "    // Rest of class remains the same"),
    "c": ("x.c", "    /* ... */"),
    "ruby": ("x.rb", "  # rest of the methods unchanged"),
    "shell": ("x.sh", "# ... remaining functions ..."),
    "yaml": ("x.yml", "  # ... rest of the jobs unchanged"),
    "yaml-bare": ("x.yml", "  ..."),
    "make": ("Makefile", "# ... other targets ..."),
    "html": ("x.html", "  <!-- rest of the content -->"),
    "css": ("x.css", "/* ... existing rules ... */"),
    "sql": ("x.sql", "-- rest of the script unchanged"),
    "lua": ("x.lua", "--[[ existing code ]]"),
    "lisp": ("x.el", ";; ... rest of the file ..."),
    "latex": ("x.sty", "% rest of the file unchanged"),
    "vim": ("x.vim", '" ... existing code ...'),
    "ocaml": ("x.ml", "(* existing code *)"),
    "batch": ("x.bat", "REM rest of the file unchanged"),
    "jinja": ("x.j2", "{# rest of the content #}"),
    "fsharp": ("x.fs", "// <existing code>"),
    "german": ("x.py", "# ... der Rest bleibt unverändert"),
    "german-plain": ("x.go", "// restlicher Code wie bisher"),
    "french": ("x.js", "// reste du code inchangé"),
    "spanish": ("x.ts", "// ... resto del código sin cambios ..."),
    "italian": ("x.py", "# il resto del codice rimane invariato"),
    "portuguese": ("x.rb", "# o resto do código permanece igual"),
    "dutch": ("x.c", "// rest van de code blijft ongewijzigd"),
    "polish": ("x.py", "# reszta kodu bez zmian"),
    "russian": ("x.py", "# остальной код без изменений"),
    "ukrainian": ("x.js", "// решта коду без змін"),
    "turkish": ("x.py", "# kodun geri kalan\u0131 de\u011fi\u015fmedi"),
    "chinese": ("x.py", "# 其余代码保持不变"),
    "japanese": ("x.ts", "// ... 既存のコード ..."),
    "korean": ("x.java", "// 나머지 코드는 동일"),
}


def cases() -> Iterator[Case]:
    """Yield them all."""
    yield from _elisions()
    yield from _stubs()
    yield from _cut_off()
    yield from _misread()
    yield from _places()
    yield from _paths()
    yield from _losses()
    yield from _fences()
    yield from _contradictions()
    yield from _bytes()


def _elisions() -> Iterator[Case]:
    why = "left out"
    for name, (path, text) in ELISIONS.items():
        old = "".join(f"line {number}\n" for number in range(20))
        lines = old.splitlines(keepends=True)
        after = "".join([*lines[:4], "new\n", f"{text}\n", *lines[9:]])
        yield Case(
            f"elision-{name}",
            {path: old.encode()},
            answer(whole(path, after)),
            why,
            quote=text.strip(),
        )
    yield Case(
        "elision-in-a-new-file",
        {},
        answer(new("b.py", "def f():\n    # ... existing code ...\n    return 1\n")),
        why,
    )
    yield Case(
        "elision-in-a-replacement",
        {PATH: CLASS.encode()},
        answer(edit(PATH, (CLASS, f"{CLASS[:60]}# ... rest unchanged ...\n"))),
        why,
    )
    old = "a = 1\n# ...\nb = 2\nc = 3\nd = 4\n"
    yield Case(
        "elision-beside-a-real-one",
        {"x.py": old.encode()},
        answer(whole("x.py", "a = 1\n# ...\nb = 2\n# ...\n")),
        why,
    )
    yield Case(
        "elision-that-was-elsewhere",
        {"x.py": old.encode()},
        answer(whole("x.py", "a = 1\nb = 2\nz = 3\n# ...\ny = 1\n")),
        why,
    )
    yield Case(
        "elision-in-existing-prose",
        {"x.md": b"# T\n\none\n\ntwo\n\nthree\n"},
        answer(whole("x.md", "# T\n\nzero\n\n...\n\nthree\n")),
        why,
    )
    yield Case(
        "elision-in-brackets",
        {"x.md": b"# T\n\none\n\ntwo\n\nthree\n"},
        answer(whole("x.md", "# T\n\nzero\n\n[rest of the document unchanged]\n")),
        why,
    )


def _stubs() -> Iterator[Case]:
    for name, body in (("inline", " ..."), ("below", "\n        ...")):
        after = CLASS.replace(
            "add(self, item):\n        self.items.append(item)",
            f"add(self, item):{body}",
        )
        yield Case(
            f"stub-{name}",
            {PATH: CLASS.encode()},
            answer(whole(PATH, after)),
            "left out",
        )


def _cut_off() -> Iterator[Case]:
    for reason in ("length", "max_tokens", "MAX_TOKENS"):
        yield Case(f"cut-off-{reason}", FILES, PLAIN, "cut off", reason)
    yield Case("withheld", FILES, PLAIN, "content_filter", "content_filter")
    for name, end in (
        ("in-head", f"{MARK} end\n"),
        ("in-search", line("replace")),
        ("in-replace", line("end") + line("done")),
    ):
        text = PLAIN[: PLAIN.index(end)]
        yield Case(f"cut-{name}", FILES, text, "cut off")
    text = answer(whole(PATH, NEW))
    yield Case("cut-in-whole", FILES, text[: text.index("def two")], "cut off")
    yield Case(
        "cut-between", FILES, PLAIN.removesuffix(line("done")), "neither a final"
    )
    listed = head("files:", f"- {PATH}", "- src/b.py") + BLOCK
    yield Case("cut-before-a-file", FILES, listed, "no block", quote="src/b.py")
    yield Case("cut-in-thought", FILES, f"<think>{PLAIN}", "cut off inside")
    unclosed = answer(line("new", "src/b.py") + "x\n" + BLOCK)
    yield Case("unclosed-block", FILES, unclosed, "is not closed")
    yield Case(
        "misspelt-end",
        FILES,
        answer(whole(PATH, NEW).replace(line("end"), "==== 7f3b9c end\n")),
        "where the mark is",
    )
    yield Case(
        "mark-with-one-digit-less",
        FILES,
        answer(whole(PATH, NEW).replace(line("end"), "==== 7f3a9 end\n")),
        "where the mark is",
    )


def _misread() -> Iterator[Case]:
    yield Case("empty", FILES, "", "no marker lines")
    yield Case(
        "prose-only", FILES, "I can't do that.", "no marker lines", quote="I can't"
    )
    other = PLAIN.replace(MARK, "ffffff")
    yield Case("other-mark", FILES, other, "no marker lines")
    yield Case("no-head", FILES, BLOCK + line("done"), "no head")
    yield Case("two-heads", FILES, head() + PLAIN, "two heads")
    yield Case(
        "no-summary", FILES, PLAIN.replace("summary: Change it\n", ""), "no `summary`"
    )
    yield Case("no-change", FILES, answer(), "changes no file")
    yield Case("two-answers", FILES, PLAIN + PLAIN, "more after `done`")
    yield Case(
        "unknown-word", FILES, PLAIN.replace(f"{MARK} edit", f"{MARK} patch"), "'patch'"
    )
    yield Case(
        "head-of-prose", FILES, PLAIN.replace("summary:", "Well, summary"), "no known"
    )
    yield Case(
        "head-twice", FILES, PLAIN.replace("summary:", "summary: a\nsummary:"), "twice"
    )
    json = line("head") + '{"summary": "x"\n' + line("end") + BLOCK + line("done")
    yield Case("head-of-bad-json", FILES, json, "JSON")
    yield Case(
        "no-search",
        FILES,
        answer(line("edit", PATH) + "x\n" + line("end")),
        "no `search`",
    )
    yield Case("no-replace", FILES, PLAIN.replace(line("replace"), ""), "no `replace`")
    yield Case("replace-first", FILES, PLAIN.replace(line("search"), ""), "no `search`")
    yield Case(
        "two-searches",
        FILES,
        PLAIN.replace(line("replace"), line("search")),
        "no `replace`",
    )
    yield Case(
        "search-in-whole",
        FILES,
        answer(whole(PATH, line("search"))),
        "outside of an `edit`",
    )
    yield Case("no-path", FILES, PLAIN.replace(f"edit {PATH}", "edit"), "names no path")
    yield Case(
        "rename-to-nothing", FILES, answer(line("rename", PATH)), "old path -> new path"
    )
    yield Case(
        "rename-through",
        FILES,
        answer(line("rename", "a -> b -> c")),
        "old path -> new path",
    )


def _places() -> Iterator[Case]:
    twins = b"[a]\nx = 1\n\n[b]\nx = 1\n"
    yield Case(
        "several-places",
        {"a.toml": twins},
        answer(edit("a.toml", ("x = 1\n", "x = 2\n"))),
        "at lines 2, 5",
        quote="[b]",
    )
    spaced = b"[a]\nx = 1 \n\n[b]\nx = 1  \n"
    yield Case(
        "several-places-but-for-spaces",
        {"a.toml": spaced},
        answer(edit("a.toml", ("x = 1\n", "x = 2\n"))),
        "but for white space in several places, at lines 2, 5",
    )
    deep = b"if a:\n    x = 1\nif b:\n        x = 1\n"
    yield Case(
        "several-places-but-for-indentation",
        {"a.py": deep},
        answer(edit("a.py", ("x = 1\n", "x = 2\n"))),
        "but for indentation in several places, at lines 2, 4",
    )
    yield Case(
        "very-many-places",
        {"a.txt": b"x\n" * 3000},
        answer(edit("a.txt", ("x\n" * 100, "y\n"))),
        "several places",
    )
    yield Case(
        "not-there",
        FILES,
        answer(edit(PATH, ("    return 12\n", "    return 3\n"))),
        "not in the file",
        quote="    return 1\n",
    )
    yield Case(
        "not-there-at-all",
        FILES,
        answer(edit(PATH, ("while (true) {{}}\n", "x\n"))),
        "not in the file",
    )
    search = CLASS.replace("append(item)", "push(item)")
    yield Case(
        "almost-there-where-it-changes",
        {PATH: CLASS.encode()},
        answer(edit(PATH, (search, search.replace("push(item)", "insert(0, item)")))),
        "almost that of lines",
        quote="append(item)",
    )
    twin = "".join(
        f"def {name}(x):\n    check(x)\n    log.debug('{name} was called')\n    return x\n\n"
        for name in ("first", "other")
    )
    third = (
        "def third(x):\n    check(x)\n    log.debug('third was called')\n    return x\n"
    )
    yield Case(
        "almost-there-twice",
        {PATH: twin.encode()},
        answer(edit(PATH, (third, third.replace("return x", "return y")))),
        "not in the file",
    )
    yield Case(
        "insertion-between-lines-that-are-not-beside",
        {PATH: CLASS.encode()},
        answer(
            edit(
                PATH,
                (
                    CLASS[CLASS.index("class") :].replace(
                        "        self.items = []\n\n", ""
                    ),
                    CLASS[CLASS.index("class") :].replace(
                        "        self.items = []\n\n", "        self.count = 0\n"
                    ),
                ),
            )
        ),
        "almost that of lines",
    )
    wide = "x" * 400
    long = [f"line {number} of the file\n" for number in range(30)]
    old, wrong = "".join([*long[:15], f"{wide}\n", *long[15:]]), f"{wide}y\n"
    yield Case(
        "very-long-line-recalled",
        {"a.txt": old.encode()},
        answer(
            edit(
                "a.txt",
                (
                    "".join([*long[:15], wrong, *long[15:]]),
                    "".join([*long[:15], wrong, *long[15:29], "end\n"]),
                ),
            )
        ),
        "not in the file",
    )
    made_up = CLASS.replace("class Shelf:\n", "class Shelf:\n    pass\n    never = 1\n")
    yield Case(
        "changes-lines-that-are-not-there",
        {PATH: CLASS.encode()},
        answer(edit(PATH, (made_up, made_up.replace("    never = 1\n", "")))),
        "almost that of lines",
    )
    yield Case("empty-search", FILES, answer(edit(PATH, ("", "x\n"))), "is empty")
    yield Case("blank-search", FILES, answer(edit(PATH, ("\n  \n", "x\n"))), "is empty")
    yield Case(
        "uneven-shift",
        FILES,
        answer(
            edit(PATH, (" def one():\n   return 1\n", " def one():\n   return 3\n"))
        ),
        "not in the file",
    )
    yield Case(
        "shift-of-unknown-width",
        {"a.go": b"\tif x {\n\t}\n"},
        answer(edit("a.go", ("if x {\n}\n", "if x {\n    y()\n}\n"))),
        "differs in what the block changes",
    )
    for name, pairs in {
        "overlap": (
            ("import os\n\n\ndef one():\n", "x\n"),
            ("def one():\n    return 1\n", "y\n"),
        ),
        "one-changes-what-the-other-searches": (
            ("    return 1\n", "    return 3\n"),
            ("    return 1\n\n\ndef two():\n", "    return 1\n\n\ndef too():\n"),
        ),
        "two-insertions-at-a-place": (
            ("import os\n", "import os\nimport re\n"),
            ("import os\n\n", "import os\nimport sys\n\n"),
        ),
        "same-search-twice": (
            ("    return 1\n", "    return 3\n"),
            ("    return 1\n", "    return 4\n"),
        ),
    }.items():
        yield Case(
            name,
            FILES,
            answer(edit(PATH, *pairs), removes="one, two"),
            "change the same",
        )
    many = [(f"x{n}\n", "y\n") for n in range(301)]
    yield Case("too-many-blocks", FILES, answer(edit(PATH, *many)), "more than 300")


def _paths() -> Iterator[Case]:
    def at(path: str) -> str:
        return PLAIN.replace(f"edit {PATH}", f"edit {path}")

    yield Case("no-such-file", FILES, at("lib/a.py"), "no such file", quote=PATH)
    yield Case("almost-such-file", FILES, at("src/ab.py"), "no such file", quote=PATH)
    yield Case("no-such-whole", FILES, answer(whole("b.py", "x\n")), "no such file")
    yield Case("no-such-delete", FILES, answer(line("delete", "b.py")), "no such file")
    yield Case(
        "no-such-rename", FILES, answer(line("rename", "b.py -> c.py")), "no such file"
    )
    yield Case("new-but-there", FILES, answer(new(PATH, NEW)), "is there already")
    yield Case("new-but-there-by-side", FILES, answer(new(f"a/{PATH}", NEW)), "already")
    there = {**FILES, "src/b.py": b"x\n"}
    yield Case(
        "rename-onto", there, answer(line("rename", f"{PATH} -> src/b.py")), "already"
    )
    for name, path in (
        ("absolute", "/etc/passwd"),
        ("upwards", "../a.py"),
        ("inner-upwards", "src/../a.py"),
        ("git", ".git/config"),
        ("backslash", "src\\a.py"),
        ("control", "src/\x1ba.py"),
        ("folder", "src/"),
    ):
        yield Case(
            f"path-{name}", FILES, answer(new(path, "x\n")), "is no path of a file"
        )
    twins = {"r\u00e9/a\u0301": b"x\n", "re\u0301/\u00e1": b"x\n"}
    text = answer(edit("r\u00e9/\u00e1", ("x\n", "y\n")))
    yield Case("path-of-two-forms", twins, text, "no such file")


def _losses() -> Iterator[Case]:
    long = CLASS + "".join(f"\n\ndef f{n}():\n    return {n}\n" for n in range(20))
    yield Case("shrink", {PATH: long.encode()}, answer(whole(PATH, CLASS)), "dropped")
    yield Case("emptied", {PATH: CLASS.encode()}, answer(whole(PATH, "")), "dropped")
    for path, text, name in (
        ("a.py", "def gone():\n    pass\n\n\nx = 1\n", "gone"),
        ("a.py", "async def gone():\n    pass\n\n\nx = 1\n", "gone"),
        ("a.py", "class Gone:\n    pass\n\n\nx = 1\n", "Gone"),
        ("a.py", "GONE: int = 1\n\nx = 1\n", "GONE"),
        ("a.js", "export async function gone() {}\n\nx = 1\n", "gone"),
        ("a.js", "export const gone = () => 1;\n\nx = 1\n", "gone"),
        ("a.ts", "export interface Gone {}\n\nx = 1\n", "Gone"),
        ("a.go", "func (s *Shelf) Gone() {}\n\nx = 1\n", "Shelf.Gone"),
        ("a.go", "type Gone struct{}\n\nx = 1\n", "Gone"),
        ("a.rs", "pub(crate) async fn gone() {}\n\nx = 1\n", "gone"),
        ("a.rs", "macro_rules! gone { () => {} }\n\nx = 1\n", "gone"),
        ("A.java", "    public static List<String> gone(int a) {}\n\nx = 1\n", "gone"),
        ("A.java", "public final class Gone {}\n\nx = 1\n", "Gone"),
        ("a.c", "static int *gone(int a)\n{\n}\n\nx = 1\n", "gone"),
        ("a.c", "#define GONE 1\n\nx = 1\n", "GONE"),
        ("a.c", "struct gone {\n};\n\nx = 1\n", "gone"),
        ("a.rb", "  def gone?\n  end\n\nx = 1\n", "gone?"),
        ("a.rb", "module Gone\nend\n\nx = 1\n", "Gone"),
        ("a.sh", "gone() {\n}\n\nx = 1\n", "gone"),
        ("a.sh", "function gone {\n}\n\nx = 1\n", "gone"),
    ):
        first = text[: text.index("\n\n") + 1]
        yield Case(
            f"lost-{path}-{first.splitlines()[0]}",
            {path: text.encode()},
            answer(edit(path, (first, ""))),
            f"names are lost: {name}",
            asked=f"Fix {name}.",
        )
    moved = {**FILES, "src/b.py": b"def one():\n    return 0\n"}
    gone = edit(PATH, ("def one():\n    return 1\n\n\n", ""))
    other = edit("src/b.py", ("    return 0\n", "    return 5\n"))
    yield Case(
        "lost-though-another-file-has-one", moved, answer(gone, other), "lost: one"
    )
    yield Case(
        "lost-by-whole",
        FILES,
        answer(whole(PATH, OLD[: OLD.index("def two")])),
        "lost: two",
    )


def _fences() -> Iterator[Case]:
    why = "code fence stands at the edge"
    single = "```\ncode\n```\n"
    yield Case("fence-that-may-be-the-text", {}, answer(new("a.md", single)), why)
    loose = "```markdown\n# T\n```\ncode\n```\n```\n"
    yield Case("fences-that-read-both-ways", {}, answer(new("a.md", loose)), why)
    yield Case("fence-not-closed", FILES, answer(whole(PATH, f"```python\n{NEW}")), why)
    yield Case("fence-not-opened", FILES, answer(whole(PATH, f"{NEW}```\n")), why)
    yield Case(
        "fence-around-the-replacement",
        FILES,
        answer(edit(PATH, ("    return 1\n", "```\n    return 11\n```\n"))),
        "around the replacing text",
    )


def _contradictions() -> Iterator[Case]:
    why = "contradict"
    gone = line("delete", PATH)
    rename = line("rename", f"{PATH} -> src/b.py")
    yield Case("two-wholes", FILES, answer(whole(PATH, NEW), whole(PATH, OLD)), why)
    yield Case("whole-and-edit", FILES, answer(whole(PATH, NEW), BLOCK), why)
    yield Case("edit-and-whole", FILES, answer(BLOCK, whole(PATH, NEW)), why)
    yield Case("edit-and-delete", FILES, answer(BLOCK, gone), why)
    yield Case("delete-and-edit", FILES, answer(gone, BLOCK), why)
    yield Case("delete-and-whole", FILES, answer(gone, whole(PATH, NEW)), why)
    yield Case(
        "rename-and-delete-new", FILES, answer(rename, line("delete", "src/b.py")), why
    )
    yield Case("rename-and-new-old", FILES, answer(rename, new(PATH, NEW)), why)
    yield Case(
        "rename-twice",
        FILES,
        answer(rename, rename.replace("b.py", "c.py")),
        "another rename",
    )
    two = {**FILES, "src/c.py": b"x\n"}
    yield Case(
        "rename-two-onto-one",
        two,
        answer(rename, line("rename", "src/c.py -> src/b.py")),
        "another rename",
    )
    yield Case("new-twice", {}, answer(new("b", "x\n"), new("b", "y\n")), why)


def _bytes() -> Iterator[Case]:
    def case(name: str, content: bytes, text: str, why: str) -> Case:
        block = edit("a.txt", ("one\n", text))
        return Case(name, {"a.txt": content}, answer(block), why)

    yield case("not-in-latin-1", b"one\n\xe9\n", "€\n", "latin-1")
    yield case("binary", b"one\n\0\n", "two\n", "binary")
    yield case("utf-16", "\ufeffone\n".encode("utf-16-le"), "two\n", "binary")
    yield case("huge", b"one\n" + b"x" * (2 * 1024 * 1024), "two\n", "larger than")
    lone = "\ud800"
    yield Case(
        "half-a-character", {}, answer(new("b.txt", f"{lone}\n")), "no character"
    )
