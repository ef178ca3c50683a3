"""Exact arithmetic on dates: batsched computes with rationals of the doubles it receives.

Every finite double is a whole number of 2^-1074, so a date is kept as that whole number: sums and comparisons are
exact, and cheap integer operations.
"""

from typing import Final

__all__ = ["HORIZON", "Exact", "exact", "nearest"]

Exact = int
"""Seconds, in units of 2^-1074."""

_BITS: Final = 1074
_ONE: Final = 1 << _BITS


def exact(value: float) -> Exact:
    """The exact value of a finite double."""
    numerator, denominator = value.as_integer_ratio()
    return numerator << (_BITS + 1 - denominator.bit_length())


def nearest(value: Exact) -> float:
    """The nearest double."""
    return value / _ONE


HORIZON: Final[Exact] = exact(1e19)
"""batsched's end of time."""
