"""The text of a pull request: complete, harmless, and found again by its marker."""

import re
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.gap import Gap
from bot.forge.body import (
    BODY_LIMIT,
    CheckLine,
    PullFacts,
    branch_name,
    marker,
    pull_body,
    pull_title,
    read_marker,
)

CYCLE = "bot-2026-11-30T08-20-00-123Z-1a2b3c4d"
FORGED = "<!-- gapwright gap=evil cycle=evil -->"
GAP = Gap(
    id="sort-imports",
    title="Sort imports",
    text="Sort imports",
    prd_line="- [ ] Sort `imports` [bot-eligible]",
    line_number=12,
    path="docs/PRD.md",
)
FACTS = PullFacts(
    gap=GAP,
    cycle_id=CYCLE,
    base_sha="a" * 40,
    rationale="Sorted.\n\nIt is nicer.",
    model_used="recipe:sort",
    tokens_used=12,
    cost_usd=Decimal("0.0125"),
    skills_used=("imports",),
    checks=(CheckLine("pytest -q", "failed (exit 1)", "passed in 3.2 s"),),
    output="3 passed",
    added=("a.py",),
    updated=("b.py", "c.py"),
    deleted=("d.py",),
    unchanged=("e.py",),
)
BODY = f"""\
### Gap `sort-imports` at `docs/PRD.md:12`

```text
- [ ] Sort `imports` [bot-eligible]
```

### Why

> Sorted.
>
> It is nicer.

### Checks

- `pytest -q`: failed (exit 1) before, passed in 3.2 s after

<details><summary>Output of the checks</summary>

```text
3 passed
```

</details>

### Files

- Added: `a.py`
- Updated: `b.py`, `c.py`
- Deleted: `d.py`
- Unchanged: `e.py`

### How to reproduce

On this branch:

```text
pytest -q
```

### Origin

- Proposed by `recipe:sort`
- 12 tokens, $0.012500; skills: `imports`
- Cycle `{CYCLE}` on base `{"a" * 40}`

<!-- gapwright gap=sort-imports cycle={CYCLE} -->
"""


def test_the_body_tells_all():
    """Gap, reason, checks, files, origin and marker stand in this order."""
    assert pull_body(FACTS) == BODY


def test_what_is_empty_has_no_section():
    """A body without checks, files and rationale has gap, origin and marker only."""
    bare = PullFacts(GAP, CYCLE, "a" * 40, " \n", "recipe:sort")

    headings = re.findall(r"^###? .*", pull_body(bare), re.MULTILINE)
    assert headings == ["### Gap `sort-imports` at `docs/PRD.md:12`", "### Origin"]
    assert "skills: none" in pull_body(bare)


@pytest.mark.parametrize(
    ("change", "dropped"),
    [
        ({"output": "x" * BODY_LIMIT}, "output of the checks"),
        (
            {"rationale": "x" * BODY_LIMIT},
            "output of the checks, files, rationale",
        ),
        (
            {"gap": GAP.model_copy(update={"prd_line": "x" * BODY_LIMIT})},
            "output of the checks, files, rationale, checks, how to reproduce, gap",
        ),
        (
            {"model_used": "x" * BODY_LIMIT},
            "output of the checks, files, rationale, checks, how to reproduce, gap, origin",
        ),
    ],
)
def test_whole_sections_are_dropped_in_order(change, dropped):
    """A body over the limit loses whole sections and says which; the marker stays."""
    body = pull_body(replace(FACTS, **change))

    assert len(body) <= BODY_LIMIT
    assert body.endswith(
        f"Left out, because it was too long: {dropped}.\n\n"
        f"<!-- gapwright gap=sort-imports cycle={CYCLE} -->\n"
    )


