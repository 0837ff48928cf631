"""The local forge: its files, its rows, and what it sees on the other side."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from forge_world import LocalWorld

from bot.domain.pull import Pull, PullState
from bot.errors import DataFolderUnusable, Deferred, GitFailed, PushRejected
from bot.forge.pullfolder import PullFolder
from bot.store.jsonfile import UnreadableError
from bot.store.pullfile import pull_path, read_pull


def pulls_of(world: LocalWorld) -> PullFolder:
    """Return the folder of the world's pull requests."""
    return PullFolder(world.folder / "repo" / "pulls")


def refreshed(world: LocalWorld) -> list[tuple[int, PullState]]:
    """Fetch the base and refresh, as another process would."""
    return [(p.number, p.state) for p in world.opened().refresh(world.base())]


def page(world: LocalWorld, number: int = 1) -> str:
    """Return what a person reads."""
    return (world.folder / "repo" / "pulls" / f"{number}.md").read_text()


def test_three_files_hold_a_pull_request(world: LocalWorld):
    """The JSON is the pull request, the page says it and the patch is the draft's."""
    pull = world.forge.open(world.pushed("a"))

    folder = world.folder / "repo" / "pulls"
    assert pull == read_pull(folder / "1.json")
    assert (folder / "1.patch").read_bytes() == b"patch"
    assert page(world).startswith("# bot: close it\n\nPull request 1, open.\n")
    assert page(world).endswith("\n\n---\n\nBody")
    assert pull.url == (folder / "1.md").as_uri()


def test_the_page_says_how_it_ended(world: LocalWorld):
    """After the end the page keeps its body and says who ended it and why, on a line."""
    world.forge.open(world.pushed("a"))

    world.forge.close(1, "person", "no,\n\n---\n\nnever @all")

    assert "Pull request 1, closed by person: no, --- never @\u200ball.\n" in page(
        world
    )
    assert page(world).endswith("\n\n---\n\nBody")


def test_a_page_that_a_person_deleted_is_written_anew(world: LocalWorld):
    """Ending a pull request needs no page to be there."""
    pull = world.forge.open(world.pushed("a"))
    (world.folder / "repo" / "pulls" / "1.md").unlink()

    world.forge.close(pull.number, "bot", "stale")

    assert "closed by bot: stale." in page(world)


def test_moments_are_as_precise_as_files_keep_them(world: LocalWorld):
    """What `open` returns equals what is read back later, to the millisecond."""
    world.now = datetime(2026, 11, 30, 8, 20, 1, 123456, tzinfo=UTC)

    pull = world.forge.open(world.pushed("a"))

    assert pull.created_at == datetime(2026, 11, 30, 8, 20, 1, 123000, tzinfo=UTC)
    assert pull == world.forge.find("a")


@pytest.mark.parametrize("leftover", ["7.md", "7.patch", "7.json"])
def test_numbers_are_never_reused(world: LocalWorld, leftover):
    """Any file of a number, also one that a kill left, burns the number."""
    folder = world.folder / "repo" / "pulls"
    folder.mkdir(parents=True)
    (folder / leftover).touch()
    if leftover.endswith(".json"):
        world.index.put_pull("repo", replace(_PULL, number=7))

    assert world.forge.open(world.pushed("a")).number == 8


def test_numbers_survive_the_loss_of_files(world: LocalWorld):
    """A number that only the index knows is not given again."""
    world.index.put_pull("repo", replace(_PULL, number=4))

    assert world.forge.open(world.pushed("a")).number == 5


def test_numbers_claimed_at_once_differ(world: LocalWorld):
    """Many claims at the same time get as many numbers."""
    folder = pulls_of(world)
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda _: folder.claim(after=0), range(40)))

    assert sorted(numbers) == list(range(1, 41))


def test_a_file_without_a_row_is_found(world: LocalWorld):
    """A kill between the file and its row leads to no second pull request."""
    made = world.pushed("a")
    pull = world.forge.open(made)
    world.index.clear()

    assert world.forge.open(made) == pull
    assert world.forge.listing() == (pull,)


def test_only_files_without_rows_are_read(world: LocalWorld):
    """A tick doesn't read old files: a torn one below the newest row hurts nobody."""
    first = world.forge.open(world.pushed("a"))
    world.forge.close(first.number, "bot", "stale")
    second = world.forge.open(world.pushed("b", "cycle-2"))
    pull_path(world.folder / "repo" / "pulls", 1).write_text("{")

    assert world.opened().find("b") == second


def test_a_torn_file_without_a_row_is_an_error(world: LocalWorld):
    """What can't be read might be an open pull request, so nothing is opened beside it."""
    folder = world.folder / "repo" / "pulls"
    folder.mkdir(parents=True)
    (folder / "1.json").write_text("{")

    with pytest.raises(UnreadableError):
        world.forge.open(world.pushed("a"))


