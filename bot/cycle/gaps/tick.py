"""Marking one gap's own line as done, and changing nothing else."""

from collections.abc import Sequence

from bot.cycle.gaps.document import identified_lines
from bot.cycle.gaps.marked import MarkedLine, marked_lines
from bot.cycle.gaps.source import PrdFile, read_source
from bot.domain.gap import Gap


def tick(text: str, entry: Gap) -> str | None:
    """Tick the gap's box, or turn its marker into `[bot-done]` where it has no box.

    Args:
        text: The document that the gap was read from; a BOM and line ends stay.
        entry: The gap as it was read.

    Returns:
        The new text, or None when no open gap stands on that line as it was read.
    """
    for line in marked_lines(PrdFile(entry.path, text)):
        is_same = (line.index + 1, line.raw) == (entry.line_number, entry.prd_line)
        if is_same and not line.is_done:
            return _ticked(text, line)
    return None


def tick_by_id(files: Sequence[PrdFile], gap_id: str) -> tuple[str, str] | None:
    """Tick the gap of this id wherever it stands now; see `tick`.

    Returns:
        Path and new text, or None when no open gap, or more than one, has the id.
    """
    found = [
        known.line
        for known in identified_lines(files)
        if known.id == gap_id and not known.line.is_done
    ]
    if len(found) != 1:
        return None
    text = next(file.text for file in files if file.path == found[0].path)
    return found[0].path, _ticked(text, found[0])


def _ticked(text: str, line: MarkedLine) -> str:
    return read_source(text).with_line(line.index, line.edit.apply(line.raw))
