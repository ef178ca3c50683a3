"""Numbers as Batsim writes them, in less than half of the time where this module is compiled.

Then whole numbers and six decimals are made from integers. A product that lies so near the middle between two
decimals that its own rounding could matter is left to Python, which rounds the exact number.
"""

from types import FunctionType
from typing import Final

from mypy_extensions import i64

__all__ = ["COMPILED", "digits", "fixed", "significant"]

_LARGEST: Final = 9.0e15
"""Below this a float that is not an integer has a fraction of its own, and integers are exact."""
_UNSURE: Final = 1e-6
"""Far more than what a fraction times a million is wrong by."""
_TWO: Final = [a + b for a in "0123456789" for b in "0123456789"]
_THREE: Final = [a + b for a in "0123456789" for b in _TWO]
_LAST: Final = [text + ".000000" for text in _THREE]
_PLAIN: Final = [text.lstrip("0") or "0" for text in _THREE]
_POWERS: Final = [f"e+{power:02d}" for power in range(20)]
"""Digits come from tables, three at a time: Python takes longer to write one number than all the rest takes."""


def fixed(value: float) -> str:
    """A number with six decimals, as ``%f`` has it; there is no -0."""
    if not 0.0 <= value < _LARGEST:
        return f"{value + 0.0:f}"
    whole: i64 = i64(value)
    part = value - float(whole)
    if part == 0.0:
        # Most dates, in one go.
        if 1000 <= whole < 1_000_000:
            return f"{_PLAIN[whole // 1000]}{_LAST[whole % 1000]}"
        if 1_000_000 <= whole < 1_000_000_000:
            return f"{_PLAIN[whole // 1_000_000]}{_THREE[whole // 1000 % 1000]}{_LAST[whole % 1000]}"
        return f"{digits(whole)}.000000"
    millionths = part * 1e6
    micro: i64 = i64(millionths)
    rest = millionths - float(micro)
    if rest > 0.5 - _UNSURE:
        if rest < 0.5 + _UNSURE:
            return f"{value:f}"
        micro += 1
        if micro == 1_000_000:
            return f"{whole + 1}.000000"
    if whole < 1000:
        return f"{_PLAIN[whole]}.{_THREE[micro // 1000]}{_THREE[micro % 1000]}"
    if whole < 1_000_000:
        return f"{_PLAIN[whole // 1000]}{_THREE[whole % 1000]}.{_THREE[micro // 1000]}{_THREE[micro % 1000]}"
    return f"{digits(whole)}.{_THREE[micro // 1000]}{_THREE[micro % 1000]}"


def significant(value: float) -> str:
    """A number with six significant digits, as ``%g`` has it."""
    if not 0.0 < value < _LARGEST:
        return f"{value:g}"
    whole: i64 = i64(value)
    if float(whole) != value:
        return f"{value:g}"
    if whole < 1_000_000:
        return digits(whole)
    power: i64 = 6
    step: i64 = 10
    while whole >= step * 1_000_000:
        step *= 10
        power += 1
    kept: i64 = whole // step
    rest: i64 = whole % step
    if rest + rest > step or (rest + rest == step and kept % 2 == 1):  # halves go to even numbers
        kept += 1
        if kept == 1_000_000:
            kept = 100_000
            power += 1
    tail: i64 = kept % 100_000
    if tail == 0:
        return f"{_PLAIN[kept // 100_000]}{_POWERS[power]}"
    if tail % 10:
        return f"{_PLAIN[kept // 100_000]}.{_TWO[tail // 1000]}{_THREE[tail % 1000]}{_POWERS[power]}"
    text = f"{_PLAIN[kept // 100_000]}.{_TWO[tail // 1000]}{_THREE[tail % 1000]}"
    return text.rstrip("0") + _POWERS[power]


def digits(number: int) -> str:
    """A whole number of any size."""
    if not 0 <= number < 1_000_000_000:
        return str(number)
    whole: i64 = number
    if whole < 1000:
        return _PLAIN[whole]
    if whole < 1_000_000:
        return f"{_PLAIN[whole // 1000]}{_THREE[whole % 1000]}"
    return f"{_PLAIN[whole // 1_000_000]}{_THREE[whole // 1000 % 1000]}{_THREE[whole % 1000]}"


COMPILED: Final = not isinstance(fixed, FunctionType)
"""Whether this is compiled. In pure Python it is faster to have whole columns written by others' C."""