def test_a_row_behind_its_file_catches_up(world: LocalWorld):
    """The file is the truth where a kill kept its row from following."""
    opened = world.forge.open(world.pushed("a"))
    closed = world.forge.close(1, "person", "no")
    world.index.put_pull("repo", opened)

    assert world.opened().find("a") == closed
    assert refreshed(world) == [(1, PullState.CLOSED_BY_PERSON)]
    assert world.index.pulls("repo") == (closed,)


def test_a_new_cycle_is_not_fooled_by_a_row_behind_its_file(world: LocalWorld):
    """An open row of a closed pull request doesn't stand for an open one."""
    opened = world.forge.open(world.pushed("a"))
    world.forge.close(1, "bot", "stale")
    world.index.put_pull("repo", opened)

    assert world.forge.open(world.pushed("a", "cycle-2")).number == 2


def test_a_row_counts_while_its_file_is_gone(world: LocalWorld):
    """A file that is missing proves nothing; the row stands in for it."""
    pull = world.forge.open(world.pushed("a"))
    pull_path(world.folder / "repo" / "pulls", 1).unlink()

    assert refreshed(world) == []
    assert world.opened().find("a") == pull


def test_a_read_only_folder_is_told(world: LocalWorld):
    """Where a file stands in the way of the folder, the error names it."""
    (world.folder / "repo" / "pulls").write_text("in the way")

    with pytest.raises(DataFolderUnusable, match="pulls"):
        world.forge.open(world.pushed("a"))


def test_a_branch_with_a_strangers_commit_is_left_alone(world: LocalWorld):
    """An open pull request whose branch somebody else moved is not updated."""
    made = world.pushed("a")
    world.forge.open(made)
    world.there.run("checkout", "-q", made.branch)
    theirs = world.commit({"theirs.txt": "theirs\n"}, "Improve it")

    with pytest.raises(PushRejected, match=f"{made.branch} stands at {theirs}"):
        world.forge.open(replace(made, cycle_id="cycle-2", head_sha=made.base_sha))
    assert refreshed(world) == []


def test_the_same_commit_needs_no_look(world: LocalWorld):
    """Opening the same commit again writes nothing, whatever the branch holds."""
    made = world.pushed("a")
    pull = world.forge.open(made)
    world.person_deletes_branch(pull)

    assert world.forge.open(replace(made, title="other")) == pull


# How a change gets into the base.


def test_a_fast_forward_is_a_merge(world: LocalWorld):
    """The bot's own commit in the base ends its pull request."""
    pull = world.forge.open(world.pushed("a"))
    world.there.run("merge", "-q", "--ff-only", pull.branch)

    assert refreshed(world) == [(1, PullState.MERGED)]
    assert f"merged: its commit {pull.head_sha[:12]} is in the base." in page(world)


def test_a_rebased_commit_is_a_merge(world: LocalWorld):
    """A commit with the cycle's trailer counts, whatever else it changes."""
    pull = world.forge.open(world.pushed("a"))
    world.commit({"other.txt": "other\n"}, "Other")
    world.there.run("cherry-pick", pull.branch)
    world.there.run("commit", "-q", "--amend", "--no-edit", "--allow-empty")
    world.person_deletes_branch(pull)

    assert refreshed(world) == [(1, PullState.MERGED)]
    assert "of the base names its cycle." in page(world)


def test_the_same_change_is_a_merge(world: LocalWorld):
    """The change alone, without trailer and tick, is known by its patch id."""
    pull = world.forge.open(world.pushed("a"))
    world.commit({"a.txt": "cycle-1\n"}, "Do it by hand")
    world.person_deletes_branch(pull)

    assert refreshed(world) == [(1, PullState.MERGED)]
    assert "of the base is the same change." in page(world)


def test_a_ticked_line_is_a_merge(world: LocalWorld):
    """The gap's line ticked in the base ends the pull request."""
    world.forge.open(world.pushed("a"))
    assert refreshed(world) == []
    world.ticked.add("a")
    world.commit({"PRD.md": "- [x] one\n"}, "Done otherwise")

    assert refreshed(world) == [(1, PullState.MERGED)]
    assert "the gap's line is ticked in the base." in page(world)


def test_a_look_goes_on_where_the_last_one_ended(world: LocalWorld):
    """A merge is seen although the base moved and was looked at before."""
    pull = world.forge.open(world.pushed("a"))
    world.commit({"other.txt": "1\n"}, "Other")
    assert refreshed(world) == []
    world.commit({"a.txt": "cycle-1\n"}, "Do it by hand")

    assert refreshed(world) == [(1, PullState.MERGED)]
    assert pull.number == 1


