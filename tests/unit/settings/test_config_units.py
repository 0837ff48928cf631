"""Durations, sizes, counts and money as they are written."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from bot.settings.units import (
    LARGEST_SIZE,
    LONGEST_DURATION_S,
    MOST_COUNT,
    MOST_USD,
    Count,
    Duration,
    Money,
    Size,
    Timeout,
    format_duration,
    format_size,
    parse_duration,
    parse_size,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90.0), ("15m", 900.0), ("2h", 7200.0), ("3d", 259200.0), ("0s", 0.0)],
)
def test_duration_is_seconds(text, seconds):
    """A duration is a whole number of seconds, minutes, hours or days."""
    assert seconds == parse_duration(text)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("7B", 7),
        ("512KB", 512 * 1024),
        ("64MB", 64 * 1024**2),
        ("4GB", 4 * 1024**3),
        ("1TB", 1024**4),
    ],
)
def test_size_counts_in_1024s(text, size):
    """A size is a whole number of bytes or of a unit that is 1024 of the one below."""
    assert size == parse_size(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "90",
        "s",
        "-1s",
        "+1s",
        "1.5h",
        "1 h",
        "1H",
        "1h30m",
        "٣s",
        "²s",
        "1w",
        "1s\n",
    ],
)
def test_other_durations_are_refused_with_the_form(text):
    """What is no duration is refused, and the message shows how one is written."""
    with pytest.raises(ValueError, match='is no duration; write a duration like "90s"'):
        parse_duration(text)


@pytest.mark.parametrize(
    "text", ["", "5", "GB", "4gb", "4 GB", "-4GB", "4GiB", "1.5GB"]
)
def test_other_sizes_are_refused_with_the_form(text):
    """What is no size is refused, and the message shows how one is written."""
    with pytest.raises(ValueError, match='is no size; write a size like "512KB"'):
        parse_size(text)


def test_what_no_clock_or_disk_holds_is_refused():
    """Ten years and 2^63-1 bytes are the most, whatever the number of digits."""
    with pytest.raises(ValueError, match="longer than ten years"):
        parse_duration("3651d")
    with pytest.raises(ValueError, match="larger than any file"):
        parse_size("9223372036854775808B")
    with pytest.raises(ValueError, match="is no size"):
        parse_size("9" * 5000 + "B")


@settings(max_examples=200, deadline=None)
@given(st.integers(0, LONGEST_DURATION_S))
def test_durations_survive_the_round_trip(seconds):
    """A duration that is written and read again is the same."""
    assert float(seconds) == parse_duration(format_duration(float(seconds)))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, LARGEST_SIZE))
def test_sizes_survive_the_round_trip(size):
    """A size that is written and read again is the same."""
    assert size == parse_size(format_size(size))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 999), st.sampled_from(["s", "m", "h", "d"]))
def test_a_duration_is_written_no_longer_than_it_was(number, unit):
    """Writing takes the largest unit that loses nothing."""
    text = f"{number}{unit}"
    assert len(format_duration(parse_duration(text))) <= len(text)


@pytest.mark.parametrize("seconds", [-1.0, 0.5])
def test_durations_that_have_no_form_are_not_written(seconds):
    """Negative and broken seconds can't be written as a duration."""
    with pytest.raises(ValueError, match="can't be written"):
        format_duration(seconds)


def test_negative_sizes_are_not_written():
    """Negative bytes can't be written as a size."""
    with pytest.raises(ValueError, match="can't be written"):
        format_size(-1)


@pytest.mark.parametrize("value", [90, Decimal("1.5"), True, ["90s"], None])
def test_a_number_without_unit_is_no_duration(value):
    """A plain number of a file is refused as a duration."""
    with pytest.raises(ValidationError, match="is no duration; write a duration like"):
        TypeAdapter(Duration).validate_python(value)


def test_float_seconds_are_the_form_inside():
    """Seconds as a float pass, since no file can give one."""
    assert TypeAdapter(Timeout).validate_python(0.5) == 0.5


def test_a_timeout_is_not_zero():
    """A timeout of no time at all is refused."""
    with pytest.raises(ValidationError):
        TypeAdapter(Timeout).validate_python("0s")


@pytest.mark.parametrize("value", [4096, True, Decimal(1)])
def test_a_number_without_unit_is_no_size(value):
    """A plain number is refused as a size."""
    with pytest.raises(ValidationError, match="is no size; write a size like"):
        TypeAdapter(Size).validate_python(value)


@pytest.mark.parametrize(("value", "count"), [(0, 0), (7, 7), ("12", 12)])
def test_counts(value, count):
    """A count is a whole number, as text where it comes from the environment."""
    assert count == TypeAdapter(Count).validate_python(value)


@pytest.mark.parametrize(
    "value", [True, Decimal("1.0"), "1.0", "-1", -1, "", "٣", "9" * 30, MOST_COUNT + 1]
)
def test_other_counts_are_refused(value):
    """Truth values, fractions, negative and boundless numbers are no counts."""
    with pytest.raises(ValidationError):
        TypeAdapter(Count).validate_python(value)


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        (5, "5"),
        ("0.25", "0.25"),
        (Decimal("0.000001"), "0.000001"),
        (Decimal("1.10000000"), "1.1"),
        (MOST_USD, "1000000"),
    ],
)
def test_money_is_exact(value, amount):
    """Money keeps what was written, down to a micro-dollar."""
    assert Decimal(amount) == TypeAdapter(Money).validate_python(value)


@pytest.mark.parametrize(
    "value",
    [
        True,
        0.5,
        -1,
        "much",
        "",
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
        Decimal("0.0000001"),
        Decimal("999999.0000000000000000000000000001"),
        Decimal("1e999999"),
        MOST_USD + 1,
    ],
)
def test_other_money_is_refused(value):
    """Floats, less than a micro-dollar, negative and boundless amounts are refused."""
    with pytest.raises(ValidationError):
        TypeAdapter(Money).validate_python(value)


def test_written_forms_are_what_json_shows():
    """In JSON, values stand as in the file."""
    dumped = [
        TypeAdapter(Duration).dump_json(900.0),
        TypeAdapter(Size).dump_json(1024),
        TypeAdapter(Money).dump_json(Decimal("0.25")),
    ]
    assert dumped == [b'"15m"', b'"1KB"', b"0.25"]
