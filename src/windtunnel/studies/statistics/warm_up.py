"""How much of the beginning of a run is not typical of it: the rule MSER-5.

A simulation begins empty, so that its first jobs wait less than those of a busy site. The rule of White (Simulation
69, 1997) leaves out so much that the standard error of the mean of the rest is least; MSER-5 (Spratt 1998; White,
Cobb & Spratt, Winter Simulation Conference 2000) looks at means of five values.
"""

from collections.abc import Sequence
from math import fsum, inf, isfinite
from typing import Final

import msgspec

from windtunnel.diagnostics import UsageError

__all__ = ["WarmUp", "mser"]

FEWEST: Final = 10
"""Of fewer batches nothing is said."""


class WarmUp(msgspec.Struct, frozen=True):
    """What to leave out at the beginning: so many ``values`` of ``of``."""

    values: int
    of: int
    statistic: float
    """What was made least: the squared deviations of the rest over the square of their number."""
    steady: bool
    """Whether less than half is left out; else the series is too short to tell, by the rule itself."""


def mser(series: Sequence[float], batch: int = 5) -> WarmUp:
    """The part of a series to leave out, by the rule MSER with batches of so many values; what does not fill the last
    batch is not looked at.

    Raises:
        UsageError: the series is shorter than ten batches, or holds what is not a number.
    """
    if batch < 1 or len(series) < FEWEST * batch:
        raise UsageError(f"{len(series)} values: a warm-up is looked for in {FEWEST * batch} or more")
    if not all(isfinite(value) for value in series):
        raise UsageError("a warm-up is looked for in numbers")
    count = len(series) // batch
    means = [fsum(series[rank * batch : (rank + 1) * batch]) / batch for rank in range(count)]
    centre = fsum(means) / count  # sums of squares lose digits far from 0
    total = squares = 0.0
    best, at = inf, 0
    for rank in range(count - 1, -1, -1):
        value = means[rank] - centre
        total += value
        squares += value * value
        left = count - rank
        if left >= min(FEWEST // 2, count):
            statistic = max(0.0, squares - total * total / left) / left**2
            if statistic <= best:
                best, at = statistic, rank
    return WarmUp(at * batch, len(series), best, at <= count // 2)