def test_other_commits_are_no_merge(world: LocalWorld):
    """Prose that quotes the trailer, another change and an empty commit prove nothing."""
    world.forge.open(world.pushed("a"))
    world.commit({"a.txt": "otherwise\n"}, "Why\n\nBot-Cycle: cycle-1\n\nThat failed.")
    world.there.run("commit", "-q", "--allow-empty", "-m", "Empty")

    assert refreshed(world) == []


def test_a_change_is_no_merge_by_a_lost_ref(world: LocalWorld):
    """Without the edits to compare, the other signs still count and nothing breaks."""
    pull = world.forge.open(world.pushed("a"))
    world.clone.drop("refs/bot/edits/cycle-1")
    world.commit({"a.txt": "cycle-1\n"}, "Do it by hand")
    assert refreshed(world) == []
    world.person_merges(pull)

    assert refreshed(world) == [(1, PullState.MERGED)]


def test_nothing_is_written_while_nothing_changes(world: LocalWorld):
    """A second look at the same base writes no file and asks only for the branches."""
    world.forge.open(world.pushed("a"))
    refreshed(world)
    folder = world.folder / "repo" / "pulls"
    before = {p.name: p.stat().st_mtime_ns for p in folder.iterdir()}
    asked = Asked(world)

    assert asked.forge.refresh(world.base()) == ()

    assert asked.looks == ["remote_tips"]
    assert before == {p.name: p.stat().st_mtime_ns for p in folder.iterdir()}


def test_a_torn_note_of_looks_costs_only_time(world: LocalWorld):
    """Without the note of what was looked at, everything is looked at again."""
    pull = world.forge.open(world.pushed("a"))
    refreshed(world)
    note = world.folder / "repo" / "pulls" / "looked.json"
    assert json.loads(note.read_text()) == {"1": world.base()}
    note.write_text("{")
    world.person_merges(pull)

    assert refreshed(world) == [(1, PullState.MERGED)]


def test_a_deletion_seen_from_an_old_base_proves_nothing(world: LocalWorld):
    """Merged and deleted after the fetch is not taken for closed."""
    pull = world.forge.open(world.pushed("a"))
    old = world.base()
    world.person_merges(pull)
    world.person_deletes_branch(pull)

    assert world.forge.refresh(old) == ()
    assert refreshed(world) == [(1, PullState.MERGED)]


@pytest.mark.parametrize(
    "error", [GitFailed(["x"], 1, "gone"), Deferred("offline")], ids=["git", "offline"]
)
@pytest.mark.parametrize(
    "broken", ["is_ancestor", "commits_between", "patch_id", "remote_tips"]
)
def test_a_look_that_failed_proves_nothing(world: LocalWorld, broken, error):
    """With any look failing, a deleted branch closes nothing; later it does."""
    pull = world.forge.open(world.pushed("a"))
    world.commit({"other.txt": "other\n"}, "Other")
    world.person_deletes_branch(pull)
    asked = Asked(world, broken, error)

    assert asked.forge.refresh(world.base()) == ()

    assert refreshed(world) == [(1, PullState.CLOSED_BY_PERSON)]


def test_a_merge_is_seen_past_a_failed_look(world: LocalWorld):
    """A sign that is seen counts although another look failed."""
    pull = world.forge.open(world.pushed("a"))
    world.person_merges(pull)
    asked = Asked(world, "is_ancestor", Deferred("locked"))

    assert [p.state for p in asked.forge.refresh(world.base())] == [PullState.MERGED]


class Asked:
    """A forge whose looks at git are noted; one of them may fail, but for own refs."""

    def __init__(
        self, world: LocalWorld, broken: str = "", error: Exception | None = None
    ) -> None:
        self.looks: list[str] = []
        self._clone, self._broken, self._error = world.clone, broken, error
        self.forge = world.opened()
        self.forge._history = self

    def __getattr__(self, name: str) -> object:
        def look(*args: str) -> object:
            self.looks.append(name)
            if name == self._broken and not str(args[0]).startswith("refs/"):
                raise self._error
            return getattr(self._clone, name)(*args)

        return look


_PULL = Pull(
    number=1,
    gap_id="other",
    cycle_id="cycle-0",
    branch="bot/other",
    head_sha="0" * 40,
    base="main",
    base_sha="1" * 40,
    title="Other",
    url="file:///x",
    state=PullState.CLOSED_BY_BOT,
    created_at=datetime(2026, 11, 1, tzinfo=UTC),
    ended_at=datetime(2026, 11, 2, tzinfo=UTC) + timedelta(hours=1),
)