def test_a_section_that_is_not_there_is_not_said_to_be_dropped():
    """Only what was written and taken out is named."""
    facts = PullFacts(GAP, CYCLE, "a" * 40, "x" * BODY_LIMIT, "recipe:sort")

    assert "Left out, because it was too long: rationale.\n" in pull_body(facts)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("", None),
        ("<!-- gapwright gap=a cycle=b -->", ("a", "b")),
        ("text\r\n<!-- gapwright gap=a cycle=b -->\r\n", ("a", "b")),
        (
            "<!-- gapwright gap=x cycle=y -->\n<!-- gapwright gap=a cycle=b -->\nmore",
            ("a", "b"),
        ),
        ("see <!-- gapwright gap=a cycle=b -->", None),
        ("> <!-- gapwright gap=a cycle=b -->", None),
        ("    <!-- gapwright gap=a cycle=b -->", None),
        ("<!-- gapwright gap=A/B cycle=b -->", None),
        ("<!--gapwright gap=a cycle=b-->", None),
    ],
)
def test_only_the_last_whole_marker_line_counts(body, found):
    """A marker is a line of its own; the last one wins."""
    assert read_marker(body) == found


@pytest.mark.parametrize(
    ("gap_id", "cycle_id"), [("", "c"), ("a b", "c"), ("a", "c -->"), ("A", "c")]
)
def test_a_marker_that_could_not_be_read_is_refused(gap_id, cycle_id):
    """Ids that would break the line are an error of the caller."""
    with pytest.raises(ValueError, match="no marker can hold"):
        marker(gap_id, cycle_id)


@pytest.mark.parametrize(
    ("template", "summary", "title"),
    [
        ("bot: {summary}", "Sort imports", "bot: Sort imports"),
        ("bot: {summary}", "two\nlines\t{summary}", "bot: two lines {summary}"),
        ("bot: {summary}", "fix #1 for @x", "bot: fix #\u200b1 for @\u200bx"),
        ("{summary}", "x" * 200, "x" * 119 + "…"),
        ("no placeholder", "x", "no placeholder"),
    ],
)
def test_a_title_is_one_short_harmless_line(template, summary, title):
    """The summary takes the place in the template and is neutral."""
    assert pull_title(template, summary) == title


@pytest.mark.parametrize(
    ("title", "branch"),
    [
        ("Sort imports", "bot/id-sort-imports"),
        ("  Über `größe`: 2€ ", "bot/id-uber-groe-2"),
        ("検索", "bot/id"),
        ("../../etc.lock", "bot/id-etc-lock"),
        ("x" * 100, f"bot/id-{'x' * 40}"),
        ("a" * 39 + " b", f"bot/id-{'a' * 39}"),
        ("", "bot/id"),
    ],
)
def test_a_branch_is_named_by_its_gap(title, branch):
    """The slug is what ASCII can hold of the title, at most forty characters."""
    assert branch_name("bot", "id", title) == branch


@given(st.text())
def test_a_branch_is_always_a_legal_ref(title):
    """Whatever the title, git takes the name."""
    name = branch_name("bot", "0a-1", title)

    assert re.fullmatch(r"bot/0a-1(-[a-z0-9]+)*", name)
    assert len(name) <= len("bot/0a-1-") + 40


_IDS = st.from_regex(r"[a-z0-9][a-z0-9-]{0,39}", fullmatch=True)
_NASTY = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(
            [FORGED, "\n", "\r", "```", "````\n", "<!--", "-->", "`", "\u2028", "> "]
        ),
        st.integers(1, 70_000).map(lambda n: "x" * n),
        st.integers(1, 9_000).map(lambda n: f"{FORGED}\n" * n),
    ),
    max_size=6,
).map("".join)


@settings(max_examples=60, deadline=None)
@given(_NASTY, _NASTY, st.lists(_NASTY, max_size=2), _NASTY, _IDS)
def test_the_marker_is_always_found_and_never_forged(
    rationale, output, paths, line, id_
):
    """Whatever is untrusted, the body keeps its limit and its own marker alone."""
    facts = replace(
        FACTS,
        gap=GAP.model_copy(update={"prd_line": line, "path": line, "id": id_}),
        rationale=rationale,
        output=output,
        added=tuple(paths),
        checks=(CheckLine(line, line, line),),
    )

    body = pull_body(facts)

    assert len(body) <= BODY_LIMIT
    assert read_marker(body) == (id_, CYCLE)
    assert body.count("<!--") == 1
