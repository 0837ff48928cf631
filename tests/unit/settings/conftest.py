"""A folder with a config in it, written and loaded for real."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.settings.load import Loaded, load_settings


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Loaded]:
    """Write a config as `config/bot.toml` and load it from another folder."""

    def loaded(
        text: str,
        env: Mapping[str, str] | None = None,
        overrides: Mapping[str, str] | None = None,
    ) -> Loaded:
        file = tmp_path / "config" / "bot.toml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        cwd = tmp_path / "work"
        cwd.mkdir(exist_ok=True)
        return load_settings(file, env or {}, cwd, overrides=overrides)

    return loaded


@pytest.fixture
def refusals(load: Callable[..., Loaded], tmp_path: Path) -> Callable[..., list[str]]:
    """Load a config that is wrong, and return what is said, without the file's name."""

    def refused(text: str, env: Mapping[str, str] | None = None) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load(text, env)
        prefix = f"{tmp_path}/config/bot.toml: "
        return [line.removeprefix(prefix) for line in str(caught.value).splitlines()]

    return refused
