"""What each command says and leaves behind, to people and to programs."""

import json
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from command_world import COMMANDS, World

TITLE = "Evil\x1b[31m \u202etitle\x07 " + "long " * 200
ID = re.compile(r"bot-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-[0-9a-f]{8}")


def marked(title: str, tags: str = "[id:evil]") -> str:
    """Return a line of a requirements document that is a gap."""
    return f"- [ ] {title} [bot-eligible] {tags}\n"


def test_gaps(world: World):
    """The gaps stand in a table with what may be done with each."""
    ran = world.run("gaps")

    expected = [
        "GAP    PRIO  STATE     WHERE     TITLE",
        "hello  p2    eligible  PRD.md:3  Say hello",
    ]
    assert (0, "") == (ran.code, ran.err)
    assert expected == ran.out.splitlines()


def test_gaps_as_json(world: World):
    """Each gap in JSON names its repository, its state and why."""
    (gap,) = world.run("gaps", "--json").json["gaps"]

    assert ("wishes", "hello", 3) == (gap["repo"], gap["id"], gap["line_number"])
    assert ("eligible", "can be worked on") == (gap["state"], gap["why"])


def test_gaps_of_several_repositories(world: World):
    """Each table stands under its repository's name; a broken one hides no other."""
    more = '\n[[repo]]\nname = "gone"\npath = "../gone"\nbase = "main"\n' + COMMANDS
    world.configure(more=more)

    ran = world.run("gaps")

    assert 2 == ran.code
    assert ["wishes:", "gone:"] == [x for x in ran.out.split("\n") if x.endswith(":")]
    assert ran.err.startswith("bot: repository 'gone': ")


def test_no_gap_at_all(world: World):
    """A document without a marker is told so, with the word that makes a gap."""
    world.commit({"PRD.md": "# Nothing\n"})

    ran = world.run("gaps")

    assert 0 == ran.code
    assert re.fullmatch(
        r"no line of PRD.md at [0-9a-f]{12} is marked \[bot-eligible\]\n", ran.out
    )


def test_gaps_are_fetched_when_asked(world: World):
    """The base is taken as last fetched, until `--fetch`."""
    world.run("gaps")
    world.commit({"PRD.md": marked("New", "[id:new]")})

    before, after = world.run("gaps"), world.run("gaps", "--fetch")

    assert "hello" in before.out
    assert "new" in after.out


def test_hostile_title_stays_on_its_line(world: World):
    """A title of a repository can neither act on the terminal nor break its line."""
    world.commit({"PRD.md": marked(TITLE)})

    ran = world.run("gaps")

    assert 2 == len(ran.out.splitlines())
    assert ran.out.replace("\n", "").isprintable()
    assert ran.out.splitlines()[1].startswith("evil  p2    eligible  PRD.md:1  Evil")


def test_hostile_title_in_json(world: World):
    """JSON has the title as it is, written so that no terminal acts on it."""
    world.commit({"PRD.md": marked("Evil \u202etitle\x9b31m")})

    ran = world.run("gaps", "--json")

    assert "Evil \u202etitle\x9b31m" == ran.json["gaps"][0]["title"]
    assert ran.out.replace("\n", "").isprintable()


def test_faulty_gap_says_why(world: World):
    """What is wrong with a gap stands below the table."""
    world.commit({"PRD.md": marked("Bad", "[id:BAD]")})

    ran = world.run("gaps")

    assert "[id:BAD] is no id" in ran.out.splitlines()[2]


def test_why(world: World):
    """One gap is told with its state and the cycles that worked on it."""
    world.run("cycle")

    ran = world.run("why", "hello")

    lines = ran.out.splitlines()
    assert "hello (wishes, PRD.md:3)" == lines[0]
    assert lines[2].startswith("  open_pr: pull request 1 is open")
    assert ID.search(lines[3])


def test_why_as_json(world: World):
    """The cycles of a gap are listed by id."""
    world.run("cycle")

    (gap,) = world.run("why", "hello", "--json").json["gaps"]

    assert ("open_pr", 1) == (gap["state"], len(gap["cycles"]))


