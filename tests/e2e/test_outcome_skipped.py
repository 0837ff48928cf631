"""Ticks that do nothing, for a reason that their record gives."""

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from e2e_world import GATED, HELLO, ROOMY, WRITE, World, gap_line


def names(world: World) -> list[str]:
    """Return the steps of the newest record."""
    return [step.name for step in world.records()[-1].steps]


@pytest.mark.outcome("skipped_overlap", "ok")
def test_a_second_process_skips_while_a_cycle_is_at_work(world: World) -> None:
    """While one cycle runs another ends at once, naming the process that is at work."""
    world.configure(recipes=GATED)
    first = world.start_until_recipe()

    second = world.cycle()
    world.release()
    ended = world.recorded(first.end())

    assert "skipped_overlap" == second.outcome
    assert f"{first.process.pid} {ended.cycle_id}" in second.reason
    assert ("ok", 1) == (ended.outcome, ended.pr_number)
    assert ["bot/hello-say-hello"] == world.person.branches()


@pytest.mark.outcome("skipped_pause")
@pytest.mark.parametrize("place", ["person", "data", "data/demo"])
def test_each_pause_file_halts_cycles_until_resume(world: World, place: str) -> None:
    """Any of the three pause files ends a cycle before it opens anything."""
    file = world.root / place / "bot.paused"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("release week\n")

    record = world.cycle()

    assert "skipped_pause" == record.outcome
    assert f"paused by {file}: release week" == record.reason
    assert ["pause"] == names(world)
    assert not (world.folder / "clone.git").exists()
    assert str(file) in world.bot("resume").out
    assert not file.exists()


@pytest.mark.outcome("skipped_pause", "ok")
def test_a_pause_holds_until_its_end_and_an_expired_one_is_as_none(
    world: World,
) -> None:
    """`until` in the future holds with its reason; one that has passed does not."""
    assert (
        0
        == world.bot(
            "pause", "--until", "2999-01-01T00:00:00Z", "--reason", "holiday"
        ).code
    )
    held = world.cycle()
    (world.data / "bot.paused").write_text("until: 2001-01-01T00:00:00Z\n")
    free = world.cycle()

    assert held.reason == (
        f"paused until 2999-01-01T00:00:00.000Z by {world.data}/bot.paused: holiday"
    )
    assert ["skipped_pause", "ok"] == [held.outcome, free.outcome]


@pytest.mark.outcome("skipped_pause", "ok")
def test_a_pause_in_mid_cycle_keeps_the_finished_commit_for_later(world: World) -> None:
    """A pause file that appears while a recipe runs stops the push, not the work."""
    world.configure(recipes=GATED)
    running = world.start_until_recipe()
    (world.data / "bot.paused").touch()
    world.release()
    held = world.recorded(running.end())

    assert "skipped_pause" == held.outcome
    assert [] == world.person.branches()
    (world.data / "bot.paused").unlink()
    freed = world.cycle()
    assert ("ok", held.commit_sha) == (freed.outcome, freed.commit_sha)
    assert "propose" not in names(world)


@pytest.mark.outcome("skipped_dirty_tree", "ok")
def test_an_uncommitted_change_of_the_person_makes_the_bot_wait(world: World) -> None:
    """A dirty checkout is left alone and waited for; the record names the path."""
    world.person.write({"draft.txt": "not yet committed\n"})
    waited = world.cycle()
    (world.person.path / "draft.txt").unlink()
    world.person.write({"bot.paused": "until: 2001-01-01T00:00:00Z"})

    assert "skipped_dirty_tree" == waited.outcome
    assert "draft.txt" in waited.reason
    assert "ok" == world.cycle().outcome


