"""Context and prompt of a cycle on a large repository, beside plain `git grep`."""

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import accumulate, islice
from pathlib import Path

from bench.measure import Line, git, machine
from bot.domain.gap import Gap
from bot.propose.prompt import Question, build, is_searched
from bot.store.search import Search, terms
from bot.workspace.corpus import Corpus
from bot.workspace.git import Git
from bot.workspace.gitconfig import GitEnv

_FILES = 10_000
_BYTES = 60_000_000
_CHANGED = 20
_ROUNDS = 5
_COLD_S, _WARM_S = 4.0, 0.3
_GAPS = 25
_RESULTS = Path(__file__).parent / "results"
_GAP_TEXT = "Let the {0} {1} of the {2} {3} refuse a {4} that was handled before"


def main() -> int:
    """Measure, print the table and write it; the status says whether bounds held."""
    with tempfile.TemporaryDirectory(prefix="gapwright-bench-") as folder:
        os.environ["HOME"] = folder
        lines = _measure(Path(folder))
    text = _table(lines)
    print(text)
    _RESULTS.mkdir(exist_ok=True)
    (_RESULTS / "prompt.md").write_text(text)
    return 0 if all(line.holds for line in lines) else 1


def _measure(place: Path) -> list[Line]:
    words = _words()
    source = _repository(place / "source", words)
    env = GitEnv.make(place, os.environ)
    there = Git(source / ".git", env)
    gap = _gap("gap", _GAP_TEXT.format(*words[500:5500:1000]))
    corpora: list[Corpus] = []

    def fresh() -> None:
        corpora.append(Corpus(there, Search(place / f"{len(corpora)}.db"), is_searched))
        _prompt(corpora[-1], there.text("rev-parse", "HEAD"), gap)

    def again() -> None:
        # As a new process has it: rows on disk, nothing in memory.
        corpus = Corpus(there, Search(place / "0.db"), is_searched)
        _prompt(corpus, there.text("rev-parse", "HEAD"), gap)
        corpora.append(corpus)

    cold = [_seconds(fresh) for _ in range(2)]
    grep = [_seconds(lambda: _grep(source, gap.text)) for _ in range(_ROUNDS)]
    warm = [_seconds(again) for _ in range(_ROUNDS)]
    moved = []
    for number in range(_ROUNDS):
        _change(source, number)
        moved.append(_seconds(again))
        if corpora[-1].blobs_read > _CHANGED:
            raise SystemExit(f"{corpora[-1].blobs_read} blobs were read again")
    beside = statistics.median(wall for wall, _ in grep)
    lines = [
        _line("cold: no rows yet", cold, beside, _COLD_S),
        _line("warm: a new process, same base", warm, beside, _WARM_S),
        _line(f"a base that changed {_CHANGED} files", moved, beside, _WARM_S),
    ]
    return [*lines, *_found(place, source, there, words)]


def _line(
    what: str, taken: list[tuple[float, float]], beside: float, bound: float
) -> Line:
    wall = statistics.median(wall for wall, _ in taken)
    cpu = statistics.median(cpu for _, cpu in taken)
    return Line(
        what,
        f"{wall:.2f} s (CPU {cpu:.2f} s)",
        f"git grep for the same words {beside:.2f} s",
        f"{bound} s",
        min(wall, cpu) <= bound,
    )


def _found(place: Path, source: Path, there: Git, words: list[str]) -> list[Line]:
    """Compare where the file that a gap is about stands, ours and by `git grep -c`."""
    corpus = Corpus(there, Search(place / "0.db"), is_searched)
    sha = there.text("rev-parse", "HEAD")
    return [
        _right(
            f"the right file in the first 10, of {_GAPS} gaps", "", corpus, sha, source
        ),
        _right(
            "the same, with an everyday word in each", words[5], corpus, sha, source
        ),
    ]


def _right(what: str, more: str, corpus: Corpus, sha: str, source: Path) -> Line:
    chance = random.Random(7)
    rare = _rare(_words())
    ours = beside = 0
    paths = [p for p in corpus.at(sha).paths() if p.endswith(".py")]
    for path in chance.sample(paths, _GAPS):
        said = list(dict.fromkeys((source / path).read_text().split()))
        query = " ".join((*chance.sample([w for w in said if w in rare], 4), more))
        ours += path in corpus.rank(query, sha, 10)
        beside += path in _grep(source, query)[:10]
    return Line(
        what,
        str(ours),
        f"most lines by git grep: {beside}",
        "not worse",
        ours >= beside,
    )


