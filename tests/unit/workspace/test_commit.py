"""Tests of commits and messages, and of replacing one file of a tree."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import pytest
from ground import Ground
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import ApplyFailed
from bot.workspace.commit import commit, message_of, replace_file
from bot.workspace.git import Git, GitEnv

WHEN = datetime(2026, 11, 30, 8, 20, 5, 999_000, tzinfo=UTC)
TRAILERS = (("Bot-Gap", "g1"), ("Bot-Cycle", "c1"), ("Bot-Model", "m"))


@dataclass(frozen=True)
class Who:
    name: str = "gapwright"
    email: str = "gapwright@localhost"


@pytest.fixture
def ground(tmp_path):
    return Ground(tmp_path)


def show(ground, sha, form):
    return ground.git.run("log", "-1", f"--format={form}", sha).decode().rstrip("\n")


def make(ground, message, *, who=None, when=WHEN):
    parent = ground.commit({"a": b"a\n"})
    tree = ground.git.text("rev-parse", f"{ground.commit({'a': b'b'})}^{{tree}}")
    sha = commit(ground.git, tree, parent, message, who or Who(), when)
    return sha, tree, parent


def test_a_commit_is_what_was_asked(ground):
    """Tree, parent, both persons, moment and message are exactly those given."""
    sha, tree, parent = make(ground, "bot: s\u00fcm\n\n  body\n\nBot-Gap: g1\n")
    form = "%T|%P|%an|%ae|%aI|%cn|%ce|%cI|%e"
    who, at = "gapwright|gapwright@localhost", "2026-11-30T08:20:05+00:00"
    at = show(ground, sha, "%aI")
    assert datetime.fromisoformat(at) == WHEN.replace(microsecond=0)
    assert f"{tree}|{parent}|{who}|{at}|{who}|{at}|" == show(ground, sha, form)
    raw = ground.git.run("cat-file", "commit", sha)
    assert raw.endswith("\n\nbot: s\u00fcm\n\n  body\n\nBot-Gap: g1\n".encode())
    assert b"gpgsig" not in raw
    assert b"\nencoding" not in raw


def test_the_moment_keeps_its_offset(ground):
    """A time in another zone is stored with that zone, the year 1 aside."""
    zone = timezone(timedelta(hours=-3, minutes=-30))
    sha, _, _ = make(ground, "x", when=WHEN.astimezone(zone))
    assert show(ground, sha, "%aI|%cI") == "|".join(["2026-11-30T04:50:05-03:30"] * 2)


def test_equal_input_gives_an_equal_commit(ground):
    """A commit made twice is one commit."""
    assert make(ground, "x")[0] == make(ground, "x")[0]


def test_nothing_of_the_message_or_name_can_forge_a_header(ground):
    """NUL and line ends do not reach the header of the commit."""
    who = Who("a\nparent x\0", "e@x\n> 1 +0000")
    sha, _, parent = make(ground, "s\0ubject\x1b[31m\n\nb\n", who=who)
    assert show(ground, sha, "%P|%an") == f"{parent}|a parent x"
    assert show(ground, sha, "%B").rstrip() == "subject[31m\n\nb"


def test_hooks_and_signing_do_not_run(tmp_path):
    """The repository's own configuration starts no program."""
    ground = Ground(tmp_path)
    ground.git.run("config", "commit.gpgSign", "true")
    ground.git.run("config", "gpg.program", "/bin/false")
    assert make(ground, "x")[0]


CASES = [
    ("bot: x", "why", "bot: x\n\nwhy"),
    ("  two\n lines\t", "", "two lines"),
    ("", "b", "(no summary)\n\nb"),
    ("x" * 72, "", "x" * 72),
    ("x" * 73, "", "x" * 71 + "\u2026"),
    ("w " * 60, "", ("w " * 36).rstrip()[:71].rstrip() + "\u2026"),
    ("a\x1b[0mb\u202ec", "x\x00y\x07\tz", "a[0mbc\n\nxy\tz"),
    ("s", "\r\n a\r\nb\rc  \n\n\n", "s\n\n a\nb\nc"),
    ("s", "half \ud800 pair", "s\n\nhalf  pair"),
    ("s", "Bot-Gap: other", "s\n\n> Bot-Gap: other"),
    ("s", "  bot-cycle : x", "s\n\n>   bot-cycle : x"),
    ("s", "B\x00ot-Model: x", "s\n\n> Bot-Model: x"),
    ("s", "Signed-off-by: Y <y@z>", "s\n\n> Signed-off-by: Y <y@z>"),
    ("s", "Co-Authored-By: Y <y@z>", "s\n\n> Co-Authored-By: Y <y@z>"),
    ("s", "From: Y <y@z>\nSubject: t", "s\n\n> From: Y <y@z>\n> Subject: t"),
    ("s", "---\ndiff --git a/x b/x", "s\n\n> ---\n> diff --git a/x b/x"),
    ("s", "--- a/x", "s\n\n> --- a/x"),
    ("s", "Index: x", "s\n\n> Index: x"),
    ("s", "-- >8 --", "s\n\n> -- >8 --"),
    ("s", "From a Thu Jan 1 00:00:00 1970", "s\n\n> From a Thu Jan 1 00:00:00 1970"),
    ("s", "From now on: good", "s\n\nFrom now on: good"),
    ("s", "Note: this stays\nRobot-made", "s\n\nNote: this stays\nRobot-made"),
]


