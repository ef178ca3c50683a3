"""How long a user's jobs have run, in bins that double, and what that says of jobs that run or wait.

As in pyss' rendering of A. Nissimov, D. G. Feitelson: Probabilistic backfilling. JSSPP 2007. Bins are powers of two
(seconds); each begins with one job that nobody ran, so that nothing is impossible.
"""

from collections import deque
from typing import Final

__all__ = ["LONGEST", "RunTimeBins", "rounded_down", "rounded_up"]

_DOUBT: Final = 0.1
"""Added to the number of jobs that are counted: nothing is certain."""


LONGEST: Final = 1 << 40
"""Seconds: no run takes longer, whatever its limit, even if it has none."""


def rounded_up(seconds: float) -> int:
    """The least power of two that is not less; 1 for less than 1, 2^40 for more."""
    power = 1
    while power < seconds and power < LONGEST:
        power *= 2
    return power


def rounded_down(seconds: float) -> int:
    """The largest power of two that is not more; 0 for less than 1, 2^40 for more."""
    power = 0
    while max(2 * power, 1) <= seconds and power < LONGEST:
        power = max(2 * power, 1)
    return power


class RunTimeBins:
    """The last run times of one user's jobs; only the latest ``window`` count."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.jobs: dict[int, int] = {1: 1}
        """How many jobs have run so long, rounded up to a power of two (s)."""
        self.total = 1
        self._latest: deque[int] = deque()

    def reach(self, power: int) -> None:
        """Have all bins up to this power of two."""
        while power not in self.jobs:
            self.jobs[power] = 1
            self.total += 1
            power //= 2

    def add(self, seconds: float) -> None:
        """A job has run so long."""
        power = rounded_up(seconds)
        self.reach(power)
        self.jobs[power] += 1
        self.total += 1
        self._latest.append(power)
        if len(self._latest) > self.window:
            self.jobs[self._latest.popleft()] -= 1
            self.total -= 1

    def ending_at(self, power: int, requested: float) -> float:
        """The probability that a job that has not begun runs so long (rounded up)."""
        beyond = sum(jobs for key, jobs in self.jobs.items() if key >= 2 * requested)
        return self.jobs[power] / (self.total - beyond + _DOUBT)

    def ended_within(self, seconds: float, elapsed: float, requested: float) -> float:
        """The probability that a job that has run for ``elapsed`` s ends within so many more."""
        so_far = rounded_down(elapsed)
        longest = rounded_up(requested - so_far)
        if seconds >= longest:
            return 1.0
        end = seconds + so_far
        counted = within = 0.0
        for key, jobs in self.jobs.items():
            if so_far < key <= longest:
                counted += jobs
                if key <= end:
                    within += jobs
                elif end > key // 2:  # so much of this bin, as if its jobs were spread evenly
                    within += jobs * (end - key // 2) / (key // 2)
        return within / (counted + _DOUBT)
