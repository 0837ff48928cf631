"""Reserve and settle: what is charged, what is refused, what is left."""

from datetime import datetime
from pathlib import Path

import pytest
from ledger_case import (
    BERLIN,
    FREE,
    NOON,
    Clock,
    ask,
    at,
    make_ledger,
    reservation_files,
    rewrite,
)
from pydantic import ValidationError

from bot.errors import BotError, DataFolderUnusable, OverBudget
from bot.store.ledger import (
    AlreadySettled,
    CapReached,
    Caps,
    Ledger,
    Left,
    PeriodCaps,
    Request,
    Scope,
    Settled,
    SpendRow,
    Totals,
    Usage,
)


def test_an_open_reservation_counts_at_its_worst_case(ledger: Ledger):
    """What is set aside is spent until it is settled."""
    ledger.reserve(ask(100), FREE)

    assert Totals(micro_usd=100, calls=1, tokens=10) == ledger.of_cycle("cycle-1")


def test_a_settled_reservation_counts_at_its_usage(ledger: Ledger):
    """The usage takes the place of the worst case."""
    settled = ledger.reserve(ask(100), FREE).settle(Usage(micro_usd=30, tokens=4))

    assert Settled(micro_usd=30, calls=1, tokens=4, how="usage") == settled
    assert Totals(micro_usd=30, calls=1, tokens=4) == ledger.of_cycle("cycle-1")


@pytest.mark.parametrize(
    "usage",
    [
        Usage(micro_usd=101, tokens=10),
        Usage(micro_usd=100, tokens=11),
        Usage(micro_usd=100, calls=2, tokens=10),
    ],
)
def test_usage_above_the_reservation_is_charged_in_full(ledger: Ledger, usage: Usage):
    """A provider that breaks the bound is charged as it says, and told apart."""
    settled = ledger.reserve(ask(100, tokens=10), FREE).settle(usage)

    assert settled.over_reservation
    assert Totals() + usage == ledger.of_cycle("cycle-1")


def test_what_was_never_sent_costs_nothing(ledger: Ledger):
    """A request that never left is neither a call nor money."""
    settled = ledger.reserve(ask(), FREE).release_unsent()

    assert Settled(how="unsent") == settled
    assert Totals() == ledger.of_cycle("cycle-1")


def test_a_lost_connection_costs_the_worst_case(ledger: Ledger):
    """Without an answer the most that it can have cost is charged."""
    settled = ledger.reserve(ask(100), FREE).settle_lost()

    assert "lost" == settled.how
    assert Totals(micro_usd=100, calls=1, tokens=10) == ledger.of_cycle("cycle-1")


def test_an_error_without_usage_costs_a_call_and_no_money(ledger: Ledger):
    """An HTTP error counts as a call."""
    settled = ledger.reserve(ask(100), FREE).settle_http_error()

    assert "http_error" == settled.how
    assert Totals(calls=1) == ledger.of_cycle("cycle-1")


def test_settling_twice_is_an_error(ledger: Ledger):
    """The second settlement is refused and the first stands."""
    reservation = ledger.reserve(ask(100), FREE)
    reservation.settle(Usage(micro_usd=5))

    with pytest.raises(AlreadySettled, match="settle it only once"):
        reservation.settle_lost()
    assert 5 == ledger.of_cycle("cycle-1").micro_usd


def test_settling_after_its_day_was_folded_is_an_error(ledger: Ledger, clock: Clock):
    """A folded reservation was settled, so it can't be settled again."""
    reservation = ledger.reserve(ask(100), FREE)
    reservation.settle(Usage(micro_usd=5))
    clock.go(days=1)
    ledger.fold()

    with pytest.raises(AlreadySettled):
        reservation.release_unsent()


CASES = [
    (Scope.CALL, Caps(call=99), 0),
    (Scope.CYCLE, Caps(cycle=199), 100),
    (Scope.GAP, Caps(gap=199), 100),
    (Scope.REPO_DAY, Caps(repo=PeriodCaps(day=199)), 100),
    (Scope.REPO_MONTH, Caps(repo=PeriodCaps(month=199)), 100),
    (Scope.REPO_CALLS, Caps(repo=PeriodCaps(calls_per_day=1)), 1),
    (Scope.REPO_TOKENS, Caps(repo=PeriodCaps(tokens_per_day=19)), 10),
    (Scope.DAY, Caps(overall=PeriodCaps(day=199)), 100),
    (Scope.MONTH, Caps(overall=PeriodCaps(month=199)), 100),
    (Scope.CALLS, Caps(overall=PeriodCaps(calls_per_day=1)), 1),
    (Scope.TOKENS, Caps(overall=PeriodCaps(tokens_per_day=19)), 10),
]


