"""What is guessed for a Python project."""

import shlex
import tomllib
from collections.abc import Iterator

from bot.start.guess import Command, Files, Guess, first

_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg")
_PYTEST_FILES = ("pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py")
_PYTEST_TEXTS = ("pyproject.toml", "setup.cfg", "tox.ini", "noxfile.py", "Pipfile")
_REQUIREMENTS = (
    "requirements.txt",
    *("requirements-dev.txt", "requirements-test.txt", "requirements-tests.txt"),
    *("dev-requirements.txt", "test-requirements.txt", "requirements_dev.txt"),
    *("requirements/dev.txt", "requirements/test.txt", "requirements/tests.txt"),
)
_LOCKS = {
    "uv.lock": ("uv", "uv sync", {}),
    "poetry.lock": (
        "poetry",
        "poetry install --no-interaction",
        {"POETRY_VIRTUALENVS_IN_PROJECT": "true"},
    ),
    "pdm.lock": ("pdm", "pdm sync", {"PDM_IGNORE_ACTIVE_VENV": "true"}),
    "Pipfile.lock": (
        "pipenv",
        "pipenv sync --dev",
        {"PIPENV_VENV_IN_PROJECT": "1"},
    ),
}
_VENV = "python3 -m venv .venv && .venv/bin/pip install"
_EXTRAS = ("test", "tests", "testing", "dev")
_LOOKED_INTO = 20  # test files


def guess_python(files: Files) -> Guess | None:
    """Return how a Python project is set up and checked; None without a way to test."""
    tests = sorted(filter(_is_test, files.paths))
    hint = _pytest_hint(files)
    if hint is None and not tests:
        return None
    is_pytest = hint is not None or not _has_unittest(files, tests)
    runner = "pytest -q" if is_pytest else _unittest(files, tests)
    setup, program = _setup(files, needs_pytest=is_pytest)
    python = ".venv/bin/python" if setup else "python3"
    check = Command(f"{python} -m {runner}", f"from {hint or tests[0]}")
    return Guess(check, setup, (program,))


def _is_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (
        name.startswith("test") or name.endswith("_test.py")
    )


def _pytest_hint(files: Files) -> str | None:
    found = first(files, _PYTEST_FILES)
    texts = (*_PYTEST_TEXTS, *_REQUIREMENTS)
    return found or next((p for p in texts if "pytest" in files.text(p)), None)


def _has_unittest(files: Files, tests: list[str]) -> bool:
    return any("unittest" in files.text(path) for path in tests[:_LOOKED_INTO])


def _unittest(files: Files, tests: list[str]) -> str:
    """Return how `unittest` finds the tests: it only descends into packages."""
    folders = {path.partition("/")[0] for path in tests if "/" in path}
    folder = next((name for name in ("tests", "test") if name in folders), None)
    if folder is None or f"{folder}/__init__.py" in files.paths:
        return "unittest"
    return f"unittest discover -s {folder}"


def _setup(files: Files, *, needs_pytest: bool) -> tuple[Command | None, str]:
    """Return the set-up command and the program that it needs."""
    lock = first(files, tuple(_LOCKS))
    if lock:
        program, run, env = _LOCKS[lock]
        extra = _extra(files) if program == "uv" else ""
        run += f" --extra {extra}" if extra else ""
        key = tuple(name for name in (lock, "pyproject.toml") if name in files.paths)
        return Command(run, f"from {lock}", key, env), program
    return _pip(files, needs_pytest=needs_pytest), "python3"


def _pip(files: Files, *, needs_pytest: bool) -> Command | None:
    named = tuple(name for name in _REQUIREMENTS if name in files.paths)
    words = [word for name in named for word in ("-r", name)]
    text = "".join(map(files.text, named))
    key = named or tuple(name for name in _MANIFESTS if name in files.paths)
    if not named and _is_package(files):
        extra = _extra(files)
        words += ["-e", f".[{extra}]" if extra else "."]
        text = files.text("pyproject.toml") if extra else ""
    if needs_pytest and "pytest" not in text:
        words.append("pytest")
        key = key or tuple(n for n in (*_PYTEST_FILES, "tox.ini") if n in files.paths)
    if not words:
        return None
    why = f"from {key[0]}" if key else "the tests need pytest"
    return Command(f"{_VENV} {shlex.join(words)}", why, key)


def _is_package(files: Files) -> bool:
    project = _pyproject(files)
    return "setup.py" in files.paths or bool({"project", "build-system"} & set(project))


def _extra(files: Files) -> str:
    """Return the optional dependencies that tests need, by one of the usual names."""
    return next((name for name in _EXTRAS if name in set(_extras(files))), "")


def _extras(files: Files) -> Iterator[str]:
    project = _pyproject(files).get("project")
    optional = project.get("optional-dependencies") if isinstance(project, dict) else {}
    yield from optional if isinstance(optional, dict) else ()


def _pyproject(files: Files) -> dict[str, object]:
    try:
        return tomllib.loads(files.text("pyproject.toml"))
    except (ValueError, RecursionError):
        return {}
