"""Money between `Decimal` USD outside and whole micro-USD inside; never a float."""

from decimal import Decimal

MICRO_PER_USD = 1_000_000


def micro_usd(amount: Decimal) -> int:
    """Convert USD to micro-USD, rounded up, so that nothing is charged too low.

    Raises:
        TypeError: The amount is no `Decimal` (a float can't hold a price).
        ValueError: The amount is negative or no finite number.
    """
    if not isinstance(amount, Decimal):
        raise TypeError(f"money is a Decimal of USD, not {type(amount).__name__}")
    if not amount.is_finite() or amount < 0:
        raise ValueError(f"{amount} is no amount of money; give 0 or more USD")
    numerator, denominator = amount.as_integer_ratio()
    return -(-numerator * MICRO_PER_USD // denominator)


def usd(micro: int) -> Decimal:
    """Convert micro-USD to USD with six decimals, exactly.

    Raises:
        TypeError: The amount is no `int`.
    """
    if isinstance(micro, bool) or not isinstance(micro, int):
        raise TypeError(f"micro-USD are an int, not {type(micro).__name__}")
    digits = tuple(int(digit) for digit in str(abs(micro)))
    return Decimal((int(micro < 0), digits, -6))


def in_words(micro: int) -> str:
    """Write micro-USD for people: cents, and more digits only where they matter."""
    text = f"{usd(micro):f}"
    whole, _, decimals = text.partition(".")
    return f"${whole}.{decimals[:2]}{decimals[2:].rstrip('0')}"
