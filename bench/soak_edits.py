"""Answers as models spoil them, laid over files: nothing may be lost without a word.

`python -m bench.soak_edits [COUNT]` tries 20 000 of them; the tests try a few hundred.
For each a file, a change of it and a right answer are made up, then the answer is spoiled
in one or more ways. What harms nothing must be applied to the byte. What harms must be
refused, or come out as meant, or at least keep every line that the answer did not name.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from bot.propose.answer import Answer, Malformed, Replace, WholeFile, parse_answer
from bot.propose.edits import Limits, Misfit, Texts, to_edits
from bot.workspace.text import conform, decode

EXAMPLES = 20_000
_MARK = "7f3a9c"
_LEAST_APPLIED = 0.2  # of all; else the soak would say nothing

_LINES = (
    *("    return x", "    x = x + 1", "", "", "}", "    }", "        x,"),
    *("    pass", "\treturn", "x  ", "    # ... ", "```", "- item", "==== a1b2c3 end"),
    *("    naïve = 'é'", "    if x:", "        return y", "    else:", "a: b"),
)
_HEADS = ("def f{0}(x):", "class C{0}:", "value_{0} = {0}", "    y{0} = g(x, {0})")
_ENDS = ("\n", "\n", "\n", "\r\n", "\r")
_ELISIONS = (
    *("# ... rest of the code unchanged ...", "    // ... existing code ..."),
    *("    # existing code here", "/* ... */", "    # ..."),
)


@dataclass
class Tally:
    """How often each thing came out."""

    counts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class World:
    """A file, what is to become of it, and the hunks that say so."""

    path: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    hunks: tuple[tuple[int, int, tuple[str, ...]], ...]
    end: str
    has_final_end: bool

    def content(self, lines: Sequence[str]) -> bytes:
        """Return lines as this file's bytes."""
        text = self.end.join(lines) + (self.end if lines and self.has_final_end else "")
        return text.encode()


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Make a file with repeated lines, and one to three changes that lie apart."""
    size = draw(st.integers(8, 60))
    numbers = st.integers(0, 400)
    own = st.builds(str.format, st.sampled_from(_HEADS), numbers)
    old = draw(st.lists(st.sampled_from(_LINES) | own, min_size=size, max_size=size))
    old[-1] = old[-1].strip() or "end"
    starts = draw(
        st.lists(st.integers(1, size - 2), min_size=1, max_size=3, unique=True)
    )
    hunks: list[tuple[int, int, tuple[str, ...]]] = []
    new: list[str] = []
    at = 0
    for start in sorted(starts):
        if start < at + 4 and hunks:
            continue
        stop = min(size - 1, start + draw(st.integers(0, 2)))
        added = draw(st.lists(own, max_size=3))
        hunks.append((start, stop, tuple(added)))
        new += [*old[at:start], *added]
        at = stop
    new += old[at:]
    path = draw(st.sampled_from(["a.txt", "src/b.py", "c.js", "d.md", "Makefile"]))
    return World(
        path,
        tuple(old),
        tuple(new),
        tuple(hunks),
        draw(st.sampled_from(_ENDS)),
        draw(st.booleans()),
    )


def _line(*words: str) -> str:
    return f"==== {_MARK} {' '.join(words)}"


def _blocks(world: World, width: int) -> list[str]:
    lines = [_line("edit", world.path)]
    for start, stop, added in world.hunks:
        first, last = _unique(world.old, start, stop, width)
        search = world.old[first:last]
        replace = (*world.old[first:start], *added, *world.old[stop:last])
        lines += [_line("search"), *search, _line("replace"), *replace]
    return [*lines, _line("end")]


def _unique(old: Sequence[str], start: int, stop: int, width: int) -> tuple[int, int]:
    """Return a span around a hunk that stands in the file only once, if there is one."""
    for more in range(width, len(old)):
        first, last = max(0, start - more), min(len(old), stop + more)
        piece = old[first:last]
        count = sum(
            1 for at in range(len(old)) if tuple(old[at : at + len(piece)]) == piece
        )
        if count == 1 and any(line.strip() for line in piece):
            break
    return first, last


def _answer(world: World, body: Sequence[str]) -> list[str]:
    names = [
        line.split()[-1].partition("(")[0].rstrip(":") for line in world.old if line
    ]
    head = [_line("head"), "summary: x", "removes:", *(f"- {name}" for name in names)]
    return [*head, "files:", f"- {world.path}", _line("end"), *body, _line("done")]


Spoiler = Callable[[st.DrawFn, list[str]], list[str]]


def _pick(draw: st.DrawFn, lines: Sequence[str]) -> int:
    return draw(st.integers(0, len(lines) - 1))


def _searched(lines: Sequence[str]) -> list[int]:
    found, inside = [], False
    for at, line in enumerate(lines):
        if line.startswith(f"==== {_MARK}"):
            inside = line == _line("search")
        elif inside:
            found.append(at)
    return found


def _marked(lines: Sequence[str]) -> list[int]:
    return [at for at, line in enumerate(lines) if _MARK in line] or [0]


def _prose(_draw: st.DrawFn, lines: list[str]) -> list[str]:
    return ["Sure:", "", *lines, "", "Done!"]


def _thought(_draw: st.DrawFn, lines: list[str]) -> list[str]:
    return ["<think>", *lines[: len(lines) // 2], "</think>", *lines]


def _spaces_on_markers(_draw: st.DrawFn, lines: list[str]) -> list[str]:
    marked = f"==== {_MARK}"
    return [
        x.replace(x.rstrip(), f"{x.rstrip()} \t") if x.startswith(marked) else x
        for x in lines
    ]


def _decorated_path(draw: st.DrawFn, lines: list[str]) -> list[str]:
    pattern = draw(st.sampled_from(["`{}`", "./{}", '"{}"']))
    words = {_line(verb): verb for verb in ("edit", "whole")}
    return [
        f"{start} {pattern.format(x[len(start) + 1 :])}"
        if (start := next((w for w in words if x.startswith(f"{w} ")), ""))
        else x
        for x in lines
    ]


def _carriage_returns(_draw: st.DrawFn, lines: list[str]) -> list[str]:
    return [f"{x}\r" for x in lines]


HARMLESS: tuple[Spoiler, ...] = (
    *(_prose, _thought, _spaces_on_markers, _decorated_path, _carriage_returns),
)


def _cut(draw: st.DrawFn, lines: list[str]) -> list[str]:
    return lines[: _pick(draw, lines)]


def _without_line(draw: st.DrawFn, lines: list[str]) -> list[str]:
    at = draw(st.sampled_from(_searched(lines) or [0]))
    return [*lines[:at], *lines[at + 1 :]]


def _without_marker(draw: st.DrawFn, lines: list[str]) -> list[str]:
    at = draw(st.sampled_from(_marked(lines)))
    return [*lines[:at], *lines[at + 1 :]]


def _misspelt(draw: st.DrawFn, lines: list[str]) -> list[str]:
    at = draw(st.sampled_from(_searched(lines) or [len(lines) - 1]))
    text = lines[at]
    place = draw(st.integers(0, len(text)))
    drawn = draw(st.sampled_from(["x", " ", "'", "\t", "(", ""]))
    return [*lines[:at], text[:place] + drawn + text[place + 1 :], *lines[at + 1 :]]


def _misspelt_marker(draw: st.DrawFn, lines: list[str]) -> list[str]:
    at = draw(st.sampled_from(_marked(lines)))
    wrong = draw(st.sampled_from(["7f3a9d", "7f3a9", "73fa9c", "7f3a9cc", ""]))
    return [*lines[:at], lines[at].replace(_MARK, wrong), *lines[at + 1 :]]


def _swapped(draw: st.DrawFn, lines: list[str]) -> list[str]:
    at = draw(st.sampled_from(_searched(lines) or [0]))
    return [*lines[:at], *lines[at : at + 2][::-1], *lines[at + 2 :]]


def _doubled(draw: st.DrawFn, lines: list[str]) -> list[str]:
    first = _pick(draw, lines)
    last = draw(st.integers(first, len(lines)))
    return [*lines[:last], *lines[first:last], *lines[last:]]


def _shifted(draw: st.DrawFn, lines: list[str]) -> list[str]:
    added = draw(st.sampled_from(["  ", "    ", "\t"]))
    wanted = set(_searched(lines)[: draw(st.integers(1, 9))])
    return [f"{added}{x}" if at in wanted else x for at, x in enumerate(lines)]


def _hallucinated(draw: st.DrawFn, lines: list[str]) -> list[str]:
    at = draw(st.sampled_from(_searched(lines) or [0]))
    return [*lines[:at], draw(st.sampled_from(_LINES)), *lines[at:]]


HARMFUL: tuple[Spoiler, ...] = (
    *(_cut, _without_line, _without_marker, _misspelt, _misspelt_marker),
    *(_swapped, _doubled, _shifted, _hallucinated),
)


def check(draw: st.DrawFn, tally: Tally) -> None:
    """Make up a world, spoil its answer, and look what comes of it."""
    world = draw(worlds())
    kind = draw(st.sampled_from(["harmless", "harmful", "harmful", "elided"]))
    if kind == "elided":
        _check_elided(draw, world, tally)
        return
    as_whole = kind == "harmless" and draw(st.booleans())
    body = (
        [_line("whole", world.path), *world.new, _line("end")]
        if as_whole
        else _blocks(world, draw(st.integers(0, 3)))
    )
    spoilers = HARMLESS if kind == "harmless" else HARMFUL
    lines = _answer(world, body)
    chosen = draw(
        st.lists(st.sampled_from(spoilers), min_size=1, max_size=2, unique=True)
    )
    for spoil in sorted(chosen, key=lambda one: one is _carriage_returns):
        lines = spoil(draw, lines) or [""]
    answer, out = _outcome(world, lines)
    tally.counts[f"{kind}: {'refused' if out is None else 'applied'}"] += 1
    if out is not None:
        _check_applied(world, answer, out, must_be_exact=kind == "harmless")


def _outcome(world: World, lines: Sequence[str]) -> tuple[Answer | None, bytes | None]:
    answer = parse_answer("\n".join(lines), "stop", _MARK)
    if isinstance(answer, Malformed):
        return None, None
    assert isinstance(answer, Answer), answer
    files = {world.path: world.content(world.old)}
    edits = to_edits(answer, files.get, files.keys, Limits(), Texts(decode, conform))
    if isinstance(edits, Misfit):
        return answer, None
    assert [world.path] == [edit.path for edit in edits], edits
    return answer, edits[0].content


def _check_applied(
    world: World, answer: Answer | None, out: bytes, *, must_be_exact: bool
) -> None:
    if out == world.content(world.new):
        return
    assert not must_be_exact, f"a right answer came out otherwise: {out!r}"
    assert answer is not None
    named: set[str] = set()
    for operation in answer.operations:
        assert not isinstance(operation, WholeFile)
        if isinstance(operation, Replace):
            named.update(
                line.strip()
                for pair in operation.blocks
                for line in pair[0].split("\n")
            )
    kept = [line for line in world.old if line.strip() not in named]
    lines = iter(decode(out).split(world.end))
    lost = [line for line in kept if not any(line == other for other in lines)]
    assert not lost, f"lost without a word: {lost!r} in {out!r}"


def _check_elided(draw: st.DrawFn, world: World, tally: Tally) -> None:
    """Leave out a piece of the whole text; that must never be applied."""
    elision = draw(st.sampled_from(_ELISIONS))
    first = draw(st.integers(0, len(world.new) - 1))
    last = draw(st.integers(first + 1, len(world.new)))
    body = [*world.new[:first], elision, *world.new[last:]]
    lines = _answer(world, [_line("whole", world.path), *body, _line("end")])
    _, out = _outcome(world, lines)
    tally.counts[f"elided: {'refused' if out is None else 'applied'}"] += 1
    if out is None or elision.strip() not in {line.strip() for line in world.old}:
        assert out is None, f"an elision came through: {out!r}"
        return
    # The file has that very line, so this may be meant; but nothing may get less by it.
    assert _filled(body) >= _filled(world.old), f"an elision came through: {out!r}"


def _filled(lines: Sequence[str]) -> int:
    return sum(1 for line in lines if line.strip())


def soak(examples: int, number: int = 0) -> Tally:
    """Try so many answers; the same for the same number.

    Raises:
        AssertionError: Something was lost, or a right answer came out wrong.
    """
    tally = Tally()

    @seed(number)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def run(data: st.DataObject) -> None:
        check(data.draw, tally)

    run()
    return tally


def main() -> int:
    """Try them all and print how they came out."""
    examples = int(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLES
    began = time.monotonic()
    tally = soak(examples)
    total = sum(tally.counts.values())
    applied = sum(n for what, n in tally.counts.items() if what.endswith("applied"))
    for what, count in sorted(tally.counts.items()):
        print(f"{what:<20} {count:>7}")
    print(f"{total} answers in {time.monotonic() - began:.0f} s, none lost a line")
    return 0 if total >= examples and applied >= total * _LEAST_APPLIED else 1


if __name__ == "__main__":
    sys.exit(main())