@pytest.mark.outcome("skipped_policy", "ok")
@pytest.mark.parametrize(
    ("policy", "named"),
    [
        ("max_open_prs = 1", "policy.max_open_prs is 1"),
        ("prs_per_day = 1", "policy.prs_per_day is 1"),
    ],
)
def test_a_reached_limit_ends_the_tick_before_anything_is_run(
    tmp_path: Path, policy: str, named: str
) -> None:
    """With as many pull requests as allowed no cycle starts, and its record says so."""
    world = World(tmp_path, gaps=(gap_line("a"), gap_line("b")))
    world.configure(policy=policy)
    first, second = world.cycle(), world.cycle()

    assert ["ok", "skipped_policy"] == [first.outcome, second.outcome]
    assert named in second.reason
    assert "policy" == names(world)[-1]


@pytest.mark.outcome("skipped_policy", "ok")
def test_a_closed_pull_request_frees_its_place_but_not_the_day(tmp_path: Path) -> None:
    """Closing one pull request lets the next be opened; the day's count stays."""
    world = World(tmp_path, gaps=[gap_line(name) for name in "abc"])
    world.configure(policy="max_open_prs = 1\nprs_per_day = 2")
    outcomes = [world.cycle().outcome]
    for number in (1, 2):
        assert 0 == world.ask("pulls", "close", str(number)).code
        outcomes.append(world.cycle().outcome)

    assert ["ok", "ok", "skipped_policy"] == outcomes
    assert {"a": "rejected", "b": "rejected", "c": "eligible"} == world.states()


@pytest.mark.outcome("skipped_policy", "ok")
def test_a_busy_machine_is_left_alone(world: World) -> None:
    """While `busy_url` says running with a queue, cycles wait; a dead one is no reason."""
    with saying({"running": True, "queue_depth": 3}) as url:
        world.configure(policy=f'busy_url = "{url}"')
        busy = world.cycle()
    gone = world.cycle()

    assert ["skipped_policy", "ok"] == [busy.outcome, gone.outcome]
    assert "busy_url" in busy.reason


@pytest.mark.outcome("skipped_no_gap")
def test_without_a_marked_line_there_is_nothing_to_do(tmp_path: Path) -> None:
    """A base without a marker ends the tick as `skipped_no_gap`."""
    world = World(tmp_path, gaps=["- [ ] Not marked", "- [x] Done [bot-eligible]"])
    record = world.cycle()

    assert "skipped_no_gap" == record.outcome
    assert "no line is marked [bot-eligible]" in record.reason
    assert record.gap is None


@pytest.mark.outcome("skipped_no_gap")
def test_markers_that_only_the_checkout_has_are_pointed_out(tmp_path: Path) -> None:
    """Markers on another branch than the base are named, since they look forgotten."""
    world = World(tmp_path, gaps=["- [ ] Not marked"])
    world.person.git("switch", "-q", "-c", "topic")
    world.person.commit({"PRD.md": f"{HELLO}\n"})
    record = world.cycle()

    assert "skipped_no_gap" == record.outcome
    assert "PRD.md of the checkout" in record.reason
    assert "to the base branch" in record.reason


@pytest.mark.outcome("skipped_no_gap", "ok", "tests_failed")
def test_the_reason_counts_what_keeps_the_gaps_from_being_picked(
    tmp_path: Path,
) -> None:
    """With every gap open, cooling or blocked the record counts them."""
    gaps = [
        gap_line("open", " [recipe:good]"),
        gap_line("red", " [recipe:red]"),
        gap_line("later", " [recipe:good] [depends:red]"),
    ]
    world = World(tmp_path, gaps)
    world.configure(
        recipes={"good": WRITE, "red": "touch red"},
        checks=["test ! -e red"],
        policy=ROOMY,
    )
    outcomes = [world.cycle().outcome for _ in range(2)]
    last = world.cycle()

    assert ["ok", "tests_failed"] == outcomes
    assert "skipped_no_gap" == last.outcome
    for part in ("1 cooling down", "1 has an open pull request", "1 blocked"):
        assert part in last.reason


@contextmanager
def saying(answer: object) -> Iterator[str]:
    """Serve one JSON answer over loopback and yield its URL."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/state"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
