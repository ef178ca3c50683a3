"""Numbers with six decimals, as Batsim writes them, in less than half of the time where this module is compiled.

Then whole numbers and six decimals are made from integers. A product that lies so near the middle between two
decimals that its own rounding could matter is left to Python, which rounds the exact number.
"""

from types import FunctionType
from typing import Final

from mypy_extensions import i64

__all__ = ["COMPILED", "fixed"]

_LARGEST: Final = 9.0e15
"""Below this a float that is not an integer has a fraction of its own, and integers are exact."""
_UNSURE: Final = 1e-6
"""Far more than what a fraction times a million is wrong by."""
_PLAIN: Final = [str(number) for number in range(1000)]
_THREE: Final = [f"{number:03d}" for number in range(1000)]
_LAST: Final = [f"{number:03d}.000000" for number in range(1000)]
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
        return f"{_digits(whole)}.000000"
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
    return f"{_digits(whole)}.{_THREE[micro // 1000]}{_THREE[micro % 1000]}"


def _digits(whole: i64) -> str:
    """A number that is not negative."""
    if whole < 1000:
        return _PLAIN[whole]
    if whole < 1_000_000:
        return f"{_PLAIN[whole // 1000]}{_THREE[whole % 1000]}"
    if whole < 1_000_000_000:
        return f"{_PLAIN[whole // 1_000_000]}{_THREE[whole // 1000 % 1000]}{_THREE[whole % 1000]}"
    return str(whole)


COMPILED: Final = not isinstance(fixed, FunctionType)
"""Whether this is compiled. In pure Python it is faster to have whole columns written by others' C."""
