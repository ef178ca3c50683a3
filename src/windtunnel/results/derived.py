"""What follows from the dates of jobs: one quantity at a time, of which no more than its figures is kept.

A list of numbers weighs more than everything that was recorded of a job, so quantities of many jobs are arrays (those
of few are lists, which are faster): each is made, summed, sorted and dropped before the next; only waiting and
execution times, from which others follow, stay meanwhile.
Numbers are read from arrays a few thousand at a time: one by one they cost three times as much.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from math import fsum
from operator import itemgetter
from typing import Any, Final, TypeAlias

from mypy_extensions import mypyc_attr

from windtunnel.model.arrays import extend
from windtunnel.results.columns import STATES, Columns
from windtunnel.results.distribution import Distribution, distribution_of_sorted
from windtunnel.results.job_rows import SHORTEST
from windtunnel.results.ranked import STRETCH, in_order

__all__ = ["BOUND", "Derived", "Quantity"]

BOUND: Final = 10.0
"""Seconds: in the bounded slowdown, shorter executions count as this long."""

_MANY: Final = 4096

Values: TypeAlias = "list[float] | array[float]"
Stretches = Sequence["array[int]"]
"""For each owner, where their jobs lie: begin, end, begin, end..."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Quantity:
    """The figures of a number per job; they are used up.

    ``owners`` says where the jobs of those lie whose sums are asked for too (and :attr:`maxima` with ``extremes``).
    """

    distribution: Distribution
    """How the numbers are distributed, unless that is not asked for."""

    def __init__(
        self, values: Values, owners: Stretches = (), *, extremes: bool = False, distributed: bool = True
    ) -> None:
        self.total: float = fsum(values)
        """The exact sum, rounded."""
        self.sums: list[float] = [fsum(_chosen(values, places)) for places in owners]
        """The same of each owner's jobs."""
        self.maxima: list[float] = [max(_chosen(values, places)) for places in owners] if extremes else []
        """The largest of each owner's."""
        if distributed:
            self.distribution = distribution_of_sorted(in_order(values), self.total)
        self.largest: float = self.distribution.max if distributed else max(values, default=0.0)
        """The largest of all, 0 when there is none."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Derived:
    """Times of jobs that ran (s), how slow they were and what they held.

    With ``distributed`` false only sums and maxima are there: what Batsim's figures need.
    """

    bounded: Quantity
    """The slowdown with executions of at least :data:`BOUND`, and at least 1; of distributed quantities only."""

    def __init__(self, columns: Columns, *, distributed: bool = True) -> None:
        self.jobs = len(columns)
        """Ended and rejected ones."""
        self.states = columns.states()
        self.ran = ran = columns.ran()
        self.latest: float = max(ran.finish, default=0.0)
        """The last end (s); 0 when nothing ran."""
        grouped = distributed and len(ran.owners) > 1
        few = len(ran) <= STRETCH
        self._waits: Values = [] if few else ran.column("d")
        self._execution: Values = [] if few else ran.column("d")
        self._areas: Values = [] if few else array("d")
        self.instant = False
        """Whether a job took no time at all: its execution counts as :data:`SHORTEST`."""
        stretches: dict[int, array[int]] = defaultdict(lambda: array("I"))
        for part in _parts(len(ran)):
            order = _by_owner(ran, part, stretches) if grouped else None
            self._read([column[part].tolist() for column in (ran.submitted, ran.start, ran.finish, ran.used)], order)
        self.owners = sorted(stretches)
        """Whose jobs ran (ranks in ``ran.owners``), where any is named; sums of quantities are in this order."""
        places = [stretches[owner] for owner in self.owners]
        self.counts = [sum(spot[1::2]) - sum(spot[::2]) for spot in places]
        """How many jobs of each owner ran."""
        area = Quantity(self._areas, places, distributed=False)
        self.area = area.total
        """Host-seconds."""
        self.areas = area.sums
        """The same of each owner's jobs."""
        self._areas = []
        self.turnaround = Quantity(self._made(_turnarounds), places, distributed=distributed)
        self.slowdown = Quantity(self._made(_slowdowns), distributed=distributed)
        """Turnaround over execution."""
        if distributed:
            self.bounded = Quantity(self._made(_bounded), places)
        self._execution = []
        waits = self._waits if isinstance(self._waits, list | array) else self._waits[:]
        self.waiting = Quantity(waits, places, extremes=True, distributed=distributed)
        self._waits = []

    def _read(self, dates: list[list[float]], order: Callable[[list[float]], Iterable[float]] | None) -> None:
        """The times and areas of a part of the jobs, owner by owner if that is asked for."""
        submitted, start, finish, used = dates if order is None else map(order, dates)
        execution = [f - s for f, s in zip(finish, start, strict=True)]
        if 0.0 in execution:
            self.instant = True
            execution = [seconds or SHORTEST for seconds in execution]
        _add(self._waits, [s - q for s, q in zip(start, submitted, strict=True)])
        _add(self._execution, execution)
        _add(self._areas, [n * e for n, e in zip(used, execution, strict=True)])

    def _made(self, how: Callable[[list[float], list[float]], list[float]]) -> Values:
        """A quantity that follows from waiting and execution times."""
        waits, execution = self._waits, self._execution
        if isinstance(waits, list) or isinstance(execution, list):
            return how([*waits], [*execution])
        values = array("d")
        for part in _parts(len(execution)):
            extend(values, how(waits[part].tolist(), execution[part].tolist()))
        return values


def _add(column: Values, values: list[float]) -> None:
    if isinstance(column, list):
        column += values
    else:
        extend(column, values)


def _turnarounds(waits: list[float], execution: list[float]) -> list[float]:
    return [w + e for w, e in zip(waits, execution, strict=True)]


def _slowdowns(waits: list[float], execution: list[float]) -> list[float]:
    return [(w + e) / e for w, e in zip(waits, execution, strict=True)]


def _bounded(waits: list[float], execution: list[float]) -> list[float]:
    times = zip(_turnarounds(waits, execution), execution, strict=True)
    return [t / e if e > BOUND else t / BOUND if t > BOUND else 1.0 for t, e in times]


def _parts(count: int) -> list[slice]:
    return [slice(at, at + _MANY) for at in range(0, count, _MANY)]


def _by_owner(ran: Columns, part: slice, stretches: "dict[int, array[int]]") -> "itemgetter[Any] | None":
    """What brings a part of a column into the order of owners (None: it is); where each one's jobs lie is noted."""
    met: dict[int, list[int]] = defaultdict(list)
    for rank, code in enumerate(ran.codes[part].tolist()):
        met[code].append(rank)
    order: list[int] = []
    for code, ranks in met.items():
        begin = part.start + len(order)
        stretches[code // STATES].extend((begin, begin + len(ranks)))
        order += ranks
    return itemgetter(*order) if len(met) > 1 else None


def _chosen(values: Values, places: "array[int]") -> Iterator[float]:
    """The values that lie there."""
    return chain.from_iterable(values[begin:end] for begin, end in zip(places[::2], places[1::2], strict=True))