@pytest.mark.parametrize(("subject", "body", "wanted"), CASES)
def test_messages_are_made_safe(subject, body, wanted):
    """Untrusted text can't act as a trailer, a header or a patch."""
    assert f"{wanted}\n\nBot-Gap: g\n" == message_of(subject, body, [("Bot-Gap", "g")])


def test_trailers_are_one_line_each():
    """A trailer's value can't bring a second one; a message without any is fine."""
    made = message_of(
        "s", "b", [("Bot-Gap", "g\nBot-Cycle: forged"), ("Bot-Model", "")]
    )
    assert made == "s\n\nb\n\nBot-Gap: g Bot-Cycle: forged\nBot-Model: \n"
    assert message_of("s", "", []) == "s\n"
    with pytest.raises(ValueError, match="trailer"):
        message_of("s", "b", [("Bot Gap:", "g")])


_PIECES = st.lists(
    st.sampled_from(
        [
            *("Bot-Gap: x", "bot-cycle:y", "Bot-Model", ":", "\n", "\r", "\0", " "),
            *("Signed-off-by: z", "\u2028", "\x0b", "\x0c", "\x85", "text", "\t"),
        ]
    )
    | st.text(max_size=2),
    max_size=12,
).map("".join)


@pytest.fixture(scope="module")
def parser(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parser")
    return Git(None, GitEnv.make(folder, os.environ), folder)


@settings(max_examples=25, deadline=None)
@given(_PIECES, _PIECES)
def test_git_reads_only_our_trailers(parser, subject, body):
    """Whatever subject and body say, git finds our trailers and no other of the kind."""
    message = message_of(subject, body, TRAILERS)
    wanted = [f"{name}: {value}" for name, value in TRAILERS]
    found = parser.text("interpret-trailers", "--parse", input=message.encode())
    assert wanted == found.splitlines()
    ours = [line for line in message.split("\n") if line.lower().startswith("bot-")]
    assert wanted == [line for line in ours if ":" in line][-3:]
    lines = message.split("\n")[1:-4]
    assert not any(line.lstrip().lower().startswith("bot-gap:") for line in lines)
    assert len(message.split("\n")[0]) <= 72


def test_a_patch_of_the_commit_holds_only_its_own_change(ground, tmp_path):
    """A body that looks like a patch is not applied by `git am`, nor an author forged."""
    body = (
        "From: Forger <f@x>\n\nwhy\n---\ndiff --git a/evil b/evil\nnew file mode 100644\n"
        "--- /dev/null\n+++ b/evil\n@@ -0,0 +1 @@\n+x\n"
    )
    parent = ground.commit({"a": b"a\n"})
    tree = ground.git.text("rev-parse", f"{ground.commit({'a': b'b'})}^{{tree}}")
    message = message_of("s", body, TRAILERS)
    sha = commit(ground.git, tree, parent, message, Who(), WHEN)
    patch = ground.git.run("format-patch", "-1", "--stdout", sha)
    place = ground.tree(parent)
    who = {"GIT_COMMITTER_NAME": "P", "GIT_COMMITTER_EMAIL": "p@x"}
    place.git.run("am", "--quiet", input=patch, env=who)
    assert (
        ground.git.text("rev-parse", f"{place.git.text('rev-parse', 'HEAD')}^{{tree}}")
        == tree
    )
    assert place.git.text("log", "-1", "--format=%an") == "gapwright"


FILES = {
    "PRD.md": ("100755", b"- [ ] gap\r\n"),
    "docs/deep/PRD.md": b"x\n",
    "docs/link": ("120000", b"deep"),
    "docs/lib": ("160000", b"1" * 40),
    "docs/caf\u00e9 [1].md": b"y\n",
}


@pytest.mark.parametrize(
    "path", ["PRD.md", "docs/deep/PRD.md", "docs/caf\u00e9 [1].md"]
)
def test_replaces_one_file_and_nothing_else(ground, path):
    """The bytes are stored as given, the mode and everything else stay."""
    sha = ground.commit({**FILES, ".gitattributes": b"* text eol=lf\n"})
    before = ground.files(sha)
    tree = ground.git.text("rev-parse", f"{sha}^{{tree}}")
    made = replace_file(ground.git, tree, path, b"- [x] gap\r\n")
    after = ground.files(made)
    assert {**before, path: (before[path][0], b"- [x] gap\r\n")} == after
    assert tree == replace_file(ground.git, made, path, before[path][1])
    assert ground.git.code("fsck", "--strict", "--no-dangling") in {0, 2}


@pytest.mark.parametrize(
    "path", ["none", "docs", "docs/none/x", "docs/link", "docs/lib", "PRD.md/x", "a\nb"]
)
def test_replaces_only_files(ground, path):
    """What is no file of the tree is not replaced and not added."""
    sha = ground.commit(FILES)
    with pytest.raises(ApplyFailed, match="is no file"):
        replace_file(ground.git, sha, path, b"x")
