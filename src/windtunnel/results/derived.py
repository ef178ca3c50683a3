"""What follows from the dates of jobs; several figures ask for the same, which is computed once."""

from array import array
from functools import cached_property
from math import fsum
from typing import Final

from windtunnel.model.arrays import extend
from windtunnel.results.columns import Columns
from windtunnel.results.distribution import Distribution, distribution
from windtunnel.results.jobs_csv import SHORTEST

__all__ = ["Derived", "Quantity"]

_CHUNK: Final = 4096


class Quantity:
    """A number per job."""

    def __init__(self) -> None:
        self.values = array("d")

    def extend(self, values: list[float]) -> None:
        """More jobs."""
        extend(self.values, values)

    @cached_property
    def total(self) -> float:
        """Their exact sum, rounded."""
        return fsum(self.values)

    @cached_property
    def distribution(self) -> Distribution:
        """How they are distributed."""
        return distribution(self.values, self.total)

    @property
    def largest(self) -> float:
        """The largest, 0 when there is none."""
        known = "distribution" in self.__dict__
        return self.distribution.max if known else max(self.values, default=0.0)


class Derived:
    """Times of jobs that ran (s), how slow they were and what they held. Do not add to the columns meanwhile."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.states = columns.states()
        self.ran = ran = columns.ran()
        self.execution = Quantity()
        """:data:`SHORTEST` where a job took no time at all."""
        self.waiting = Quantity()
        self.turnaround = Quantity()
        self.slowdown = Quantity()
        """Turnaround over execution."""
        self.area = Quantity()
        """Host-seconds."""
        self.instant = False
        """Whether a job took no time at all."""
        for at in range(0, len(ran), _CHUNK):
            self._more(ran, slice(at, at + _CHUNK))

    def _more(self, ran: Columns, part: slice) -> None:
        start = ran.start[part].tolist()
        execution = [f - s for f, s in zip(ran.finish[part], start, strict=True)]
        if 0.0 in execution:
            self.instant = True
            execution = [seconds or SHORTEST for seconds in execution]
        waiting = [s - q for s, q in zip(start, ran.submitted[part], strict=True)]
        turnaround = [w + e for w, e in zip(waiting, execution, strict=True)]
        self.execution.extend(execution)
        self.waiting.extend(waiting)
        self.turnaround.extend(turnaround)
        self.slowdown.extend([t / e for t, e in zip(turnaround, execution, strict=True)])
        self.area.extend([n * e for n, e in zip(ran.used[part], execution, strict=True)])