def test_why_of_an_unknown_gap(world: World):
    """A gap that is not there ends with 2 and names the command that lists them."""
    ran = world.run("why", "nope")

    expected = "bot: no gap has the id 'nope'; `bot gaps` lists those there are\n"
    assert (2, expected) == (ran.code, ran.err)


def test_cycle(world: World):
    """A cycle tells how it ended, and where its record lies."""
    ran = world.run("cycle")

    lines = ran.out.splitlines()
    assert 0 == ran.code
    assert lines[0].startswith("ok: pull request 1 is open: file://")
    assert lines[1] == "gap:     hello  Say hello"
    assert lines[3].startswith(f"record:  {world.data}/wishes/cycles/")
    assert "tests         green" in ran.err


def test_plan_pays_and_runs_nothing(world: World):
    """`--plan` shows what a cycle would do and leaves no record."""
    ran = world.run("cycle", "--plan")

    assert 0 == ran.code
    assert "gap:     hello  Say hello" == ran.out.splitlines()[0]
    assert "recipe:  echo hello > hello.txt" in ran.out
    assert [] == world.run("history", "--json").json["cycles"]


def test_plan_as_json(world: World):
    """The plan for programs names gap, base, branch and worst cost."""
    plan = world.run("cycle", "--plan", "--json").json

    assert ("wishes", "hello") == (plan["repo"], plan["gap"]["id"])
    assert (["true"], 0) == (plan["checks"], plan["worst_case_usd"])
    assert None is plan["outcome"]


def test_plan_where_nothing_can_be_done(world: World):
    """A plan of a repository without a gap ends as the cycle would."""
    world.commit({"PRD.md": "# Nothing\n"})

    ran = world.run("cycle", "--plan")

    assert 0 == ran.code
    assert ran.out.startswith("skipped_no_gap: ")


def test_prd_of_nobody_needs_a_rehearsal(world: World):
    """Gaps from a file on disk are for `--dry-run` and `--plan` alone."""
    ran = world.run("cycle", "--prd", "PRD.md")

    assert 2 == ran.code
    assert "needs --dry-run or --plan" in ran.err


def test_unknown_gap_is_no_cycle(world: World):
    """A gap that is not there ends with 2 and leaves no record."""
    ran = world.run("cycle", "--gap", "nope")

    assert 2 == ran.code
    assert [] == world.run("history", "--json").json["cycles"]


def test_failed_cycle_ends_with_one(world: World):
    """A cycle whose tests fail ends with 1."""
    world.configure(
        commands=COMMANDS.replace('run = "true"', 'run = "! test -e hello.txt"')
    )

    ran = world.run("cycle")

    assert 1 == ran.code
    assert ran.out.startswith("tests_failed: ")


def test_history_and_show(world: World):
    """What a cycle did can be read afterwards, step by step."""
    world.run("cycle")

    (cycle,) = world.run("history", "--json").json["cycles"]
    shown = world.run("show", cycle["cycle_id"])

    assert ("ok", "hello", 1) == (
        cycle["outcome"],
        cycle["gap_id"],
        cycle["pr_number"],
    )
    assert f"{cycle['cycle_id']}  wishes  manual" == shown.out.splitlines()[0]
    assert "summary:  Say hello [recipe:hello]" in shown.out
    assert "added:    hello.txt" in shown.out


def test_show_as_json_is_the_record(world: World):
    """`show --json` prints what the record's file says."""
    record = world.run("cycle", "--json").json
    path = next((world.data / "wishes" / "cycles").glob("*/*.json"))

    shown = world.run("show", record["cycle_id"], "--json").json

    assert json.loads(path.read_text()) == shown == record


def test_show_of_an_unknown_cycle(world: World):
    """A cycle that is not there ends with 2."""
    ran = world.run("show", "bot-x")

    assert 2 == ran.code
    assert "`bot history` lists those there are" in ran.err


