"""Money is whole micro-USD inside and `Decimal` USD outside."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.store.ledger import in_words, micro_usd, usd


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        ("0", 0),
        ("5", 5_000_000),
        ("0.000001", 1),
        ("0.0000001", 1),
        ("0.0000010000000000000000000000000000000001", 2),
        ("1E+3", 1_000_000_000),
        ("-0", 0),
    ],
)
def test_rounds_up(amount: str, expected: int):
    """A part of a micro-USD is charged as a whole one, however small."""
    assert expected == micro_usd(Decimal(amount))


@pytest.mark.parametrize("amount", [0.1, 1, "1", None])
def test_refuses_what_is_no_decimal(amount: object):
    """A float, or anything else that is no `Decimal`, is refused."""
    with pytest.raises(TypeError, match="money is a Decimal"):
        micro_usd(amount)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize("amount", ["-0.01", "NaN", "Infinity", "sNaN"])
def test_refuses_what_is_no_amount(amount: str):
    """Negative, infinite and undefined amounts are refused."""
    with pytest.raises(ValueError, match="is no amount of money"):
        micro_usd(Decimal(amount))


@pytest.mark.parametrize("micro", [1.0, True, "1"])
def test_refuses_micro_usd_that_are_no_int(micro: object):
    """Micro-USD are whole numbers."""
    with pytest.raises(TypeError, match="micro-USD are an int"):
        usd(micro)  # type: ignore[arg-type]  # the point of the test


@given(st.integers(min_value=0, max_value=10**40))
def test_there_and_back(micro: int):
    """Micro-USD survive the way to `Decimal` and back, however many."""
    assert micro == micro_usd(usd(micro))


@pytest.mark.parametrize(
    ("micro", "expected"),
    [(0, "$0.00"), (5_000_000, "$5.00"), (120_000, "$0.12"), (1, "$0.000001")],
)
def test_is_written_for_people(micro: int, expected: str):
    """Cents are always written, smaller parts only where there are some."""
    assert expected == in_words(micro)


def test_a_negative_amount_keeps_its_sign():
    """A difference can be negative and is shown so."""
    assert Decimal("-0.000005") == usd(-5)
