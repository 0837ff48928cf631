"""The top-level names of a source file, by one expression a language.

No parser: an expression reads 60 MB in half a second, and a map of a repository needs
no more than names. Every expression is anchored at the start of a line and bounded.
"""

import re

MAX_SYMBOLS = 40
MAX_LENGTH = 80

_NAME = r"[^\W\d][\w$]{0,79}"
_MODIFIERS = r"(?:(?:pub(?:\([a-z ]{1,20}\))?|export|default|public|private|protected|internal|static|final|abstract|sealed|open|data|async|unsafe|const|extern|inline|partial|declare|override|virtual|case|implicit)[ \t]+){0,5}"
_PYTHON = rf"^(?:async[ \t]+)?(?:def|class)[ \t]+({_NAME})|^([A-Z][A-Z0-9_]{{2,60}})[ \t]*(?::[^=\n]{{1,80}})?="
_SCRIPT = rf"^{_MODIFIERS}(?:function\*?|class|interface|enum|type|namespace|const|let|var)[ \t]+({_NAME})"
_GO = rf"^(?:func[ \t]+(?:\([^)\n]{{0,80}}\)[ \t]*)?|type[ \t]+|var[ \t]+|const[ \t]+)({_NAME})"
_RUST = rf"^{_MODIFIERS}(?:fn|struct|enum|trait|mod|type|union|static|macro_rules!|const)[ \t]+({_NAME})"
_BRACES = rf"^{_MODIFIERS}(?:class|interface|enum|record|struct|object|trait|protocol|extension|namespace|fun|func|def|typealias|@interface)[ \t]+({_NAME})"
_C = rf"^(?:(?:struct|enum|union|class|namespace|#define)[ \t]+({_NAME})|(?:[A-Za-z_][\w:<>*&]{{0,60}}[ \t*&]{{1,4}}){{1,5}}({_NAME})[ \t]?\([^;\n]{{0,200}}$)"
_RUBY = rf"^[ \t]{{0,2}}(?:def[ \t]+(?:self\.)?|class[ \t]+|module[ \t]+)({_NAME})"
_PHP = (
    rf"^[ \t]{{0,4}}{_MODIFIERS}(?:function|class|interface|trait|enum)[ \t]+({_NAME})"
)
_SHELL = rf"^(?:function[ \t]+)?({_NAME})[ \t]*\(\)"
_SQL = r"^(?i:create)[ \t]+(?i:or[ \t]+replace[ \t]+)?(?i:table|view|index|function|procedure|trigger|type)[ \t]+(?i:if[ \t]+not[ \t]+exists[ \t]+)?([\w.\"`]{1,80})"
_ELIXIR = r"^[ \t]{0,2}(?:defmodule|defp?|defmacro)[ \t]+([\w.?!]{1,80})"
_LUA = r"^(?:local[ \t]+)?function[ \t]+([\w.:]{1,80})"
_HEADING = r"^#{1,3}[ \t]+(\S[^\n]{0,79})"

_EXPRESSIONS = {
    _PYTHON: "py pyi",
    _SCRIPT: "js jsx mjs cjs ts tsx mts cts vue svelte",
    _GO: "go",
    _RUST: "rs",
    _BRACES: "java kt kts scala cs swift groovy dart",
    _C: "c h cc cpp cxx hh hpp hxx m mm",
    _RUBY: "rb",
    _PHP: "php",
    _SHELL: "sh bash zsh",
    _SQL: "sql",
    _ELIXIR: "ex exs",
    _LUA: "lua",
    _HEADING: "md markdown",
}
_BY_ENDING = {
    ending: re.compile(expression, re.MULTILINE)
    for expression, endings in _EXPRESSIONS.items()
    for ending in endings.split()
}


def symbols_of(path: str, text: str) -> tuple[str, ...]:
    """Return the names that a file defines at its top level, in order, bounded."""
    expression = _BY_ENDING.get(path.rpartition(".")[2].lower())
    if expression is None:
        return ()
    found: dict[str, None] = {}
    for match in expression.finditer(text):
        found[(match[match.lastindex or 0]).strip()[:MAX_LENGTH]] = None
        if len(found) == MAX_SYMBOLS:
            break
    return tuple(name for name in found if name)