def test_history_filters(world: World):
    """The history can be narrowed by outcome, gap, moment and number."""
    world.run("pause")
    world.run("cycle")
    world.run("resume")
    world.run("cycle")

    def outcomes(*options: str) -> list[str]:
        cycles = world.run("history", "--json", *options).json["cycles"]
        return [cycle["outcome"] for cycle in cycles]

    future = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    assert ["ok", "skipped_pause"] == outcomes()
    assert ["skipped_pause"] == outcomes("--outcome", "skipped_pause")
    assert ["ok"] == outcomes("--gap", "hello")
    assert ["ok"] == outcomes("--limit", "1")
    assert [] == outcomes("--since", future)
    assert ["ok", "skipped_pause"] == outcomes("--repo", "wishes")


def test_history_says_that_there_is_more(world: World):
    """A full page says so and names the moment of its oldest cycle."""
    world.run("cycle")

    ran = world.run("history", "--limit", "1")

    assert 3 == len(ran.out.splitlines())
    assert "the newest 1, the oldest of them" in ran.out


def test_history_without_cycles(world: World):
    """An empty history is told apart from a filter that finds nothing."""
    first, filtered = world.run("history"), world.run("history", "--gap", "x")

    assert ("no cycle yet\n", "none\n") == (first.out, filtered.out)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--outcome", "okk", "did you mean ok?"),
        ("--outcome", "qqqqqq", "known: ok, "),
        ("--since", "never", "write it as 2026-12-01"),
    ],
)
def test_history_of_nonsense(world: World, option: str, value: str, said: str):
    """A filter that means nothing ends with 2 and says what would."""
    ran = world.run("history", option, value)

    assert 2 == ran.code
    assert said in ran.err


def test_pause_and_resume(world: World):
    """A pause says what holds; a resume names what it took away."""
    paused = world.run("pause", "--reason", "holidays")
    cycle = world.run("cycle")
    resumed = world.run("resume")
    again = world.run("resume")

    file = world.data / "bot.paused"
    assert f"paused by {file}: holidays\n" == paused.out
    assert (0, "skipped_pause") == (cycle.code, cycle.out.partition(":")[0])
    assert (f"removed {file}\n", "nothing is paused\n") == (resumed.out, again.out)


def test_pause_as_json(world: World):
    """Programs get the paths of pause files."""
    paused = world.run("pause", "--repo", "wishes", "--json").json
    resumed = world.run("resume", "--json").json

    file = str(world.data / "wishes" / "bot.paused")
    assert (file, [file]) == (paused["paused"], resumed["removed"])


@pytest.mark.parametrize(
    ("until", "said"),
    [("tomorrow", "write it as 2026-12-01T08:00:00Z"), ("2020-01-01", "has passed")],
)
def test_pause_until_nonsense(world: World, until: str, said: str):
    """A pause without a moment to come is no pause."""
    ran = world.run("pause", "--until", until)

    assert 2 == ran.code
    assert said in ran.err
    assert not (world.data / "bot.paused").exists()


def test_pulls_list(world: World):
    """Open pull requests stand in a table, ended ones with `--all`."""
    world.run("cycle")

    ran = world.run("pulls", "list")

    lines = ran.out.splitlines()
    assert "N  REPO    STATE  GAP    BRANCH               TITLE" == lines[0]
    assert "1  wishes  open   hello  bot/hello-say-hello  bot: Say hello" == lines[1]


def test_no_pull_request(world: World):
    """An empty list is told in words."""
    some, every = world.run("pulls", "list"), world.run("pulls", "list", "--all")

    assert ("no open pull request\n", "no pull request\n") == (some.out, every.out)


def test_merge_where_the_base_is_checked_out(world: World):
    """A person's checkout is never touched: the command for it is printed, status 1."""
    world.run("cycle")

    told, read = (
        world.run("pulls", "merge", "1"),
        world.run("pulls", "merge", "1", "--json"),
    )

    assert (1, False) == (told.code, read.json["merged"])
    assert f"  {read.json['command']}" == told.out.splitlines()[-1]
    assert not (world.repo / "hello.txt").exists()


