"""Tags, and what makes a line faulty."""

import pytest

M = "[bot-eligible]"


@pytest.mark.parametrize(
    ("tags", "priority"),
    [("[p0]", "p0"), ("[p3]", "p3"), ("[p3] [p1]", "p1"), ("[p1] [p1]", "p1")],
)
def test_priority(read, tags, priority):
    """Of several priorities the most urgent counts."""
    (entry,) = read(f"- {tags} {M} a").entries

    assert (priority, None) == (entry.gap.priority, entry.fault)


def test_repeated_tags_add_up(read):
    """The same tag twice is no fault, and dependencies add up in order."""
    text = f"- [depends:b, a] [id:x] {M} t [depends:a,c,] [id:x]\n"
    text += "".join(f"- [id:{name}] {M} {name}\n" for name in "abc")

    entry, *_ = read(text).entries

    assert ("x", ("b", "a", "c"), None) == (
        entry.gap.id,
        entry.gap.depends,
        entry.fault,
    )


@pytest.mark.parametrize("name", ["a", "0", "a" * 40, "0-a-"])
def test_good_id(read, name):
    """An id is 1 to 40 of a-z, 0-9 and -."""
    (entry,) = read(f"- [id:{name}] {M} t").entries

    assert (name, None) == (entry.gap.id, entry.fault)


@pytest.mark.parametrize("name", ["", "A", "-a", "a_b", "a" * 41, "é", " a", "a\u0660"])
def test_bad_id(read, name):
    """A bad id is a fault, and the line goes by its computed id."""
    (entry,) = read(f"- [id:{name}] {M} t").entries
    (plain,) = read(f"- {M} t").entries

    assert "is no id: use 1 to 40 of a-z, 0-9 and -" in entry.fault
    assert plain.gap.id == entry.gap.id


@pytest.mark.parametrize("tag", ["[id:`x`]", "[id:*x*]", "[id:x", "[recipe:<b>]"])
def test_unreadable_tag(faults, tag):
    """A tag that Markdown takes apart is a fault, not silently part of the title."""
    (fault,) = faults(f"- {M} t {tag}")

    assert "can't be read" in fault


def test_two_ids_on_a_line(faults):
    """Two different ids on one line are a fault."""
    (fault,) = faults(f"- [id:a] [id:b] {M} t")

    assert "several ids (a, b): keep one" == fault


def test_id_on_several_lines(read):
    """An id that stands on several lines, done or not, makes all of them faulty."""
    text = f"- [id:a] {M} t\n- [id:a] {M} u\n- [x] [id:a] {M} v\n- {M} w"

    document = read(text)

    expected = "[id:a] stands on several lines (PRD.md:1, PRD.md:2, PRD.md:3): keep one"
    assert [expected, expected, None] == [entry.fault for entry in document.entries]
    assert {"a"} == document.done_ids


def test_id_on_very_many_lines_names_a_few(faults):
    """The message stays short."""
    found = faults("".join(f"- [id:a] {M} t{n}\n" for n in range(9)))

    assert all("PRD.md:5, and 4 more)" in fault for fault in found)


def test_id_equal_to_a_computed_id(read):
    """A tag that takes another line's computed id is faulty, the other is not."""
    (plain,) = read(f"- {M} t").entries

    found = read(f"- [id:{plain.gap.id}] {M} u\n- {M} t\n").entries

    tagged, computed = found
    assert "is the computed id of PRD.md:2: choose another one" in tagged.fault
    assert computed.fault is None


def test_own_computed_id_as_tag_is_fine(faults, read):
    """A line may be tagged with the id that it would have anyway."""
    (plain,) = read(f"- {M} t").entries

    assert [None] == faults(f"- [id:{plain.gap.id}] {M} t")


