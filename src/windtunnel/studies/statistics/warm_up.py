"""How much of the beginning of a run is not typical of it: the rule MSER-5.

A simulation begins empty, so its first jobs wait less than those of a busy site. White's rule (Simulation 69,
1997) discards as much as minimises the standard error of the mean of the rest; MSER-5 (Spratt 1998; White,
Cobb & Spratt, Winter Simulation Conference 2000) looks at means of five values.
"""

from collections.abc import Sequence
from math import fsum, inf, isfinite
from typing import Final

import msgspec

from windtunnel.diagnostics import UsageError

__all__ = ["WarmUp", "mser"]

FEWEST: Final = 10
"""With fewer batches there is no result."""


class WarmUp(msgspec.Struct, frozen=True):
    """What to discard at the beginning: the first ``values`` out of ``of``."""

    values: int
    of: int
    statistic: float
    """The minimum found: the sum of squared deviations of the rest, divided by the square of their number."""
    steady: bool
    """Whether less than half is discarded; otherwise, by the rule itself, the series is too short to tell."""


def mser(series: Sequence[float], batch: int = 5) -> WarmUp:
    """The part of a series to discard, by the rule MSER with batches of the given size; values that do not fill the
    last batch are not considered.

    Raises:
        UsageError: the series is shorter than ten batches, or contains a value that is not a number.
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
