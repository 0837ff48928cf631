"""The first prompt: its sections, their order, and what is left out for lack of room."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_case import RULES, Files, gap, question, user

from bot.llm.tokens import most_tokens
from bot.llm.values import ModelFailed
from bot.propose.prompt import build, estimate, with_files
from bot.propose.prompt.room import PER_MESSAGE, cut

BODY = "def fetch():\n    return 1\n"


def test_order_of_sections() -> None:
    """Sections stand in one order, named files before ranked ones, the map last."""
    code = Files(
        {
            "AGENTS.md": "Use tabs.\n",
            "CONTRIBUTING.md": "Sign off.\n",
            "src/fetch.py": BODY,
            "src/near.py": BODY,
            "src/rank.py": BODY,
        },
        ranked=("src/rank.py", "src/fetch.py"),
        symbols={"src/near.py": ("near",)},
    )
    asked = question(
        "Retry in src/fetch.py\nthree times",
        memory="2026-11-29 tried: twice; tests_failed",
        skills=("Prefer backoff.",),
    )

    prompt = build(asked, code)

    assert ["system", "user"] == [message.role for message in prompt.messages]
    assert prompt.messages[0].text.startswith(RULES)
    headings = re.findall(
        r"^(?:# .*|\[\[\S+ begin: file .*)$", user(prompt), re.MULTILINE
    )
    told = [re.sub(r"\[\[\S+ begin: (.*)\]\]", r"\1", line) for line in headings]
    assert [
        "# The gap to close",
        "# Conventions of the repository: AGENTS.md",
        "# Conventions of the repository: CONTRIBUTING.md",
        "# Checks that judge the change",
        "# Earlier attempts",
        "# Skills",
        "# Files",
        "file src/fetch.py",
        "file src/rank.py",
        "# Other files (path: names it defines)",
    ] == told
    assert ("src/fetch.py", "src/rank.py") == prompt.files_shown
    assert () == prompt.dropped
    assert "\nsrc/near.py: near\n" in user(prompt)
    assert "three times" in code.query


def test_gap_with_its_facts() -> None:
    """The gap comes with its file, section and notes; a fault says so."""
    asked = question(gap=gap("Mend it\nsee the log", fix=True, section=None))

    text = user(build(asked, Files({})))

    assert "file: PRD.md\nsection: none\n" in text
    assert "kind: a fault; a new test must fail without the change" in text
    assert "Mend it\nsee the log\n" in text


def test_empty_sections_are_left_out() -> None:
    """What is empty has no heading."""
    text = user(build(question(checks=()), Files({})))

    assert 1 == text.count("# ")


def test_the_requirements_are_not_shown_again() -> None:
    """The file that holds the gap is neither a named nor a ranked file."""
    code = Files({"PRD.md": "Retry the fetch\n", "a.py": BODY}, ("PRD.md", "a.py"))

    prompt = build(question("Retry as PRD.md says"), code)

    assert ("a.py",) == prompt.files_shown


def test_same_input_same_prompt() -> None:
    """A resumed cycle builds the very prompt that was paid."""
    code = Files({"a.py": BODY, "b.py": BODY}, ("b.py", "a.py"))

    assert build(question(), code) == build(question(), code)


def test_dropped_in_order() -> None:
    """With less and less room the map goes first, then ranked files, then the rest."""
    code = Files(
        {
            "AGENTS.md": "Use tabs. " * 10,
            "fetch.py": BODY * 8,
            **{f"r{n}.py": BODY * 8 for n in range(4)},
            **{f"other/o{n}.py": BODY for n in range(40)},
        },
        ranked=[f"r{n}.py" for n in range(4)],
    )
    seen: list[tuple[int, ...]] = []
    for room in (6000, 3500, 2000, 1400, 900, 600, 400):
        try:
            prompt = build(question("Mend fetch.py", room_tokens=room), code)
        except ModelFailed:
            break
        text = user(prompt)
        counts = (
            text.count("other/o"),
            len([p for p in prompt.files_shown if p != "fetch.py"]),
            int("fetch.py" in prompt.files_shown),
            text.count("pytest -q"),
        )
        seen.append(counts)
        assert prompt.estimate <= room

    for before, after in pairwise(seen):
        assert all(x >= y for x, y in zip(before, after, strict=True))
    assert (40, 4, 1, 1) == seen[0]
    assert (0, 0, 0) == seen[-1][:3]
    assert any(counts[:3] == (0, 0, 1) or counts[1:3] == (0, 1) for counts in seen)


def test_what_is_dropped_is_said() -> None:
    """The prompt and its values say what had no room."""
    code = Files({"r.py": BODY * 400, "s.py": BODY}, ("r.py", "s.py"))

    prompt = build(question(room_tokens=1500, memory="tried\n" * 900), code)

    assert ("memory (cut)", "r.py: no room") == prompt.dropped
    assert user(prompt).endswith(
        "Left out for lack of room: 1 sections, whole or in part, 1 files that may "
        "matter.\n"
    )
    assert "[the rest is left out]" in user(prompt)


def test_a_named_file_is_cut() -> None:
    """Of a named file that is too long its beginning is shown, and that is said."""
    long = "".join(f"line_{n} = {n}\n" for n in range(2000))

    prompt = build(question("Mend big.py", room_tokens=4000), Files({"big.py": long}))

    assert ("big.py",) == prompt.files_shown
    found = re.search(
        r"file big.py \(only its first (\d+) of 2000 lines\)", user(prompt)
    )
    assert found is not None
    assert f"line_{int(found[1]) - 1} =" in user(prompt)
    assert f"line_{found[1]} =" not in user(prompt)


def test_too_little_room() -> None:
    """A context that can't hold the gap is told with what it would take."""
    with pytest.raises(ModelFailed, match="room for 60: use a model with a larger"):
        build(question(room_tokens=60), Files({}))