@pytest.mark.parametrize(("scope", "caps", "spent"), CASES, ids=[c[0] for c in CASES])
def test_each_cap_refuses_and_is_named(
    ledger: Ledger, scope: Scope, caps: Caps, spent: int
):
    """A request that passes a cap by one is refused, naming scope, cap and spending."""
    ledger.reserve(ask(100), FREE)

    with pytest.raises(OverBudget, match=f"the {scope} cap of ") as refused:
        ledger.reserve(ask(100), caps)

    error = refused.value
    assert isinstance(error, CapReached)
    assert (scope, spent) == (error.scope, error.spent)
    assert error.asked + error.spent == error.cap + 1
    assert 100 == ledger.of_cycle("cycle-1").micro_usd


ROOMY = Caps(
    call=100,
    cycle=200,
    gap=200,
    repo=PeriodCaps(day=200, month=200, calls_per_day=2, tokens_per_day=20),
    overall=PeriodCaps(day=200, month=200, calls_per_day=2, tokens_per_day=20),
)


def test_what_fits_to_the_last_micro_usd_is_reserved(ledger: Ledger):
    """A cap may be used up whole."""
    ledger.reserve(ask(100), ROOMY)
    ledger.reserve(ask(100), ROOMY)

    assert 200 == ledger.spent().micro_usd


def test_the_scopes_tell_others_apart(ledger: Ledger):
    """Another cycle, gap or repository has its own caps; day and month are shared."""
    caps = Caps(cycle=100, gap=200, repo=PeriodCaps(day=300))
    ledger.reserve(ask(100, cycle="c1", gap="g1"), caps)
    ledger.reserve(ask(100, cycle="c2", gap="g1"), caps)
    with pytest.raises(CapReached, match="the gap cap"):
        ledger.reserve(ask(100, cycle="c3", gap="g1"), caps)
    ledger.reserve(ask(100, cycle="c3", gap="g2"), caps)
    with pytest.raises(CapReached, match="the repository's day cap"):
        ledger.reserve(ask(100, cycle="c4", gap="g3"), caps)

    ledger.reserve(ask(100, cycle="c4", gap="g1", repo="other"), caps)

    assert 300 == ledger.spent(repo="lakehouse").micro_usd
    assert 200 == ledger.of_gap("lakehouse", "g1").micro_usd
    assert 100 == ledger.of_gap("other", "g1").micro_usd
    assert 400 == ledger.spent("2026-11-30").micro_usd


def test_a_request_outside_cycle_and_gap_has_no_such_caps(ledger: Ledger):
    """Spending for no gap and no cycle is bound by the call, the day and the month."""
    caps = Caps(cycle=0, gap=0, overall=PeriodCaps(day=150))
    ledger.reserve(ask(100, gap=None, cycle=None), caps)

    with pytest.raises(CapReached, match="the day cap"):
        ledger.reserve(ask(100, gap=None, cycle=None), caps)


def test_free_models_go_on_when_the_money_is_gone(ledger: Ledger):
    """A request without a price fits a cap that is used up or overdrawn."""
    ledger.reserve(ask(100), FREE).settle(Usage(micro_usd=500))
    caps = Caps(cycle=0, gap=400, overall=PeriodCaps(day=400, month=500))

    ledger.reserve(ask(0), caps)

    assert Totals(micro_usd=500, calls=2, tokens=10) == ledger.spent()


def test_the_message_says_what_to_do(ledger: Ledger):
    """A refusal in a unit other than money names that unit and the key to change."""
    caps = Caps(overall=PeriodCaps(tokens_per_day=9))

    with pytest.raises(CapReached) as refused:
        ledger.reserve(ask(), caps)

    expected = (
        "the tokens a day cap of 9 tokens has no room: 0 tokens spent or reserved, "
        "10 tokens asked; raise [budget] tokens_per_day or wait"
    )
    assert expected == str(refused.value)


def test_left_is_the_least_of_day_and_month_here_and_over_all(ledger: Ledger):
    """What is left is bound by the narrowest cap of its unit."""
    ledger.reserve(ask(100), FREE)
    ledger.reserve(ask(30, repo="other"), FREE)
    caps = Caps(
        repo=PeriodCaps(day=500, month=450, calls_per_day=9),
        overall=PeriodCaps(day=1000, month=475, tokens_per_day=50),
    )

    left = ledger.left(caps, "lakehouse")

    assert Left(micro_usd=345, calls=8, tokens=30, used_up=None) == left


def test_left_says_which_cap_is_used_up(ledger: Ledger):
    """A cap of 0, or one that is overdrawn, leaves nothing and is named."""
    ledger.reserve(ask(100), FREE).settle(Usage(micro_usd=120))
    caps = Caps(repo=PeriodCaps(month=100), overall=PeriodCaps(day=200, month=0))

    left = ledger.left(caps, "lakehouse")

    expected = (
        "the repository's month cap of $0.0001 is used up: $0.00012 spent or reserved; "
        "raise [repo.budget] usd_per_month or wait"
    )
    assert Left(micro_usd=0, calls=None, tokens=None, used_up=expected) == left


