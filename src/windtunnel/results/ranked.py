"""Numbers of an array in order, without a list of them: stretches are sorted, and ranks are looked up among them.

A float in a list weighs four times what it does in an array. Of a distribution few ranks are asked for, and finding
one among sorted stretches takes some steps of bisection.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

__all__ = ["STRETCH", "in_order"]

STRETCH: Final = 1 << 16
"""Numbers that are sorted at once."""
_FEW: Final = 1 << 12
"""So many are sorted to find one."""


def in_order(values: "list[float] | array[float]") -> Sequence[float]:
    """The values in ascending order; they are used up."""
    if isinstance(values, list):
        values.sort()
        return values
    if len(values) <= STRETCH:
        return sorted(values)
    for at in range(0, len(values), STRETCH):
        values[at : at + STRETCH] = array(values.typecode, sorted(values[at : at + STRETCH]))
    return _Ranked(values)


class _Ranked(Sequence[float]):
    """The order of values whose stretches are sorted."""

    def __init__(self, values: "array[float]") -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> float:  # type: ignore[override]  # single ranks only
        """The value of a rank: a window on each stretch, narrowed until few values are left."""
        values, rank = self._values, range(len(self._values))[index]
        starts = range(0, len(values), STRETCH)
        windows = [(at, min(at + STRETCH, len(values))) for at in starts]
        while True:
            first, last = max(windows, key=lambda window: window[1] - window[0])
            left = rank - sum(begin - at for (begin, _), at in zip(windows, starts, strict=True))
            if sum(end - begin for begin, end in windows) <= _FEW:
                return sorted(value for begin, end in windows for value in values[begin:end])[left]
            pivot = values[(first + last) // 2]
            below = [bisect_left(values, pivot, *window) for window in windows]
            upto = [bisect_right(values, pivot, *window) for window in windows]
            smaller = sum(found - begin for found, (begin, _) in zip(below, windows, strict=True))
            not_larger = sum(found - begin for found, (begin, _) in zip(upto, windows, strict=True))
            if left < smaller:
                windows = [(begin, found) for (begin, _), found in zip(windows, below, strict=True)]
            elif left < not_larger:
                return pivot
            else:
                windows = [(found, end) for (_, end), found in zip(windows, upto, strict=True)]
