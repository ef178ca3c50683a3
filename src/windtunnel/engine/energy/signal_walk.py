"""A walk through the steps of a signal, from a date on: which value holds, and until when."""

from bisect import bisect_right
from math import floor, inf

from mypy_extensions import mypyc_attr

from windtunnel.model.signals import Signal

__all__ = ["SignalWalk"]


@mypyc_attr(allow_interpreted_subclasses=True)
class SignalWalk:
    """Where a walk is: at a row, which holds so many seconds later where the signal repeats.

    Where rows repeat before the first one and after the last, a period begins anew with what holds at its begin.
    Nothing is known after the end of a signal that neither holds nor repeats: the walk stays in its last row.
    """

    def __init__(self, signal: Signal, date: float) -> None:
        self.shift = 0.0
        """Seconds by which the rows are shifted where the signal repeats."""
        first, end, period = signal.first, signal.end, signal.period
        if period > 0.0 and date < first:
            self.shift = floor((date - first) / period) * period
        elif period > 0.0 and date >= end:
            self.shift = (floor((date - end) / period) + 1) * period
        self.rank = max(bisect_right(signal.dates, date - self.shift) - 1, 0)
        self.value = 0.0
        self.until = inf
        """Where the next row begins; ``inf``: there is none."""
        self._look(signal)

    def advance(self, signal: Signal) -> None:
        """On to the row that begins at ``until``."""
        period, rank = signal.period, self.rank + 1
        if period > 0.0:
            if self.shift < 0.0 and self.until >= signal.first + period + self.shift:
                self.shift += period
                rank = 0
            elif self.shift >= 0.0 and self.until >= signal.end + self.shift:
                self.shift += period
                rank = max(bisect_right(signal.dates, signal.end - period) - 1, 0)
        self.rank = rank
        self._look(signal)

    def _look(self, signal: Signal) -> None:
        following = inf
        if self.rank + 1 < len(signal.dates):
            following = signal.dates[self.rank + 1]
        if signal.period > 0.0:
            last = signal.first + signal.period if self.shift < 0.0 else signal.end
            following = min(following, last)
        self.value = signal.values[self.rank]
        self.until = following + self.shift
