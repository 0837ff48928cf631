"""Repositories and configs to measure on, made with plain git."""

import subprocess
from pathlib import Path

from bench.measure import git

_CONFIG = """data_dir = "data"
[limits]
max_open_prs = 1000000
prs_per_day = 1000000
[[repo]]
name = "bench"
path = "{path}"
base = "main"
forge = "local"
[repo.policy]
max_open_prs = 1000000
prs_per_day = 1000000
[[repo.recipe]]
name = "touch"
run = "echo $BOT_GAP_ID > closed-$BOT_GAP_ID.txt"
[[repo.check]]
run = "true"
"""


def repository(folder: Path, files: int, gaps: int) -> Path:
    """Make a checkout of `files` files, on a branch beside its base `main`."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Bench")
    git(folder, "config", "user.email", "bench@example.org")
    for number in range(files):
        path = folder / f"src/p{number // 1000:03}/q{number // 50:05}/f{number:06}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"file {number}\n" * 20)
    lines = [f"- [ ] Close number {n} [bot-eligible] [id:gap-{n}]" for n in range(gaps)]
    (folder / "PRD.md").write_text("# Requirements\n\n" + "\n".join(lines) + "\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "base")
    git(folder, "switch", "-q", "-c", "work")
    return folder


def config(folder: Path, path: Path) -> Path:
    """Write a config for this repository and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "bot.toml"
    file.write_text(_CONFIG.format(path=path))
    return file


def warm_disk(folder: Path) -> None:
    """Let the disk catch up, so that one measurement doesn't pay for another."""
    subprocess.run(("sync", "-f", str(folder)), check=True)
