"""Which language a path is written in, as far as the guards need to know."""

from typing import Literal

Language = Literal[
    "python", "script", "go", "rust", "java", "c", "ruby", "shell", "yaml", "text", ""
]

_SUFFIXES: dict[Language, str] = {
    "python": "py pyi pyw pyx",
    "script": "js jsx mjs cjs ts tsx mts cts vue svelte",
    "go": "go",
    "rust": "rs",
    "java": "java kt kts scala groovy cs",
    "c": "c h cc cpp cxx hh hpp hxx m mm ino cu",
    "ruby": "rb rake gemspec",
    "shell": "sh bash zsh ksh bats",
    "yaml": "yml yaml",
    "text": "md markdown mdx mdown rst txt adoc asciidoc org qmd rmd tex",
}
_BY_SUFFIX = {
    suffix: language for language, all_ in _SUFFIXES.items() for suffix in all_.split()
}
_TEXT_NAMES = frozenset(
    {"readme", "license", "licence", "copying", "notice", "authors", "changelog"}
    | {"changes", "contributing", "todo", "news", "history", "copyright"}
)


def language_of(path: str) -> Language:
    """Return the language by the file's name; empty where it is not one of these."""
    name = path.rpartition("/")[2].lower()
    if name in _TEXT_NAMES:
        return "text"
    return _BY_SUFFIX.get(name.rpartition(".")[2], "") if "." in name else ""
