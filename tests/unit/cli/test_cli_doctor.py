"""`bot doctor` as it is typed."""

from command_world import COMMANDS, World

SECOND = '\n[[repo]]\nname = "second"\npath = "../second"\nbase = "main"\n' + COMMANDS


def test_one_line_a_check(world: World):
    """Every look has a line that begins with how much it matters, the last counts them."""
    ran = world.run("doctor")

    *lines, summary = ran.out.splitlines()
    assert (0, "") == (ran.code, ran.err)
    assert {"ok"} == {line[:4].strip() for line in lines}
    assert f"{len(lines)} ok, 0 warn, 0 fail" == summary
    assert f"ok    config      {world.config}: wishes" == lines[0]
    assert "ok    pause       wishes: not paused" in lines


def test_advice_stands_on_the_line(world: World):
    """What to do stands behind what was seen."""
    world.run("pause")

    ran = world.run("doctor")

    assert 0 == ran.code
    assert "-> bot resume --repo wishes\n" in ran.out
    assert ran.out.endswith(" ok, 1 warn, 0 fail\n")


def test_a_fault_ends_with_one(world: World):
    """Any fault makes the status 1."""
    world.configure(commands="")

    ran = world.run("doctor")

    assert 1 == ran.code
    assert "fail  checks      wishes: there is no [[repo.check]]" in ran.out


def test_as_json(world: World):
    """Programs get every finding with the same five fields."""
    ran = world.run("doctor", "--json")

    found = ran.json
    assert (0, 1) == (ran.code, found["schema_version"])
    fields = {"repo", "name", "level", "detail", "advice"}
    assert [] == [check for check in found["checks"] if set(check) != fields]
    assert {None, "wishes"} == {check["repo"] for check in found["checks"]}


def test_without_a_config(world: World):
    """No config is the first line; the machine is looked at all the same."""
    ran = world.bare("doctor")

    lines = ran.out.splitlines()
    assert (2, "") == (ran.code, ran.err)
    assert lines[0].startswith("fail  config      there is no config")
    assert lines[1].startswith("ok    git ")
    assert lines[2].startswith(("ok    sandbox ", "fail  sandbox "))


def test_without_a_config_as_json(world: World):
    """Programs get the same in the same shape."""
    ran = world.bare("doctor", "--json")

    (first, *_) = ran.json["checks"]
    assert (2, None, "config", "fail") == (
        ran.code,
        first["repo"],
        first["name"],
        first["level"],
    )


def test_wrong_config(world: World):
    """Each problem of the config has a line."""
    world.configure(keys='base = "main"\nprdd = ["x"]\nprefixx = "y"')

    ran = world.run("doctor")

    assert 2 == ran.code
    assert 2 == sum(line.startswith("fail  config") for line in ran.out.splitlines())


def test_one_of_several(world: World):
    """`--repo` looks at one repository, and at the machine."""
    world.configure(more=SECOND)

    every, one = world.run("doctor"), world.run("doctor", "--repo", "wishes")

    assert (1, 0) == (every.code, one.code)
    assert "  second: there is no folder" in every.out
    assert "  second: " not in one.out
    assert "ok    config" in one.out


def test_unknown_repository(world: World):
    """A repository that is not in the config is wrong usage."""
    ran = world.run("doctor", "--repo", "nope")

    assert (2, "") == (ran.code, ran.out)
    assert 'no repository is named "nope"' in ran.err


def test_config_without_repository(world: World):
    """A config without a repository is looked at as far as it goes."""
    world.config.write_text("")

    ran = world.run("doctor")

    assert 0 == ran.code
    assert "warn  config" in ran.out


def test_hostile_text_stays_on_its_line(world: World):
    """What a repository says can neither act on the terminal nor break a line."""
    world.commit({"PRD.md": "- [ ] x\x1b[2J\u202e [bot-eligible] [id:\x1b]0;x]\n"})

    ran = world.run("doctor")

    assert ran.out.replace("\n", "").isprintable()
    assert {"ok", "wa", "fa"} >= {line[:2] for line in ran.out.splitlines()[:-1]}
