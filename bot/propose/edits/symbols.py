"""The top-level names of a file, by one regex a language and line."""

import re
from collections.abc import Iterator, Mapping

from bot.propose.edits.languages import Language, language_of
from bot.propose.edits.lines import split_lines

_MAX_WIDTH = 400  # characters; a longer line declares nothing that people wrote

_JS_WORDS = r"(?:export|default|declare|abstract|async|public)[ \t]+"
_JAVA_WORDS = (
    r"(?:public|protected|private|internal|static|final|abstract|sealed|default|data|"
    r"open|override|synchronized|native|async|virtual|partial|readonly|suspend)[ \t]+"
)
_PATTERNS: Mapping[Language, str] = {
    "python": (
        r"(?:(?:async[ \t]+)?def|class)[ \t]+(?P<name>\w+)"
        r"|(?P<constant>[A-Z][A-Z0-9_]*)[ \t]*(?::[^=]{0,200})?=(?!=)"
    ),
    "script": (
        rf"(?:{_JS_WORDS}){{0,4}}(?:function[ \t]*\*?|class|interface|type|"
        r"(?:const[ \t]+)?enum|namespace|const|let|var)[ \t]+(?P<name>[\w$]+)"
    ),
    "go": (
        r"(?:func[ \t]+(?:\([ \t]*(?:\w+[ \t]+)?\*?(?P<owner>\w+)[^)]{0,100}\)[ \t]*)?"
        r"|type[ \t]+|var[ \t]+|const[ \t]+)(?P<name>\w+)"
    ),
    "rust": (
        r"(?:pub(?:\([^)]{0,100}\))?[ \t]+)?"
        r"(?:(?:default|const|async|unsafe|extern(?:[ \t]+\"[^\"]{0,20}\")?)[ \t]+){0,4}"
        r"(?:fn|struct|enum|trait|type|mod|static|const|union|macro_rules!)[ \t]+"
        r"(?P<name>\w+)"
    ),
    "java": (
        rf"(?:[ ]{{2,4}}|\t)?(?:{_JAVA_WORDS}){{0,5}}"
        r"(?:(?:class|interface|enum|record|object|struct|trait|fun|def|@interface)"
        r"[ \t]+(?P<name>\w+)"
        r"|(?P<type>[\w.]{1,80}(?:<[^;(){}=]{0,120}>)?(?:\[\])*)[ \t]+"
        r"(?P<method>\w{1,80})[ \t]*\([^;]*\Z)"
    ),
    "c": (
        r"(?:typedef[ \t]+)?(?:struct|union|enum|class|namespace)[ \t]+(?P<name>\w+)"
        r"[ \t]*(?:\{.*)?\Z"
        r"|\#[ \t]*define[ \t]+(?P<constant>\w+)"
        r"|(?P<type>[A-Za-z_][\w \t*:<>,&]{0,150}?)[ \t*&]"
        r"(?P<method>[\w:~]{1,80})[ \t]*\([^;]*\Z"
    ),
    "ruby": (
        r"(?:[ ]{2})?(?:class|module|def)[ \t]+(?P<name>[\w.:]+[?!=]?)"
        r"|(?P<constant>[A-Z][A-Z0-9_]*)[ \t]*=(?!=)"
    ),
    "shell": (r"function[ \t]+(?P<name>[\w:.-]+)|(?P<method>[\w:.-]+)[ \t]*\([ \t]*\)"),
}
_COMPILED = {
    language: re.compile(pattern, re.ASCII if language == "c" else 0)
    for language, pattern in _PATTERNS.items()
}
_NO_TYPES = frozenset(
    {"return", "new", "else", "throw", "case", "do", "if", "for", "while", "switch"}
    | {
        "await",
        "yield",
        "goto",
        "delete",
        "using",
        "import",
        "package",
        "static_assert",
    }
)


def symbols(path: str, text: str) -> frozenset[str]:
    """Return the names that a file declares at its top level.

    A Go method is `Type.Name`. In languages whose code lives in classes, methods at the
    first indentation count as well. Empty for other languages.
    """
    pattern = _COMPILED.get(language_of(path))
    if pattern is None:
        return frozenset()
    return frozenset(_names(pattern, split_lines(text)))


def _names(pattern: re.Pattern[str], lines: list[str]) -> Iterator[str]:
    for line in lines:
        found = pattern.match(line) if len(line) <= _MAX_WIDTH else None
        if found is None:
            continue
        groups = found.groupdict()
        kind = (groups.get("type") or "").split()
        if kind and kind[0] in _NO_TYPES:
            continue
        name = groups.get("name") or groups.get("constant") or groups.get("method")
        owner = groups.get("owner")
        if name and name not in _NO_TYPES:
            yield f"{owner}.{name}" if owner else name
