"""Durations, sizes, counts and money as people write them in the config.

Sizes count in 1024s: `"1KB"` is 1024 bytes. Durations are whole numbers of one unit.
"""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from string import ascii_letters
from typing import Annotated

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from bot.settings.leaks import shown

_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_BYTES = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
_DURATION_FORM = 'write a duration like "90s", "15m", "2h" or "3d"'
_SIZE_FORM = 'write a size like "512KB", "64MB" or "4GB"'
_COUNT_FORM = "write a whole number like 5"
_MONEY_FORM = "write US dollars like 5 or 0.25, with at most six decimals"

DURATION_PATTERN = "^[0-9]+[smhd]$"
SIZE_PATTERN = "^[0-9]+[KMGT]?B$"
LONGEST_DURATION_S = 3_650 * 86_400
LARGEST_SIZE = (1 << 63) - 1
MOST_USD = 1_000_000
MOST_COUNT = 10**15
_MOST_DIGITS = 20
_MICRO = Decimal("0.000001")


def parse_duration(text: str) -> float:
    """Return the seconds of `"90s"`, `"15m"`, `"2h"` or `"3d"`.

    Raises:
        ValueError: It is not written so, or longer than ten years.
    """
    seconds = _number(text, _SECONDS, f"is no duration; {_DURATION_FORM}")
    if seconds > LONGEST_DURATION_S:
        raise ValueError(f"{shown(text)} is longer than ten years; {_DURATION_FORM}")
    return float(seconds)


def format_duration(seconds: float) -> str:
    """Write whole seconds in the largest unit that loses nothing.

    Raises:
        ValueError: They are negative or not whole.
    """
    if seconds < 0 or seconds != int(seconds):
        raise ValueError(f"{seconds} s can't be written as a whole duration")
    return _written(int(seconds), _SECONDS)


def parse_size(text: str) -> int:
    """Return the bytes of `"512KB"`, `"64MB"` or `"4GB"`, with 1 KB = 1024 bytes.

    Raises:
        ValueError: It is not written so, or larger than any file can be.
    """
    size = _number(text, _BYTES, f"is no size; {_SIZE_FORM}")
    if size > LARGEST_SIZE:
        raise ValueError(f"{shown(text)} is larger than any file; {_SIZE_FORM}")
    return size


def format_size(size: int) -> str:
    """Write bytes in the largest unit that loses nothing.

    Raises:
        ValueError: They are negative.
    """
    if size < 0:
        raise ValueError(f"{size} bytes can't be written as a size")
    return _written(size, _BYTES)


def _number(text: str, units: Mapping[str, int], complaint: str) -> int:
    digits = text.rstrip(ascii_letters)
    unit = text[len(digits) :]
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    if not is_number or unit not in units:
        raise ValueError(f"{shown(text)} {complaint}")
    return int(digits) * units[unit]


def _written(amount: int, units: Mapping[str, int]) -> str:
    fitting = [unit for unit, worth in units.items() if amount % worth == 0]
    unit = fitting[-1] if amount else next(iter(units))
    return f"{amount // units[unit]}{unit}"


def _read_duration(value: object) -> float:
    # A float is the form inside; the loader reads a file's fractions as Decimal.
    if isinstance(value, float):
        return value
    if isinstance(value, str):
        return parse_duration(value)
    raise ValueError(f"{shown(value)} is no duration; {_DURATION_FORM}")


def _read_size(value: object) -> int:
    if isinstance(value, str):
        return parse_size(value)
    raise ValueError(f"{shown(value)} is no size; {_SIZE_FORM}")


def _read_count(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    # The environment has only text.
    is_number = isinstance(value, str) and value.isascii() and value.isdigit()
    if isinstance(value, str) and is_number and len(value) <= _MOST_DIGITS:
        return int(value)
    raise ValueError(f"{shown(value)} is no whole number; {_COUNT_FORM}")


def _read_money(value: object) -> Decimal:
    amount = as_decimal(value)
    if amount is None or amount < 0 or not _is_whole_micro(amount):
        raise ValueError(f"{shown(value)} is no amount of money; {_MONEY_FORM}")
    return amount


def as_decimal(value: object) -> Decimal | None:
    """Return a number as it stands in a file or a variable, or None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal):
        return None
    try:
        amount = Decimal(value)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def _is_whole_micro(amount: Decimal) -> bool:
    # A larger amount does not fit the digits of quantize, and is refused anyway.
    return amount > MOST_USD or amount.quantize(_MICRO) == amount


def _money_as_number(amount: Decimal) -> float:
    return float(amount)


Duration = Annotated[
    float,
    BeforeValidator(_read_duration),
    PlainSerializer(format_duration, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "pattern": DURATION_PATTERN}),
]
"""Seconds inside; text like `"15m"` in the file."""

Timeout = Annotated[Duration, Field(gt=0)]
"""A duration that is not zero."""

Size = Annotated[
    int,
    BeforeValidator(_read_size),
    PlainSerializer(format_size, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "pattern": SIZE_PATTERN}),
]
"""Bytes inside; text like `"512KB"` in the file."""

Count = Annotated[int, BeforeValidator(_read_count), Field(ge=0, le=MOST_COUNT)]
"""A whole number; never a truth value or a fraction."""

Money = Annotated[
    Decimal,
    BeforeValidator(_read_money),
    Field(le=MOST_USD),
    PlainSerializer(_money_as_number, return_type=float, when_used="json"),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": MOST_USD}),
]
"""US dollars down to a micro-dollar."""
