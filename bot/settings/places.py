"""Makes the paths of a config absolute, and refuses those that would do harm."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.settings.leaks import shown
from bot.settings.model import Settings
from bot.settings.problems import Problem, Where


def place(text: str, start: Path, env: Mapping[str, str]) -> Path:
    """Return a written path as an absolute one, symlinks followed.

    Args:
        text: As it was written; `~` is `$HOME`.
        start: Absolute folder that a relative path starts at.
        env: Where HOME is looked up.

    Raises:
        ValueError: `~` can't be replaced.
    """
    first, _, rest = text.partition("/")
    if first.startswith("~"):
        home = env.get("HOME")
        if first != "~" or not home:
            raise ValueError(
                f"{shown(text)} has a ~ that means nothing here; write it out"
            )
        start, text = Path(home), rest
    return Path(os.path.realpath(start / text))


def absolute(
    settings: Settings, file: Path, env: Mapping[str, str]
) -> tuple[Settings, list[Problem]]:
    """Return the settings with every local path absolute, and what hindered it.

    Relative ones start at the config's folder. `data_dir` is, where it is not set,
    `data` beside the config, and `../data` where the config is `config/bot.toml`.
    """
    folder = file.parent
    faults: list[Problem] = []

    def placed(text: str, where: Where) -> str:
        try:
            return str(place(text, folder, env))
        except ValueError as error:
            faults.append(Problem(where, str(error)))
            return text

    data_dir = str(settings.data_dir)
    if "data_dir" not in settings.model_fields_set:
        is_usual = (folder.name, file.name) == ("config", "bot.toml")
        data_dir = "../data" if is_usual else "data"
    tools = tuple(
        Path(placed(str(tool), ("sandbox", "tools", index)))
        for index, tool in enumerate(settings.sandbox.tools)
    )
    repos = tuple(
        repo
        if repo.is_url
        else repo.model_copy(
            update={"path": placed(repo.path, ("repo", index, "path"))}
        )
        for index, repo in enumerate(settings.repo)
    )
    return settings.model_copy(
        update={
            "data_dir": Path(placed(data_dir, ("data_dir",))),
            "sandbox": settings.sandbox.model_copy(update={"tools": tools}),
            "repo": repos,
        }
    ), faults


def dangers(settings: Settings, env: Mapping[str, str]) -> Iterator[Problem]:
    """Yield the absolute paths that the bot must not use so."""
    if settings.data_dir == Path("/"):
        text = '"/" is the whole machine; write a folder of the bot\'s own'
        yield Problem(("data_dir",), text)
    yield from _shared(settings)
    private = [settings.data_dir, *([Path(env["HOME"])] if env.get("HOME") else [])]
    for index, tool in enumerate(settings.sandbox.tools):
        if any(folder.is_relative_to(tool) for folder in private):
            yield Problem(
                ("sandbox", "tools", index),
                f"{shown(str(tool))} would show a home or the data folder to "
                "untrusted code; name the folder of the tools alone",
            )


def _shared(settings: Settings) -> Iterator[Problem]:
    own = [settings.data_dir / repo.name for repo in settings.repo]
    first: dict[tuple[str, str], int] = {}
    for index, repo in enumerate(settings.repo):
        where: Where = ("repo", index, "path")
        taken = first.setdefault((repo.path, repo.prefix), index)
        if taken != index:
            text = f"{shown(repo.path)} is that of repo[{taken}]; choose another prefix"
            yield Problem(where, text)
        if not repo.is_url and _is_kept(Path(repo.path), settings.data_dir, own):
            text = f"{shown(repo.path)} is where the bot keeps its own files; choose "
            yield Problem(where, text + "another data_dir")


def _is_kept(path: Path, data_dir: Path, own: list[Path]) -> bool:
    return path == data_dir or any(path.is_relative_to(folder) for folder in own)
