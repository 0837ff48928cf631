"""Describes the config for machines (JSON schema) and for people (a reference page)."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from bot.settings.environment import variable_of
from bot.settings.keys import Section, is_list, sections
from bot.settings.model import Settings
from bot.settings.units import DURATION_PATTERN, SIZE_PATTERN

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_BOUNDS = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum"}
_TYPES = {
    "boolean": "true or false",
    "integer": "whole number",
    "number": "US dollars",
    "object": "table of text",
    "string": "text",
}
_INTRODUCTION = """\
# Config reference

Made from the settings model; every key there is. Durations are written `"90s"`,
`"15m"`, `"2h"` or `"3d"`; sizes `"512KB"`, `"64MB"` or `"4GB"`, where 1 KB is 1024 bytes.
Relative paths start at the folder of the config, `~` is the home folder. A variable
beats the file; an unknown key is an error, an unknown `BOT_…` variable a warning.
"""


def config_schema() -> dict[str, Any]:
    """Return the JSON schema (2020-12) of the config as it is written in the file."""
    schema = _tidy(Settings.model_json_schema())
    for section in sections():
        own = _properties(schema, section.model)
        for name, value in written_defaults(section.model).items():
            if "default" in own[name]:
                own[name]["default"] = value
    return {"$schema": _DIALECT, "title": "Gapwright config", **schema}


def written_defaults(model: type[BaseModel]) -> dict[str, Any]:
    """Return the defaults of a section's keys as they are written in the file."""
    return model.model_construct().model_dump(mode="json", exclude_none=True)


def reference_markdown() -> str:
    """Return the reference page: a table of keys for every section."""
    schema = config_schema()
    parts = [_INTRODUCTION]
    parts += (
        "\n".join(_part(section, _properties(schema, section.model)))
        for section in sections()
    )
    return "\n".join(parts)


def _properties(schema: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    home = schema if model is Settings else schema["$defs"][model.__name__]
    properties: dict[str, Any] = home["properties"]
    return properties


def _tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop what TOML has not (null) and what says nothing; name bounds by the standard."""
    tidy: dict[str, Any] = {}
    for key, value in schema.items():
        if key in {"properties", "$defs"}:
            tidy[key] = {name: _tidy(inner) for name, inner in value.items()}
        elif key == "anyOf":
            kinds = [option for option in value if option != {"type": "null"}]
            tidy.update(_tidy(kinds[0]) if len(kinds) == 1 else {"anyOf": kinds})
        elif key in _BOUNDS:
            tidy[_BOUNDS[key]] = value
        elif key != "title" and not (key == "default" and value is None):
            tidy[key] = _tidy(value) if isinstance(value, dict) else value
    return _without_bounds(tidy) if tidy.get("type") == "string" else tidy


def _without_bounds(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop the bounds of durations and sizes, which are text in the file."""
    return {k: v for k, v in schema.items() if k not in _BOUNDS.values()}


def _part(section: Section, properties: dict[str, Any]) -> Iterator[str]:
    title = f"`{section.header}`" if section.path else "Top of the file"
    yield f"## {title}\n"
    yield f"{section.model.__doc__}\n"
    yield "| Key | Type | Default | Meaning |"
    yield "|---|---|---|---|"
    defaults = written_defaults(section.model)
    for name, field in section.own_keys():
        key = f"`{name}`"
        if not section.in_list and not is_list(field):
            key += f" (`{variable_of((*section.path, name))}`)"
        default = _default(defaults.get(name), is_required=field.is_required())
        cells = (key, _type(properties[name]), default, field.description or "")
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""


def _default(value: object, *, is_required: bool) -> str:
    if is_required:
        return "must be given"
    return "not set" if value is None else f"`{as_toml(value)}`"


def as_toml(value: object) -> str:
    """Write a default as it stands in the file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return f"[{', '.join(as_toml(entry) for entry in value)}]"
    if isinstance(value, float):
        return f"{Decimal(str(value)).normalize():f}"
    return "{}" if value == {} else str(value)


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(kind) for kind in schema["anyOf"])
    if "const" in schema:
        return f'`"{schema["const"]}"`'
    if "enum" in schema:
        return " or ".join(f'`"{choice}"`' for choice in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}s".replace("texts", "text")
    named = {DURATION_PATTERN: "duration", SIZE_PATTERN: "size"}
    kind = "path" if schema.get("format") == "path" else _TYPES[schema["type"]]
    return named.get(schema.get("pattern", ""), kind)