@pytest.mark.parametrize(
    ("tag", "needed", "expected"),
    [
        ("", False, None),
        ("[recipe:a]", True, None),
        ("[recipe:a] [recipe:a]", False, None),
        ("[recipe:x]", False, "[recipe:x] is not configured (there is: a, b)"),
        ("[recipe:]", False, "[recipe:] is not configured (there is: a, b)"),
        ("[recipe:a] [recipe:b]", False, "several recipes (a, b): keep one"),
        (
            "",
            True,
            "no recipe: add [recipe:NAME] with one that is configured (a, b)",
        ),
    ],
)
def test_recipes(faults, tag, needed, expected):
    """A recipe must be configured, and be named where there is no default."""
    found = faults(
        f"- {M} t {tag}", recipes=frozenset({"a", "b"}), recipe_needed=needed
    )

    assert [expected] == found


def test_no_recipes_at_all(faults):
    """The message says so when none is configured."""
    found = faults(f"- {M} t [recipe:x]")

    assert ["[recipe:x] is not configured (there is: none)"] == found


def test_unknown_dependency(faults):
    """Only ids of marked lines can be depended on."""
    found = faults(f"- {M} t [depends:x,a]\n- {M} [id:a] u\n- [ ] [id:x] unmarked")

    expected = "[depends:…] names x: no marked line has that id; correct it"
    assert [expected, None] == found


def test_empty_dependency(faults):
    """A dependency tag without a name is a fault."""
    (fault,) = faults(f"- {M} t [depends: , ]")

    assert "[depends:] names no id: name one or remove the tag" == fault


def test_done_and_computed_ids_can_be_depended_on(read):
    """A dependency may be done, or be named by its computed id."""
    (plain,) = read(f"- {M} t").entries

    found = read(f"- {M} t\n- [bot-done] [id:d] x\n- {M} u [depends:d,{plain.gap.id}]")

    assert [None, None] == [entry.fault for entry in found.entries]
    assert {"d"} == found.done_ids


def _chain(*edges: str) -> str:
    pairs = (edge.partition(">") for edge in edges)
    return "".join(
        f"- {M} {name} [id:{name}]" + (f" [depends:{to}]\n" if to else "\n")
        for name, _, to in pairs
    )


@pytest.mark.parametrize(
    ("edges", "cycles"),
    [
        (("a>a",), ["a → a"]),
        (("a>b", "b>c", "c>a"), ["a → b → c → a"] * 3),
        (("x>a", "a>b", "b>a"), [None, "a → b → a", "a → b → a"]),
        (("a>b", "b>"), [None, None]),
        (("a>b,c", "b>d", "c>d", "d>"), [None] * 4),
        (("a>b,c", "b>a", "c>a"), ["a → b → a"] * 3),
    ],
)
def test_dependency_cycle(faults, edges, cycles):
    """Every line in a cycle is faulty and names one; who depends on it is not."""
    found = faults(_chain(*edges))

    expected = [
        cycle and f"dependency cycle {cycle}: remove one of these" for cycle in cycles
    ]
    assert expected == found


def test_done_line_breaks_a_cycle(faults):
    """What is done depends on nothing any more."""
    found = faults(f"- {M} a [id:a] [depends:b]\n- [x] {M} b [id:b] [depends:a]")

    assert [None] == found


def test_long_cycle_is_no_recursion(faults):
    """A cycle through thousands of lines is found and named in short."""
    count = 3000
    found = faults(_chain(*(f"n{n}>n{(n + 1) % count}" for n in range(count))))

    assert count == len(found)
    assert {True} == {"n5 → … → n0" in fault for fault in found}


@pytest.mark.parametrize(
    "text", [M, f"- [ ] {M} [p0]", f"{M} <!-- a -->", f"# {M} `  `"]
)
def test_empty_title(faults, text):
    """A line of nothing but marker, box and tags is faulty."""
    (fault,) = faults(text)

    assert "nothing is left as a title: say on the line what is wanted" == fault


def test_several_faults_are_all_named(faults):
    """A line with more than one fault names each."""
    (fault,) = faults(f"- {M} [id:A] [depends:z] [recipe:q]")

    assert 4 == len(fault.split("; ")) - fault.count("id; correct")
