"""The pages of `docs/` that are made from the program and from `docs/sources`."""

import json
from pathlib import Path

from bot.settings.schema import reference_markdown
from reference import commands, schemas, tables
from reference.record import record_page

__all__ = ["pages"]


def pages(sources: Path) -> dict[str, str]:
    """Return every page by its path under `docs/`.

    Args:
        sources: The folder of the texts that no program can know.
    """
    texts = {
        "config.md": reference_markdown(),
        "commands.md": commands.page(),
        "outcomes.md": tables.outcomes_page(sources / "outcomes.toml"),
        "record.md": record_page(sources / "record.toml"),
        "data-folder.md": tables.data_folder_page(sources / "data-folder.toml"),
        "dependencies.md": tables.dependencies_page(sources / "dependencies.toml"),
    }
    made = {f"reference/{name}": text.rstrip() + "\n" for name, text in texts.items()}
    for name, schema in schemas.all_schemas().items():
        text = json.dumps(schema, indent=2, ensure_ascii=False)
        made[f"schema/{name}.schema.json"] = text + "\n"
    return made
