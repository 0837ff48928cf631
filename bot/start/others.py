"""What is guessed for projects in Node, Rust and Go, and from a Makefile."""

import json
import re

from bot.start.guess import Command, Files, Guess, first

_NODE_LOCKS = {
    "pnpm-lock.yaml": ("pnpm", "pnpm install --frozen-lockfile"),
    "yarn.lock": ("yarn", "yarn install --frozen-lockfile"),
    "bun.lock": ("bun", "bun install --frozen-lockfile"),
    "bun.lockb": ("bun", "bun install --frozen-lockfile"),
    "package-lock.json": ("npm", "npm ci"),
    "npm-shrinkwrap.json": ("npm", "npm ci"),
}
_BERRY = ".yarnrc.yml"  # yarn from 2 on calls the same thing otherwise
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_TARGETS = ("test", "tests", "check")
_NO_TEST = "no test specified"  # what `npm init` writes


def guess_node(files: Files) -> Guess | None:
    """Return how a Node project is set up and checked; None without a test script."""
    if not _has_test_script(files):
        return None
    lock = first(files, tuple(_NODE_LOCKS))
    program, run = _NODE_LOCKS[lock] if lock else ("npm", "npm install")
    if program == "yarn" and _BERRY in files.paths:
        run = "yarn install --immutable"
    key = tuple(dict.fromkeys((lock or "package.json", "package.json")))
    setup = Command(run, f"from {key[0]}", key)
    words = "bun run test" if program == "bun" else f"{program} test"
    check = Command(words, "from scripts.test of package.json")
    return Guess(check, setup, (program, "node"))


def guess_rust(files: Files) -> Guess | None:
    """Return how a Rust project is set up and checked; None when it is none."""
    if "Cargo.toml" not in files.paths:
        return None
    lock = first(files, ("Cargo.lock",))
    run = "cargo fetch --locked" if lock else "cargo fetch"
    key = tuple(name for name in ("Cargo.lock", "Cargo.toml") if name in files.paths)
    check = Command("cargo test --offline", "from Cargo.toml")
    return Guess(check, Command(run, f"from {key[0]}", key), ("cargo",))


def guess_go(files: Files) -> Guess | None:
    """Return how a Go project is set up and checked; None when it is none."""
    if "go.mod" not in files.paths:
        return None
    key = tuple(name for name in ("go.sum", "go.mod") if name in files.paths)
    check = Command("go test ./...", "from go.mod")
    return Guess(check, Command("go mod download", "from go.mod", key), ("go",))


def guess_make(files: Files) -> Guess | None:
    """Return the test target of a Makefile; None when there is none."""
    makefile = first(files, _MAKEFILES)
    if makefile is None:
        return None
    text = files.text(makefile)
    for target in _TARGETS:
        if re.search(rf"^{target}[ \t]*::?(?!=)", text, re.MULTILINE):
            why = f"from the target {target} of {makefile}"
            return Guess(Command(f"make {target}", why), None, ("make",))
    return None


def _has_test_script(files: Files) -> bool:
    try:
        package = json.loads(files.text("package.json"))
    except (ValueError, RecursionError):
        return False
    scripts = package.get("scripts") if isinstance(package, dict) else None
    test = scripts.get("test") if isinstance(scripts, dict) else None
    return isinstance(test, str) and bool(test.strip()) and _NO_TEST not in test