def test_merge_where_it_is_not(world: World):
    """Elsewhere the base moves to the merged commit."""
    world.run("cycle")
    world.git("checkout", "-q", "--detach")

    ran = world.run("pulls", "merge", "1", "--json")

    assert (0, True) == (ran.code, ran.json["merged"])
    assert ran.json["sha"] == world.git("rev-parse", "main")


@pytest.mark.parametrize("verb", ["merge", "close"])
def test_number_that_is_not_there(world: World, verb: str):
    """A pull request that is not there ends with 2 and the command that lists them."""
    ran = world.run("pulls", verb, "7")

    assert (2, "") == (ran.code, ran.out)
    assert "bot: repository 'wishes' has no pull request 7; `bot pulls" in ran.err


def test_close(world: World):
    """A closed pull request is told, and its gap is rejected."""
    world.run("cycle")

    closed = world.run("pulls", "close", "1", "--comment", "no")

    assert "pull request 1 is closed by person\n" == closed.out
    assert "rejected" == world.run("gaps", "--json").json["gaps"][0]["state"]
    listed = world.run("pulls", "list", "--all", "--json").json["pulls"]
    assert ["closed_by_person"] == [pull["state"] for pull in listed]


def test_close_as_json(world: World):
    """Programs get the closed pull request."""
    world.run("cycle")

    pull = world.run("pulls", "close", "1", "--json").json

    assert (1, "closed_by_person", "wishes") == (
        pull["number"],
        pull["state"],
        pull["repo"],
    )


def test_check(world: World):
    """The checks of the base are told, each with how it ended."""
    ran = world.run("check")

    lines = ran.out.splitlines()
    assert 0 == ran.code
    assert re.fullmatch(r"base     [0-9a-f]{12} of wishes", lines[0])
    assert re.fullmatch(r"ok       `true`: green, \d+ ms", lines[2])


def test_red_check(world: World):
    """A red check ends with 1; what it prints goes to standard error as it comes."""
    world.configure(commands='[[repo.check]]\nrun = "echo seen; exit 3"\n' + COMMANDS)

    ran = world.run("check")

    assert 1 == ran.code
    assert "fail     `echo seen; exit 3`: exit code 3" in ran.out
    assert "seen\n" in ran.err


def test_check_as_json(world: World):
    """Programs get every check with its output."""
    world.configure(commands='[[repo.check]]\nrun = "echo seen"\n')

    (check,) = world.run("check", "--json").json["checks"]

    assert (True, 0, "seen\n") == (
        check["green"],
        check["exit_code"],
        check["output"],
    )


def test_failed_set_up(world: World):
    """A set-up that fails is told and ends with 1."""
    world.configure(commands='[[repo.setup]]\nrun = "exit 4"\n' + COMMANDS)

    ran = world.run("check")

    assert 1 == ran.code
    assert "fail     set-up `exit 4`: exit code 4" in ran.out


def test_config_check(world: World):
    """A sound config is told with its repositories, a doubtful one with why."""
    world.configure(top='[sandbox]\nkind = "none"\n')

    ran = world.run("config", "check")

    lines = ran.out.splitlines()
    assert 0 == ran.code
    assert lines[0].startswith("warn  ")
    assert f"ok    {world.config}: wishes" == lines[-1]


def test_config_check_as_json(world: World):
    """Programs get path, repositories and warnings."""
    found = world.run("config", "check", "--json").json

    assert (str(world.config), ["wishes"], []) == (
        found["path"],
        found["repos"],
        found["warnings"],
    )


def test_wrong_config_names_every_problem(world: World):
    """Each mistake has its line, and the nearest key."""
    world.configure(keys='base = "main"\nprdd = ["x"]\nprefixx = "y"')

    ran = world.run("config", "check")

    assert 2 == ran.code
    assert "prdd" in ran.err
    assert "prefix" in ran.err


def test_config_schema(world: World):
    """The schema is printed without any config."""
    ran = world.bare("config", "schema")

    assert 0 == ran.code
    assert "repo" in ran.json["properties"]


