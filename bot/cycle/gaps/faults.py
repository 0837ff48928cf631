"""Why a line can't be worked on as it stands, in words that say what to change."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.cycle.gaps.loops import loops
from bot.cycle.gaps.marked import MarkedLine
from bot.cycle.gaps.tags import shown

_LISTED = 5


@dataclass(frozen=True, slots=True)
class Identified:
    """A marked line with its id."""

    line: MarkedLine
    id: str


def find_faults(
    lines: Sequence[Identified], *, recipes: frozenset[str], recipe_needed: bool
) -> list[str | None]:
    """Return the faults of each line in one text, None where there is none."""
    of_id: defaultdict[str, list[MarkedLine]] = defaultdict(list)
    for known in lines:
        of_id[known.id].append(known.line)
    clashes = {id_: _clashes(id_, same) for id_, same in of_id.items()}
    loop_of = _loops(lines)
    found: list[str | None] = []
    for known in lines:
        faults = [
            *known.line.tags.problems,
            *(clashes[known.id] if known.line.tags.explicit_id else ()),
            *_recipe_faults(known.line, recipes, needed=recipe_needed),
            *_unknown(known.line, of_id),
        ]
        if known.id in loop_of:
            faults.append(f"dependency cycle {loop_of[known.id]}: remove one of these")
        if not known.line.title:
            faults.append("nothing is left as a title: say on the line what is wanted")
        found.append("; ".join(faults) or None)
    return found


def _clashes(name: str, lines: Sequence[MarkedLine]) -> list[str]:
    """Say what is wrong with `[id:name]` on one of the lines that have this id."""
    tagged = [line.where for line in lines if line.tags.explicit_id]
    computed = [line.where for line in lines if not line.tags.explicit_id]
    faults = []
    if len(tagged) > 1:
        places = _listed(tagged)
        faults.append(f"[id:{name}] stands on several lines ({places}): keep one")
    if computed:
        where = computed[0]
        faults.append(f"[id:{name}] is the computed id of {where}: choose another one")
    return faults


def _recipe_faults(
    line: MarkedLine, recipes: frozenset[str], *, needed: bool
) -> list[str]:
    name = line.tags.recipe
    known = _listed(sorted(recipes)) or "none"
    if name is not None and name not in recipes:
        return [f"[recipe:{shown(name)}] is not configured (there is: {known})"]
    if name is None and needed:
        return [f"no recipe: add [recipe:NAME] with one that is configured ({known})"]
    return []


def _unknown(line: MarkedLine, ids: Mapping[str, object]) -> list[str]:
    unknown = [shown(name) for name in line.tags.depends if name not in ids]
    if not unknown:
        return []
    names = _listed(unknown)
    return [f"[depends:…] names {names}: no marked line has that id; correct it"]


def _loops(lines: Sequence[Identified]) -> dict[str, str]:
    edges: defaultdict[str, list[str]] = defaultdict(list)
    for known in lines:
        if not known.line.is_done:
            edges[known.id] += known.line.tags.depends
    return loops(edges)


def _listed(names: Sequence[str]) -> str:
    more = [f"and {len(names) - _LISTED} more"] if len(names) > _LISTED else []
    return ", ".join([*names[:_LISTED], *more])
