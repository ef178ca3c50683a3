"""Exact sums, and ranks of numbers that are in no order, without an object for each number: for the compiled build.

Sums are those of :func:`math.fsum` (J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust
Geometric Predicates", 1997): some floats that share no digits stand for a sum, and only adding those up rounds.
Ranks are found by dividing the numbers around one of them (C. A. R. Hoare, "Algorithm 65: Find", 1961).
"""

from math import fsum
from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

__all__ = ["ExactSum", "Ranks"]

_LARGE: Final = 9007199254740992.0
"""2 ** 53: up to here integers and floats are the same."""
_FULL: Final[i64] = 0x1000000000000000
_FEW: Final[i64] = 12
"""So many numbers are brought into order rather than divided further."""


class ExactSum:
    """A sum of numbers that are added one by one; whole ones, as most times of logs are, in an integer."""

    def __init__(self) -> None:
        self._whole: i64 = 0
        self._parts = vec[float]()
        self._count: i64 = 0
        self._odd: list[float] = []
        """Those that are infinite, or no numbers."""

    def add(self, value: float) -> None:
        """One more."""
        if -_LARGE < value < _LARGE and -_FULL < self._whole < _FULL:
            number: i64 = i64(value)
            if float(number) == value:
                self._whole += number
                return
        if value - value != 0.0:
            self._odd.append(value)
            return
        parts = self._parts
        count = self._count
        kept: i64 = 0
        at: i64 = 0
        while at < count:
            part = parts[at]
            total = value + part
            lost = part - (total - value) if abs(value) >= abs(part) else value - (total - part)
            if lost != 0.0:
                parts[kept] = lost
                kept += 1
            value = total
            at += 1
        if kept < len(parts):
            parts[kept] = value
        else:
            self._parts = append(parts, value)
        self._count = kept + 1

    def value(self) -> float:
        """The sum, rounded once.

        Raises:
            OverflowError: the numbers are finite and their sum is not, as of :func:`math.fsum`.
        """
        parts = self._parts
        low: i64 = self._whole & 0xFFFFFFFF
        floats = [*self._odd, float(self._whole - low), float(low)]
        at: i64 = 0
        while at < self._count:
            part = parts[at]
            if part - part != 0.0:
                raise OverflowError("intermediate overflow of a sum")
            floats.append(part)
            at += 1
        return fsum(floats)


class Ranks:
    """Numbers by their rank, counted from 0; those given are moved about."""

    def __init__(self, values: vec[float]) -> None:
        self._values = values
        self._found: list[int] = []
        """Ranks that are in their places: nothing before them is greater, nothing behind them less."""

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> float:
        """The number of a rank; of a negative one, counted from the end."""
        rank = i64(index if index >= 0 else index + len(self))
        first: i64 = 0
        last = i64(len(self._values)) - 1
        for known in self._found:
            place = i64(known)
            if place <= rank:
                first = max(first, place)
            if place >= rank:
                last = min(last, place)
        if first < last:
            _divide(self._values, first, last, rank)
            self._found.append(int(rank))
        return self._values[rank]


def _divide(values: vec[float], first: i64, last: i64, rank: i64) -> None:
    """Bring the number of a rank into its place, among those from ``first`` to ``last``."""
    chance: i64 = 1
    while last - first > _FEW:
        count = last - first + 1
        chance = (chance * 1103515245 + 12345) % 2147483648
        one, two = values[first + chance % count], values[first + chance // 7 % count]
        pivot = _middle(one, values[first + count // 2], two)
        left, right = first, last
        while left <= right:
            while values[left] < pivot:
                left += 1
            while values[right] > pivot:
                right -= 1
            if left <= right:
                kept = values[left]
                values[left] = values[right]
                values[right] = kept
                left += 1
                right -= 1
        if rank <= right:
            last = right
        elif rank >= left:
            first = left
        else:
            return
    _order(values, first, last)


def _middle(one: float, two: float, three: float) -> float:
    """The number between two others."""
    least, most = (one, two) if one < two else (two, one)
    return least if three < least else min(three, most)


def _order(values: vec[float], first: i64, last: i64) -> None:
    """A few numbers in ascending order."""
    at = first + 1
    while at <= last:
        value = values[at]
        place = at
        while place > first and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value
        at += 1
