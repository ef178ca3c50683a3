"""The figures of a number per job: its sum, its extremes, how it is distributed."""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.results.distribution import Distribution

__all__ = ["BOUND", "Figures", "Quantity"]

BOUND: Final = 10.0
"""Seconds: in the bounded slowdown, shorter executions count as this long."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Quantity:
    """The figures of a number per job: of all, and of each owner's jobs where those are asked for."""

    def __init__(
        self,
        total: float,
        sums: Sequence[float] = (),
        maxima: Sequence[float] = (),
        distribution: Distribution | None = None,
        largest: float = 0.0,
    ) -> None:
        self.total = total
        """The exact sum, rounded."""
        self.sums = sums
        """The same of each owner's jobs."""
        self.maxima = maxima
        """The largest of each owner's, if that was asked for."""
        self.distribution = Distribution() if distribution is None else distribution
        """How the numbers are distributed, if that was asked for."""
        self.largest = largest
        """The largest of all, 0 when there is none."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Figures:
    """Times of jobs that ran (s), how slow they were and what they held."""

    def __init__(self) -> None:
        self.earliest = 0.0
        """The first submission (s); 0 when nothing ran."""
        self.latest = 0.0
        """The last end (s); 0 when nothing ran."""
        self.instant = False
        """Whether a job took no time at all: its execution counts as a hundred-thousandth of a second."""
        self.owners: Sequence[int] = ()
        """Whose jobs ran, where any is named: ranks in the columns' ``owners``, ascending."""
        self.counts: Sequence[int] = ()
        """How many jobs of each owner ran."""
        self.area = 0.0
        """Host-seconds."""
        self.areas: Sequence[float] = ()
        """The same of each owner's jobs."""
        self.turnaround = Quantity(0.0)
        self.slowdown = Quantity(0.0)
        """Turnaround over execution."""
        self.bounded = Quantity(0.0)
        """The slowdown with executions of at least :data:`BOUND`, and at least 1; only with distributions."""
        self.waiting = Quantity(0.0)
