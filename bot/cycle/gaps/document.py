"""All gaps of all requirements documents of one commit."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from bot.cycle.gaps.faults import Identified, find_faults
from bot.cycle.gaps.identity import computed_ids
from bot.cycle.gaps.marked import marked_lines
from bot.cycle.gaps.source import PrdFile
from bot.domain.gap import Gap, GapEntry


@dataclass(frozen=True, slots=True)
class Document:
    """What the requirements documents say.

    Attributes:
        entries: The gaps that are not done, in path order (by code point), then line
            order; faulty ones too.
        done_ids: Ids of the lines that are ticked or `[bot-done]`.
    """

    entries: tuple[GapEntry, ...]
    done_ids: frozenset[str]


def read_document(
    files: Sequence[PrdFile], *, recipes: frozenset[str], recipe_needed: bool
) -> Document:
    """Read every gap.

    Args:
        files: The requirements documents, in any order.
        recipes: Names that `[recipe:…]` may use.
        recipe_needed: Whether a gap without `[recipe:…]` can't be worked on, because
            the proposer needs a recipe and none is the default.
    """
    lines = identified_lines(files)
    faults = find_faults(lines, recipes=recipes, recipe_needed=recipe_needed)
    entries = (
        GapEntry(gap_of(known), fault)
        for known, fault in zip(lines, faults, strict=True)
        if not known.line.is_done
    )
    done = frozenset(known.id for known in lines if known.line.is_done)
    return Document(tuple(entries), done)


def read_gaps(
    files: Sequence[PrdFile], *, recipes: frozenset[str], recipe_needed: bool
) -> tuple[GapEntry, ...]:
    """Read the gaps that are not done; see `read_document`."""
    return read_document(files, recipes=recipes, recipe_needed=recipe_needed).entries


def identified_lines(files: Sequence[PrdFile]) -> tuple[Identified, ...]:
    """Return every marked line of the documents, done or not, with its id."""
    ordered = sorted(files, key=lambda file: file.path)
    lines = [line for file in ordered for line in marked_lines(file)]
    return tuple(
        Identified(line, line.tags.explicit_id or computed)
        for line, computed in zip(lines, computed_ids(lines), strict=True)
    )


def gap_of(known: Identified) -> Gap:
    """Return the gap as the contract names its fields."""
    line, tags = known.line, known.line.tags
    title = unicodedata.normalize("NFC", line.title)
    return Gap(
        id=known.id,
        title=title,
        text="\n".join([title, *line.notes]),
        prd_line=line.raw,
        line_number=line.index + 1,
        path=line.path,
        section=line.section,
        priority=tags.priority,
        notes=tuple(line.notes),
        depends=tags.depends,
        recipe=tags.recipe,
        fix=tags.fix,
    )