def test_map_says_what_it_leaves_out() -> None:
    """A map without room for all names the folders of the rest with their numbers."""
    code = Files({f"lib{n % 3}/f{n}.py": "x\n" for n in range(3000)} | {"top.py": ""})

    prompt = build(question(room_tokens=3000), code)

    said = re.search(r"and (\d+) more files, in: (lib\d/ \(\d+\)), ", user(prompt))
    assert said is not None
    assert (f"{said[1]} files of the map",) == prompt.dropped
    listed = len(re.findall(r"^(?:lib\d/f\d+|top)\.py$", user(prompt), re.MULTILINE))
    assert 3001 == listed + int(said[1])


def test_neighbours_come_first_in_the_map() -> None:
    """Files beside those that are shown are named before others."""
    code = Files({"a/x.py": "", "z/fetch.py": BODY, "z/near.py": ""})

    text = user(build(question("Mend fetch.py"), code))

    assert text.index("z/near.py") < text.index("a/x.py")


def test_many_folders_in_the_map() -> None:
    """Of very many folders only some are named."""
    code = Files({f"folder_{'x' * 90}_{n}/f.py": "" for n in range(999)})

    prompt = build(question(room_tokens=4000), code)

    assert prompt.estimate <= 4000
    assert "more files, in: folder_" in user(prompt)


def test_a_guide_that_is_too_large() -> None:
    """A guide larger than any file that is shown is left out unread."""
    code = Files({"AGENTS.md": "Use tabs.\n" * 40_000})

    prompt = build(question(), code)

    assert ("AGENTS.md",) == prompt.dropped
    assert [] == code.asked


@pytest.mark.parametrize(
    ("path", "content", "why"),
    [
        ("big.txt", "words\n" * 400_000, "large"),
        ("logo.png", b"\x89PNG", "binary"),
        ("uv.lock", "x\n", "lock file"),
        ("package-lock.json", "{}\n", "lock file"),
        ("vendor/lib/a.py", "x\n", "vendored"),
        ("web/node_modules/a/index.js", "x\n", "vendored"),
        ("a.min.js", "x\n", "generated"),
        ("api_pb2.py", "x\n", "generated"),
    ],
)
def test_by_name_only(path: str, content: str | bytes, why: str) -> None:
    """Files without use for a reader are named with size and reason, never read."""
    code = Files({path: content}, (path,))

    prompt = build(question(f"Look at {path}"), code)

    size = len(content)
    assert f"\n{path} ({why}, {size} bytes)\n" in user(prompt)
    assert (f"{path}: {why}",) == prompt.dropped
    assert [] == code.asked


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"text\0more", "binary"),
        ("# Code generated by protoc. DO NOT EDIT.\n", "generated"),
        ("x" * 6000, "generated"),
        ("version https://git-lfs.github.com/spec/v1\noid x\n", "stored elsewhere"),
    ],
)
def test_by_name_only_for_its_text(content: str | bytes, why: str) -> None:
    """What only the text tells keeps a file out as well."""
    prompt = build(question("Look at a.py"), Files({"a.py": content}))

    assert (f"a.py: {why}",) == prompt.dropped
    assert () == prompt.files_shown


