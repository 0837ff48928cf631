"""What the tests of the gap reader share."""

from collections.abc import Callable

import pytest

from bot.cycle.gaps import Document, PrdFile, read_document

Read = Callable[..., Document]


@pytest.fixture
def read() -> Read:
    """Read one document, or several given by path."""

    def read_texts(
        text: str | None = None,
        *,
        recipes: frozenset[str] = frozenset(),
        recipe_needed: bool = False,
        **texts: str,
    ) -> Document:
        files = [PrdFile(path, content) for path, content in texts.items()]
        files += [] if text is None else [PrdFile("PRD.md", text)]
        return read_document(files, recipes=recipes, recipe_needed=recipe_needed)

    return read_texts


@pytest.fixture
def titles(read: Read) -> Callable[[str], list[str]]:
    """Return the titles of the gaps of one document."""
    return lambda text: [entry.gap.title for entry in read(text).entries]


@pytest.fixture
def faults(read: Read) -> Callable[..., list[str | None]]:
    """Return the faults of the gaps of one document."""
    return lambda text, **how: [entry.fault for entry in read(text, **how).entries]