def test_reindex(world: World):
    """The lost index comes back from the records."""
    world.run("cycle")
    for file in world.data.glob("bot.sqlite3*"):
        file.unlink()

    ran = world.run("reindex")

    assert "1 cycles, 1 pull requests and 0 pieces of spending indexed\n" == ran.out
    assert 1 == len(world.run("history", "--json").json["cycles"])


def test_reindex_names_what_it_can_not_read(world: World):
    """A broken record is named and ends with 1."""
    world.run("cycle")
    record = next((world.data / "wishes" / "cycles").glob("*/*.json"))
    record.write_text("{")

    told, read = world.run("reindex"), world.run("reindex", "--json")

    assert (1, 1) == (told.code, read.code)
    assert str(record) in told.out
    assert (0, 1) == (read.json["cycles"], len(read.json["unreadable"]))


def test_inbox(world: World):
    """What waits for a person is listed, each with the command that answers it."""
    world.run("cycle")

    ran = world.run("inbox")

    assert "pull_request  wishes  1" == ran.out.splitlines()[0]
    assert "  answer: bot pulls merge 1 --repo wishes, or close it" in ran.out


def test_empty_inbox(world: World):
    """Nothing to do is told in words."""
    ran = world.run("inbox")

    assert (0, "nothing waits for you\n") == (ran.code, ran.out)


def test_status(world: World):
    """The state of a repository, its gaps, pull requests and last cycles."""
    world.run("cycle")

    lines = world.run("status").out.splitlines()

    assert ["wishes", "  state    idle", "  gaps     1 open_pr"] == lines[:3]
    assert "  pulls    1 open, 0 not yet published" == lines[3]
    assert " ok  " in lines[4]


def test_status_as_json(world: World):
    """Programs get the same, with the pause in words."""
    world.run("pause", "--reason", "holidays")

    (repo,) = world.run("status", "--json").json["repos"]

    assert ("wishes", {"eligible": 1}, None) == (
        repo["repo"],
        repo["gaps"],
        repo["running"],
    )
    assert "holidays" in repo["paused"]


def test_status_of_a_broken_repository(world: World):
    """A repository that can't be used is named and ends with 2."""
    world.configure(keys='base = "nope"')

    ran = world.run("status")

    assert 2 == ran.code
    assert "bot: repository 'wishes': " in ran.err


def test_warnings_of_the_config_go_to_standard_error(world: World):
    """A doubtful config is used, and told beside the answer."""
    world.env["BOT_DATADIR"] = "/x"

    ran = world.run("gaps", "--json")

    assert 0 == ran.code
    assert "warning: BOT_DATADIR is not used" in ran.err
    assert 1 == len(ran.json["gaps"])


def test_shell(world: World):
    """`check --shell` opens a shell where the checks run and hands on its status."""
    command = [sys.executable, "-m", "bot", "--config", str(world.config)]

    done = subprocess.run(
        [*command, "check", "--shell"],
        input=b"test -e PRD.md && exit 7\n",
        capture_output=True,
        check=False,
    )

    assert 7 == done.returncode


def test_inbox_as_json(world: World):
    """Programs get what waits, with the command that answers it."""
    world.run("cycle")

    (item,) = world.run("inbox", "--json").json["items"]

    assert {"repo", "kind", "about", "why", "answer"} == set(item)
    assert "pull_request" == item["kind"]


def test_short_history(world: World):
    """A history that fits has nothing below its table."""
    world.run("cycle")

    assert 2 == len(world.run("history").out.splitlines())


def test_show_of_a_cycle_without_tests(world: World):
    """A cycle that ran no test shows no output."""
    world.run("pause")
    cycle = world.run("cycle", "--json").json["cycle_id"]

    lines = world.run("show", cycle).out.splitlines()

    assert ["skipped_pause", "record"] == [
        lines[1].partition(":")[0],
        lines[-1].partition(":")[0],
    ]


def test_merge_is_told(world: World):
    """A merge that was made is told with its commit and needs no command."""
    world.run("cycle")
    world.git("checkout", "-q", "--detach")

    ran = world.run("pulls", "merge", "1")

    assert (0, 1) == (ran.code, len(ran.out.splitlines()))