def test_without_caps_nothing_is_bound(ledger: Ledger):
    """No cap is no bound."""
    nothing = Left(micro_usd=None, calls=None, tokens=None, used_up=None)

    assert nothing == ledger.left(FREE, "lakehouse")


def test_reading_an_empty_ledger_writes_nothing(ledger: Ledger, folder: Path):
    """Looking at a ledger that is not there leaves it so."""
    assert Totals() == ledger.spent()
    assert [] == list(ledger.spend_rows())
    assert () == ledger.settle_dead()
    ledger.fold()

    assert not folder.exists()


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        ("2026-10-24T22:00:00+00:00", "2026-10-25"),
        ("2026-10-25T22:59:59+00:00", "2026-10-25"),
        ("2026-10-25T23:00:00+00:00", "2026-10-26"),
        ("2026-03-28T22:59:59+00:00", "2026-03-28"),
        ("2026-03-28T23:00:00+00:00", "2026-03-29"),
        ("2026-03-29T21:59:59+00:00", "2026-03-29"),
        ("2026-03-29T22:00:00+00:00", "2026-03-30"),
        ("2026-10-31T23:30:00+00:00", "2026-11-01"),
        ("2026-12-31T23:30:00+00:00", "2027-01-01"),
    ],
)
def test_days_are_those_of_the_zone(folder: Path, moment: str, day: str):
    """A day of 23, 24 or 25 hours, a month and a year begin at local midnight."""
    ledger = make_ledger(folder, at(moment))

    ledger.reserve(ask(100), FREE)

    assert [day] == [path.parent.name for path in reservation_files(folder)]
    assert day == ledger.today()
    assert 100 == ledger.spent(day[:7]).micro_usd


def test_the_day_cap_holds_over_the_25th_hour(folder: Path):
    """In autumn the day has an hour more and not a cent more."""
    clock = at("2026-10-24T22:00:00+00:00")
    ledger = make_ledger(folder, clock)
    caps = Caps(overall=PeriodCaps(day=100))
    ledger.reserve(ask(100), caps)
    clock.go(hours=24.9)
    with pytest.raises(CapReached):
        ledger.reserve(ask(1), caps)

    clock.go(hours=0.1)

    ledger.reserve(ask(100), caps)


def test_month_and_day_start_anew_but_gap_and_cycle_do_not(
    ledger: Ledger, clock: Clock
):
    """At the turn of the month day and month are fresh; gap and cycle go on."""
    ledger.reserve(ask(100), FREE).settle_lost()
    clock.go(days=1)
    ledger.reserve(ask(100), Caps(overall=PeriodCaps(day=100, month=100)))

    with pytest.raises(CapReached, match="the cycle cap"):
        ledger.reserve(ask(1), Caps(cycle=200))
    with pytest.raises(CapReached, match="the gap cap"):
        ledger.reserve(ask(1, cycle="new"), Caps(gap=200))


def test_a_moment_without_zone_is_refused(folder: Path):
    """A clock that gives naive moments is a fault."""
    naive = NOON.replace(tzinfo=None)

    with pytest.raises(ValueError, match="without a zone"):
        make_ledger(folder, Clock(naive)).spent()


def test_an_id_source_that_repeats_itself_is_refused(folder: Path, clock: Clock):
    """A reservation is never overwritten by another."""
    ledger = Ledger(folder, BERLIN, clock, lambda: "same")
    ledger.reserve(ask(100), FREE)

    with pytest.raises(BotError, match="its ids must differ"):
        ledger.reserve(ask(1), FREE)
    assert 100 == ledger.spent().micro_usd


def test_ids_sort_by_time(folder: Path, clock: Clock):
    """Without an id source of the test the ids are unique and in order of time."""
    ledger = Ledger(folder, BERLIN, clock)
    idents = []
    for _ in range(3):
        idents.append(ledger.reserve(ask(1), FREE).id)
        clock.go(milliseconds=1)

    assert sorted(set(idents)) == idents
    assert idents == [path.stem for path in reservation_files(folder)]


@pytest.mark.parametrize(
    "name", ["2026-11-30/x.json", "2026-10.json"], ids=["reservation", "totals"]
)
def test_a_file_that_cannot_be_read_stops_spending(
    ledger: Ledger, folder: Path, name: str
):
    """Where spending is not known nothing more is spent."""
    ledger.reserve(ask(100), FREE)
    (folder / name).write_text('{"schema_version": 2}')

    with pytest.raises(DataFolderUnusable, match="what was spent is not known"):
        ledger.reserve(ask(1), FREE)