def _rare(words: list[str]) -> frozenset[str]:
    return frozenset(words[2000:])


def _prompt(corpus: Corpus, sha: str, gap: Gap) -> None:
    question = Question(gap, "Answer.", ("pytest -q",), "", (), 60_000, "nonce")
    made = build(question, corpus.at(sha))
    if len(made.files_shown) < 3:
        raise SystemExit("the prompt shows no code")


def _grep(source: Path, query: str) -> list[str]:
    """Return the files with most lines that hold a word, as a script would."""
    arguments = [part for word in terms(query) for part in ("-e", word)]
    done = subprocess.run(
        ("git", "-C", str(source), "grep", "-I", "-i", "-w", "-c", *arguments, "HEAD"),
        check=False,
        capture_output=True,
        text=True,
    )
    counts = [line.rsplit(":", 1) for line in done.stdout.splitlines()]
    best = sorted(counts, key=lambda found: -int(found[1]))
    return [path.removeprefix("HEAD:") for path, _ in best]


def _seconds(thing: Callable[[], object]) -> tuple[float, float]:
    """Return wall time and CPU time, that of git included."""
    before, began = os.times(), time.perf_counter()
    thing()
    wall, after = time.perf_counter() - began, os.times()
    return wall, sum(after[:4]) - sum(before[:4])


def _gap(gap_id: str, text: str) -> Gap:
    return Gap(
        id=gap_id, title=text, text=text, prd_line=text, line_number=1, path="PRD.md"
    )


def _words() -> list[str]:
    chance = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    made = (
        "".join(chance.choices(letters, k=chance.randint(4, 10))) for _ in range(20_000)
    )
    return list(dict.fromkeys(made))


def _repository(folder: Path, words: list[str]) -> Path:
    chance = random.Random(2)
    often = list(accumulate(1 / (n + 1) for n in range(len(words))))
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Bench")
    git(folder, "config", "user.email", "bench@example.org")
    for number in range(_FILES):
        name = "_".join(chance.sample(words, 2))
        path = folder / f"src/{words[number // 1000]}/{words[number // 50]}/{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_source(words, often, number, chance))
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "base")
    git(folder, "repack", "-a", "-d", "-q")
    return folder


def _source(
    words: list[str], often: list[float], number: int, chance: random.Random
) -> str:
    drawn = iter(chance.choices(words, cum_weights=often, k=_BYTES // _FILES // 4))
    lines, size = [f"def make_{next(drawn)}_{number}(value):"], 0
    while size < _BYTES // _FILES:
        a, b, *rest = islice(drawn, 7)
        lines.append(f"    {a} = {b} ( {' , '.join(rest)} )")
        size += len(lines[-1]) + 1
    return "\n".join(lines) + "\n"


def _change(source: Path, number: int) -> None:
    files = sorted(source.glob("src/*/*/*.py"))[number :: _FILES // _CHANGED][:_CHANGED]
    for path in files:
        path.write_text(f"{path.read_text()}\nCHANGED = {number}\n")
    git(source, "commit", "-q", "-a", "-m", f"change {number}")


def _table(lines: list[Line]) -> str:
    head = (
        "# Prompt: context and prompt of one cycle, side by side\n\n"
        f"{datetime.now(UTC):%Y-%m-%d}, {machine()}; load {os.getloadavg()[0]:.1f}. "
        f"{_FILES:,} generated files, {_BYTES // 1_000_000} MB. Medians.\nOn a busy "
        "machine the CPU time decides, that of git included. Written by "
        "`python -m bench.prompt`.\n\n"
        "| what | ours | beside it, in the same run | bound | held |\n"
        "|---|---|---|---|---|\n"
    )
    rows = (
        f"| {x.what} | {x.ours} | {x.beside} | {x.bound} | {'yes' if x.holds else 'NO'} |"
        for x in lines
    )
    return head + "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.exit(main())