def test_encodings() -> None:
    """A byte order mark and carriage returns go; Latin-1 can be read."""
    code = Files(
        {"a.py": b"\xef\xbb\xbfone\r\ntwo\r\n", "b.py": b"caf\xe9\n"}, ("a.py", "b.py")
    )

    text = user(build(question(), code))

    assert "file a.py]]\none\ntwo\n[[" in text
    assert "file b.py]]\ncafé\n[[" in text


def test_asked_files_are_appended() -> None:
    """Files that the model asks for come in a message of their own."""
    code = Files({"a.py": BODY, "b.py": "b = 2\n", "big.py": "x = 1\n" * 30_000})
    first = build(question(), code)

    told = with_files(
        first.messages,
        ("b.py", "no.py", "big.py", "b.py"),
        code,
        room_tokens=20_000,
        nonce="cycle-1",
    )

    assert first.messages == told.messages[:-1]
    assert ("b.py",) == told.files_shown
    assert ("no.py: no such file", "big.py: no room") == told.dropped
    assert "\nno.py: no such file\nbig.py: no room\n" in user(told)
    assert "file b.py]]\nb = 2\n[[" in user(told)


def test_asking_is_bounded() -> None:
    """Only so many files are looked at, and the model is told about the rest."""
    code = Files({f"f{n}.py": "x\n" for n in range(30)})
    first = build(question(), code)

    told = with_files(
        first.messages, tuple(code.files), code, room_tokens=20_000, nonce="n"
    )

    assert 20 == len(told.files_shown)
    assert user(told).endswith("10 more are not shown.\n")


def test_no_room_for_asked_files() -> None:
    """A full context is told, not overrun."""
    code = Files({"a.py": BODY})
    first = build(question(), code)

    with pytest.raises(ModelFailed, match="no room is left"):
        with_files(
            first.messages, ("a.py",), code, room_tokens=first.estimate + 80, nonce="n"
        )


@settings(max_examples=120, deadline=None)
@given(
    room=st.integers(0, 6000),
    text=st.text(min_size=1, max_size=200).filter(str.strip),
    memory=st.text(max_size=600),
    skills=st.lists(st.text(max_size=300), max_size=3),
    checks=st.lists(st.text(max_size=80), max_size=4),
    files=st.dictionaries(
        st.text("abAB/._-é漢\u202e \n{", min_size=1, max_size=12),
        st.one_of(st.text(max_size=1500), st.binary(max_size=300)),
        max_size=12,
    ),
    guide=st.text(max_size=900),
)
def test_budget_is_never_exceeded(
    room: int,
    text: str,
    memory: str,
    skills: list[str],
    checks: list[str],
    files: dict[str, str | bytes],
    guide: str,
) -> None:
    """Whatever goes in, the prompt fits, or it is refused for its gap alone."""
    code = Files({**files, "AGENTS.md": guide}, tuple(files), {p: (p,) for p in files})
    asked = question(
        text,
        room_tokens=room,
        memory=memory,
        skills=tuple(skills),
        checks=tuple(checks),
    )
    try:
        prompt = build(asked, code)
        assert prompt.estimate <= room
        more = with_files(
            prompt.messages, tuple(files), code, room_tokens=room, nonce="n"
        )
    except ModelFailed:
        return
    assert more.estimate <= room
    for message in more.messages:
        assert message.text.isascii() or "\u202e" not in message.text


@given(st.text(max_size=400))
@settings(max_examples=100, deadline=None)
def test_estimate_is_below_the_worst_case(text: str) -> None:
    """The estimate never passes one token a byte, and adds up over parts."""
    prompt = build(question(memory=text), Files({}))

    assert estimate(text) <= len(text.encode("utf-8", "replace"))
    assert estimate(text) <= estimate(text[:50]) + estimate(text[50:])
    assert prompt.estimate <= most_tokens(prompt.messages)
    assert 16 == PER_MESSAGE


@pytest.mark.parametrize(
    ("text", "expected"), [("abcdef", 2), ("a b", 1), ("()", 2), ("漢字", 4), ("", 0)]
)
def test_estimate(text: str, expected: int) -> None:
    """Letters count a third, signs one, other scripts two thirds a byte."""
    assert expected == estimate(text)


def test_cut() -> None:
    """Only whole lines are kept, all of them where they fit."""
    assert "()\n" == cut("()\n[]\n", 5)
    assert "()\n[]\n" == cut("()\n[]\n", 6)
    assert "" == cut("()\n[]\n", 2)
