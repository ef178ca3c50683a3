"""What follows from the dates of jobs, column by column: the way in pure Python, and with columns on disk.

One quantity is made at a time, of which no more than its figures is kept: a list of numbers weighs more than
everything that was recorded of a job, so quantities of many jobs are arrays (those of few are lists: faster).
Each is summed, sorted and dropped before the next; only turnaround and execution times, from which others follow,
stay meanwhile.
Numbers are read from arrays a few thousand at a time: one by one they cost three times as much.
"""

from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, compress
from math import fsum
from operator import add, itemgetter, mul, sub, truediv
from typing import Any, Final, TypeAlias

from windtunnel.model.arrays import extend
from windtunnel.results.columns import STATES, Columns
from windtunnel.results.distribution import distribution_of_sorted
from windtunnel.results.job_rows import SHORTEST
from windtunnel.results.quantity import BOUND, Figures, Quantity
from windtunnel.results.ranked import in_order

__all__ = ["find_figures"]

_FEW: Final = 1 << 17
"""Quantities of so many jobs are lists."""
_MANY: Final = 4096
"""Numbers that are read at once: lists of all would fill the memory."""

Values: TypeAlias = "list[float] | array[float]"
Stretches = Sequence["array[int]"]
"""For each owner, where their jobs lie: begin, end, begin, end..."""


def quantity_of(
    values: Values, owners: Stretches = (), *, extremes: bool = False, distributed: bool = True
) -> Quantity:
    """The figures of numbers that are used up.

    ``owners`` says where the jobs of those lie whose sums are asked for too (and their maxima, with ``extremes``).
    """
    total = fsum(values)
    sums = [fsum(_chosen(values, places)) for places in owners]
    maxima = [max(_chosen(values, places)) for places in owners] if extremes else []
    if not distributed:
        return Quantity(total, sums, maxima, None, max(values, default=0.0))
    distribution = distribution_of_sorted(in_order(values), total)
    return Quantity(total, sums, maxima, distribution, distribution.max)


def find_figures(found: Figures, ran: Columns, distributed: bool) -> None:
    """Everything that follows from the columns of jobs that ran."""
    times = _Times(found, ran, grouped=distributed and len(ran.owners) > 1)
    places = times.places
    found.waiting = quantity_of(times.waits(), places, extremes=True, distributed=distributed)
    found.slowdown = quantity_of(times.made(_slowdowns), distributed=distributed)
    if distributed:
        found.bounded = quantity_of(times.made(_bounded), places)
    found.turnaround = quantity_of(times.turnarounds(), places, distributed=distributed)


class _Times:
    """Times of jobs, from which everything else follows; host-seconds are counted on the way."""

    def __init__(self, found: Figures, ran: Columns, *, grouped: bool) -> None:
        self._few = few = len(ran) <= _FEW
        self._waits: Values = [] if few else ran.column("d")
        self._execution: Values = [] if few else ran.column("d")
        self._areas: Values = [] if few else array("d")
        stretches: dict[int, array[int]] = defaultdict(lambda: array("I"))
        for part in self._parts(len(ran)):
            order = _by_owner(ran, part, stretches) if grouped else None
            dates = [column[part].tolist() for column in (ran.submitted, ran.start, ran.finish, ran.used)]
            self._read(found, dates, order, first=part.start == 0)
        found.owners = sorted(stretches)
        self.places = [stretches[owner] for owner in found.owners]
        """Where each owner's jobs lie."""
        found.counts = [sum(spot[1::2]) - sum(spot[::2]) for spot in self.places]
        area = quantity_of(self._areas, self.places, distributed=False)
        found.area, found.areas = area.total, area.sums
        self._areas = []
        self._turnarounds = self._combined(_turnarounds, self._waits, [] if few else ran.column("d"))

    def _parts(self, count: int) -> list[slice]:
        return [slice(at, at + _MANY) for at in range(0, count, _MANY)]

    def _read(
        self, found: Figures, dates: list[list[float]], order: "itemgetter[Any] | None", *, first: bool
    ) -> None:
        """The times and areas of a part of the jobs, owner by owner if asked."""
        submitted, start, finish, used = dates
        earliest = min(submitted)
        found.earliest = earliest if first else min(found.earliest, earliest)
        found.latest = max(found.latest, sorted(finish)[-1])  # noqa: FURB192 -- most are in order: twice as fast
        execution = list(map(sub, finish, start))
        if 0.0 in execution:
            found.instant = True
            execution = [seconds or SHORTEST for seconds in execution]
        times = [list(map(sub, start, submitted)), execution, list(map(mul, used, execution))]
        for column, values in zip((self._waits, self._execution, self._areas), times, strict=True):
            _add(column, values if order is None else order(values))

    def made(self, how: "_Way") -> Values:
        """A quantity that follows from turnaround and execution times."""
        return self._combined(how, self._turnarounds, [] if self._few else array("d"))

    def _combined(self, how: "_Way", others: Values, values: Values) -> Values:
        execution = self._execution
        for part in self._parts(len(execution)):
            _add(values, how(_listed(others[part]), _listed(execution[part])))
        return values

    def waits(self) -> Values:
        """The waiting times, which are left to the caller."""
        waits, self._waits = self._waits, []
        return _in_memory(waits)

    def turnarounds(self) -> Values:
        """The turnaround times, which are left to the caller: nothing else can be made any more."""
        turnarounds, self._turnarounds, self._execution = self._turnarounds, [], []
        return _in_memory(turnarounds)


_Way = Callable[[list[float], list[float]], list[float]]
"""Makes a quantity from two others."""


def _in_memory(column: Values) -> Values:
    return column if isinstance(column, list | array) else column[:]


def _listed(values: Values) -> list[float]:
    return values if isinstance(values, list) else values.tolist()


def _add(column: Values, values: Iterable[float]) -> None:
    if isinstance(column, list):
        column += values
    else:
        extend(column, values)


def _turnarounds(waits: list[float], execution: list[float]) -> list[float]:
    return list(map(add, waits, execution))


def _slowdowns(turnarounds: list[float], execution: list[float]) -> list[float]:
    return list(map(truediv, turnarounds, execution))


def _bounded(turnarounds: list[float], execution: list[float]) -> list[float]:
    values = _slowdowns(turnarounds, execution)
    for place in compress(range(len(values)), map(BOUND.__ge__, execution)):
        values[place] = max(turnarounds[place] / BOUND, 1.0)
    return values


def _by_owner(ran: Columns, part: slice, stretches: "dict[int, array[int]]") -> "itemgetter[Any] | None":
    """What brings a part of a column into the order of owners (None: it is); where each one's jobs lie is noted."""
    met: dict[int, list[int]] = defaultdict(list)
    codes = ran.codes[part].tolist()
    deque(map(list.append, map(met.__getitem__, codes), range(len(codes))), 0)  # half the time of a loop
    order: list[int] = []
    for code, ranks in met.items():
        begin = part.start + len(order)
        stretches[code // STATES].extend((begin, begin + len(ranks)))
        order += ranks
    return itemgetter(*order) if len(met) > 1 else None


def _chosen(values: Values, places: "array[int]") -> Iterable[float]:
    """The values that lie there."""
    if len(places) == 2:
        return values[places[0] : places[1]]
    return chain.from_iterable([values[begin:end] for begin, end in zip(places[::2], places[1::2], strict=True)])
