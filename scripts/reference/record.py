"""The page of the cycle's record, from its model and the meanings in `docs/sources`."""

from pathlib import Path
from typing import Any

from reference.schemas import record_schema
from reference.tables import read, table

_SIMPLE = {"integer": "whole number", "number": "number", "boolean": "true or false"}


def record_page(source: Path) -> str:
    """Return the page; a field without a meaning, or the other way, is an error."""
    texts = read(source)
    schema = record_schema()
    parts = [texts["before"]]
    for name, shape in {"record": schema, **schema["$defs"]}.items():
        if "properties" not in shape:
            continue
        meanings = texts["fields"].get(name, {})
        if unknown := meanings.keys() ^ shape["properties"].keys():
            odd = ", ".join(sorted(unknown))
            raise ValueError(f"{source}: fields.{name}: {odd} on one side only")
        rows = [
            (f"`{key}`", kind_of(inner), meanings[key])
            for key, inner in shape["properties"].items()
        ]
        parts.append(f"## {texts['heading'][name]}\n")
        parts.append(table(("Field", "Type", "Meaning"), rows))
    parts.append(texts["after"])
    return "\n".join(parts)


def kind_of(schema: dict[str, Any]) -> str:
    """Say what may stand there, in a few words."""
    if "anyOf" in schema:
        return " or ".join(kind_of(option) for option in schema["anyOf"])
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return {"Outcome": "outcome", "Action": "action"}.get(name, f"`{name}`")
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " or ".join(f"`{choice}`" for choice in schema["enum"])
    if schema.get("format") == "date-time":
        return "moment"
    if schema["type"] == "array":
        return f"list of {kind_of(schema['items'])}"
    return _SIMPLE.get(schema["type"], "text" if schema["type"] == "string" else "null")
