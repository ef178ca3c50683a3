"""What follows from the dates of jobs, column by column: the way in pure Python, and with columns on disk.

One quantity is made at a time, of which no more than its figures is kept: a list of numbers weighs more than
everything that was recorded of a job, so quantities of many jobs are arrays (those of few are lists: faster).
Each is summed, sorted and dropped before the next; only waiting and execution times, from which others follow, stay
meanwhile.
Numbers are read from arrays a few thousand at a time: one by one they cost three times as much.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from math import fsum
from operator import itemgetter
from typing import Any, Final, TypeAlias

from windtunnel.model.arrays import extend
from windtunnel.results.columns import STATES, Columns
from windtunnel.results.distribution import distribution_of_sorted
from windtunnel.results.job_rows import SHORTEST
from windtunnel.results.quantity import BOUND, Figures, Quantity
from windtunnel.results.ranked import STRETCH, in_order

__all__ = ["find_figures"]

_MANY: Final = 4096

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
    found.earliest = min(ran.submitted, default=0.0)
    found.latest = max(ran.finish, default=0.0)
    times = _Times(found, ran, grouped=distributed and len(ran.owners) > 1)
    places = times.places
    found.turnaround = quantity_of(times.made(_turnarounds), places, distributed=distributed)
    found.slowdown = quantity_of(times.made(_slowdowns), distributed=distributed)
    if distributed:
        found.bounded = quantity_of(times.made(_bounded), places)
    found.waiting = quantity_of(times.used_up(), places, extremes=True, distributed=distributed)


class _Times:
    """Waiting and execution times, from which everything else follows; host-seconds are counted on the way."""

    def __init__(self, found: Figures, ran: Columns, *, grouped: bool) -> None:
        few = len(ran) <= STRETCH
        self._waits: Values = [] if few else ran.column("d")
        self._execution: Values = [] if few else ran.column("d")
        self._areas: Values = [] if few else array("d")
        stretches: dict[int, array[int]] = defaultdict(lambda: array("I"))
        for part in _parts(len(ran)):
            order = _by_owner(ran, part, stretches) if grouped else None
            dates = [column[part].tolist() for column in (ran.submitted, ran.start, ran.finish, ran.used)]
            found.instant |= self._read(dates, order)
        found.owners = sorted(stretches)
        self.places = [stretches[owner] for owner in found.owners]
        """Where each owner's jobs lie."""
        found.counts = [sum(spot[1::2]) - sum(spot[::2]) for spot in self.places]
        area = quantity_of(self._areas, self.places, distributed=False)
        found.area, found.areas = area.total, area.sums
        self._areas = []

    def _read(self, dates: list[list[float]], order: Callable[[list[float]], Iterable[float]] | None) -> bool:
        """The times and areas of a part of the jobs, owner by owner if asked; whether one took no time."""
        submitted, start, finish, used = dates if order is None else map(order, dates)
        execution = [f - s for f, s in zip(finish, start, strict=True)]
        instant = 0.0 in execution
        if instant:
            execution = [seconds or SHORTEST for seconds in execution]
        _add(self._waits, [s - q for s, q in zip(start, submitted, strict=True)])
        _add(self._execution, execution)
        _add(self._areas, [n * e for n, e in zip(used, execution, strict=True)])
        return instant

    def made(self, how: Callable[[list[float], list[float]], list[float]]) -> Values:
        """A quantity that follows from waiting and execution times."""
        waits, execution = self._waits, self._execution
        if isinstance(waits, list) or isinstance(execution, list):
            return how([*waits], [*execution])
        values = array("d")
        for part in _parts(len(execution)):
            extend(values, how(waits[part].tolist(), execution[part].tolist()))
        return values

    def used_up(self) -> Values:
        """The waiting times, which are left to the caller: nothing else can be made any more."""
        self._execution = []
        waits = self._waits if isinstance(self._waits, list | array) else self._waits[:]
        self._waits = []
        return waits


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
