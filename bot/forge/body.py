"""The text of a pull request: what was done, how it was checked, and the hidden marker.

Everything that comes from a repository, a proposer or a program's output is untrusted
and goes through `bot.forge.inert`.
"""

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

from bot.domain.gap import Gap
from bot.forge.inert import code, fenced, neutral, one_line

BODY_LIMIT = 58_000
"""Characters; forges refuse more than 65,536."""

_TITLE_LIMIT = 120
_SLUG_LENGTH = 40
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_LINE_END = re.compile(r"\r\n|\r|\n")
_GAP_ID = re.compile(r"[a-z0-9][a-z0-9-]*")
_CYCLE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MARKER = re.compile(
    rf"<!-- gapwright gap=({_GAP_ID.pattern}) cycle=({_CYCLE_ID.pattern}) -->"
)


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One check with its result on the base and on the change, in words."""

    run: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PullFacts:
    """What a pull request tells.

    Attributes:
        gap: The gap it closes.
        cycle_id: The cycle that made it.
        base_sha: The commit it was made on.
        rationale: The proposer's words; untrusted.
        model_used: Who proposed it.
        tokens_used: Over all calls.
        cost_usd: Over all calls.
        skills_used: Names of the skills that were used.
        checks: The repository's own checks.
        output: The tail of what they said; untrusted.
        added: Paths; untrusted, as the three that follow.
        updated: Paths.
        deleted: Paths.
        unchanged: Proposed paths that were so already.
    """

    gap: Gap
    cycle_id: str
    base_sha: str
    rationale: str
    model_used: str
    tokens_used: int = 0
    cost_usd: Decimal = Decimal(0)
    skills_used: tuple[str, ...] = ()
    checks: tuple[CheckLine, ...] = ()
    output: str = ""
    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()


def branch_name(prefix: str, gap_id: str, title: str) -> str:
    """Return `<prefix>/<gap_id>-<slug>`, a pure function of the gap, never of time.

    The slug is left out when the title has none.
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    slug = _NOT_SLUG.sub("-", plain.lower()).strip("-")[:_SLUG_LENGTH].strip("-")
    return f"{prefix}/{gap_id}-{slug}" if slug else f"{prefix}/{gap_id}"


def pull_title(template: str, summary: str) -> str:
    """Return one line: the template with `{summary}` replaced."""
    title = one_line(template.replace("{summary}", summary))
    return title if len(title) <= _TITLE_LIMIT else f"{title[: _TITLE_LIMIT - 1]}…"


def pull_body(facts: PullFacts) -> str:
    """Return the Markdown body, ending in the marker, within `BODY_LIMIT`.

    Where it would be longer, whole sections are left out, the least needed first, and
    the body says which.
    """
    sections = {name: text for name, text in _sections(facts).items() if text}
    dropped: list[str] = []
    for name in _DROP_ORDER:
        body = _joined(sections, dropped, facts)
        if len(body) <= BODY_LIMIT:
            return body
        if sections.pop(name, None):
            dropped.append(name)
    return _joined(sections, dropped, facts)


def marker(gap_id: str, cycle_id: str) -> str:
    """Return the hidden line by which the bot finds its own.

    Raises:
        ValueError: One of the two would break the line.
    """
    line = f"<!-- gapwright gap={gap_id} cycle={cycle_id} -->"
    if not _MARKER.fullmatch(line):
        raise ValueError(f"no marker can hold gap {gap_id!r} and cycle {cycle_id!r}")
    return line


def read_marker(body: str) -> tuple[str, str] | None:
    """Return gap and cycle of the last line that is a marker and nothing else."""
    for line in reversed(_LINE_END.split(body)):
        found = _MARKER.fullmatch(line.rstrip())
        if found:
            return found[1], found[2]
    return None


_GAP = "gap"
_RATIONALE = "rationale"
_CHECKS = "checks"
_OUTPUT = "output of the checks"
_FILES = "files"
_REPRODUCE = "how to reproduce"
_ORIGIN = "origin"
_DROP_ORDER = (_OUTPUT, _FILES, _RATIONALE, _CHECKS, _REPRODUCE, _GAP, _ORIGIN)


def _sections(facts: PullFacts) -> dict[str, str]:
    return {
        _GAP: _gap(facts.gap),
        _RATIONALE: _rationale(facts.rationale),
        _CHECKS: _checks(facts.checks),
        _OUTPUT: _output(facts.output),
        _FILES: _files(facts),
        _REPRODUCE: _reproduce(facts),
        _ORIGIN: _origin(facts),
    }


def _joined(sections: dict[str, str], dropped: list[str], facts: PullFacts) -> str:
    parts = list(sections.values())
    if dropped:
        parts.append(f"Left out, because it was too long: {', '.join(dropped)}.")
    parts.append(marker(facts.gap.id, facts.cycle_id))
    return "\n\n".join(parts) + "\n"


def _gap(gap: Gap) -> str:
    where = code(f"{gap.path}:{gap.line_number}")
    return f"### Gap {code(gap.id)} at {where}\n\n{fenced(gap.prd_line)}"


def _rationale(text: str) -> str:
    lines = _LINE_END.split(neutral(text).strip())
    quoted = "\n".join(f"> {line}".rstrip() for line in lines)
    return f"### Why\n\n{quoted}" if text.strip() else ""


def _checks(checks: tuple[CheckLine, ...]) -> str:
    lines = [
        f"- {code(c.run)}: {one_line(c.before)} before, {one_line(c.after)} after"
        for c in checks
    ]
    return "\n".join(["### Checks", "", *lines]) if lines else ""


def _output(text: str) -> str:
    if not text.strip():
        return ""
    return (
        "<details><summary>Output of the checks</summary>\n\n"
        f"{fenced(text)}\n\n</details>"
    )


def _files(facts: PullFacts) -> str:
    groups = (
        ("Added", facts.added),
        ("Updated", facts.updated),
        ("Deleted", facts.deleted),
        ("Unchanged", facts.unchanged),
    )
    lines = [
        f"- {name}: {', '.join(map(code, paths))}" for name, paths in groups if paths
    ]
    return "\n".join(["### Files", "", *lines]) if lines else ""


def _reproduce(facts: PullFacts) -> str:
    if not facts.checks:
        return ""
    commands = "\n".join(check.run for check in facts.checks)
    return f"### How to reproduce\n\nOn this branch:\n\n{fenced(commands)}"


def _origin(facts: PullFacts) -> str:
    skills = ", ".join(map(code, facts.skills_used)) or "none"
    return "\n".join(
        [
            "### Origin",
            "",
            f"- Proposed by {code(facts.model_used)}",
            f"- {facts.tokens_used} tokens, ${facts.cost_usd:.6f}; skills: {skills}",
            f"- Cycle {code(facts.cycle_id)} on base {code(facts.base_sha)}",
        ]
    )