def test_a_day_that_is_no_folder_stops_spending(ledger: Ledger, folder: Path):
    """A file where a day's folder is expected is an error with advice."""
    folder.mkdir(parents=True)
    (folder / "2026-11-29").write_text("")

    with pytest.raises(DataFolderUnusable, match="can't list"):
        ledger.reserve(ask(1), FREE)


def test_a_folder_that_cannot_be_created_is_named(tmp_path: Path):
    """Where the ledger can't be, the error is that of the data folder."""
    (tmp_path / "data").write_text("")

    with pytest.raises(DataFolderUnusable, match="a file stands where"):
        make_ledger(tmp_path / "data" / "ledger", Clock()).reserve(ask(1), FREE)


@pytest.mark.parametrize("amount", [1.0, True, -1, "1"])
def test_amounts_are_whole_numbers(amount: object):
    """A float, a boolean or a negative number is no amount."""
    with pytest.raises(ValidationError):
        Usage(micro_usd=amount)  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(ValidationError):
        Caps(cycle=amount)  # type: ignore[arg-type]  # the point of the test


def test_a_request_is_at_least_one_call():
    """A worst case or a usage of no call is a fault of the caller."""
    with pytest.raises(ValidationError):
        Usage(micro_usd=1, calls=0)


def test_rows_tell_day_repository_gap_and_cycle(ledger: Ledger):
    """Each charge is told with what it was for."""
    ledger.reserve(ask(100), FREE)
    ledger.reserve(ask(7, gap=None, cycle=None), FREE).settle_lost()

    first, second = ledger.spend_rows()

    assert (
        SpendRow(
            period="2026-11-30",
            repo="lakehouse",
            gap_id="gap-a",
            cycle_id="cycle-1",
            totals=Totals(micro_usd=100, calls=1, tokens=10),
        )
        == first
    )
    assert (None, None, 7) == (second.gap_id, second.cycle_id, second.totals.micro_usd)


def test_the_file_holds_what_is_known_of_the_request(ledger: Ledger, folder: Path):
    """A reservation's file tells who asked whom, when, for what, from which process."""
    reservation = ledger.reserve(ask(100), FREE)
    (path,) = reservation_files(folder)

    text = path.read_text()

    assert f"{reservation.id}.json" == path.name
    for part in (
        '"schema_version":1',
        '"at":"2026-11-30T12:00:00.000Z"',
        '"role":"proposer","model":"openai:gpt-5-mini"',
        '"worst":{"micro_usd":100,"calls":1,"tokens":10}',
        '"settled":null',
    ):
        assert part in text


def test_what_another_boot_left_open_is_charged_whole(ledger: Ledger, folder: Path):
    """After a reboot open reservations are settled at their worst case, once."""
    reservation = ledger.reserve(ask(100), FREE)
    ledger.reserve(ask(7), FREE).settle(Usage(micro_usd=1))
    first, second = reservation_files(folder)
    rewrite(first, boot_id="an earlier boot")
    rewrite(second, boot_id="an earlier boot")

    assert (reservation.id,) == ledger.settle_dead()
    assert () == ledger.settle_dead()
    assert 101 == ledger.spent().micro_usd
    assert '"how":"dead"' in first.read_text()


def test_a_reused_pid_is_no_alibi(ledger: Ledger, folder: Path):
    """A living process with the owner's pid, but started later, is not the owner."""
    reservation = ledger.reserve(ask(100), FREE)
    rewrite(reservation_files(folder)[0], start_ticks=1)

    assert (reservation.id,) == ledger.settle_dead()


def test_the_own_process_is_alive(ledger: Ledger):
    """What this process holds is left alone."""
    ledger.reserve(ask(100), FREE)

    assert () == ledger.settle_dead()


def test_a_process_of_another_pid_namespace_has_a_day(
    ledger: Ledger, folder: Path, clock: Clock
):
    """A pid that can't be looked up from here counts as dead after a day, not before."""
    reservation = ledger.reserve(ask(100), FREE)
    rewrite(reservation_files(folder)[0], pid_namespace="pid:[1]", pid=2**22 + 1)
    clock.go(hours=24)
    assert () == ledger.settle_dead()

    clock.go(seconds=1)

    assert (reservation.id,) == ledger.settle_dead()


def test_a_request_names_no_unknown_field():
    """A misspelt field of a request is an error."""
    with pytest.raises(ValidationError):
        Request.model_validate({**ask().model_dump(), "usd": 1})


def test_the_moment_is_kept_in_utc(folder: Path):
    """A clock in another zone gives the same file."""
    local = datetime(2026, 11, 30, 13, tzinfo=BERLIN)
    make_ledger(folder, Clock(local)).reserve(ask(1), FREE)

    (path,) = reservation_files(folder)

    assert path.name.startswith("20261130T120000000000Z-")
    assert '"at":"2026-11-30T12:00:00.000Z"' in path.read_text()
