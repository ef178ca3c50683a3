"""What follows from the dates of jobs, number by number: the compiled build's way.

In pure Python it is faster to go through whole columns (:mod:`windtunnel.results.figures_by_column`); this module is
not loaded there.
"""

from collections.abc import Sequence
from math import inf
from typing import Any, Final

from librt.strings import read_f64_le, read_i32_le
from librt.vecs import append, vec
from mypy_extensions import i32, i64

from windtunnel.results.columns import STATES, Columns
from windtunnel.results.distribution import distribution_of_sorted
from windtunnel.results.exact_figures import ExactSum, Ranks
from windtunnel.results.job_rows import SHORTEST
from windtunnel.results.quantity import BOUND, Figures, Quantity

__all__ = ["find_figures"]

_MANY: Final = 4096
"""Jobs that are read at once."""
# Bound once: compiled code looks up what comes from other modules each time.
_STATES: Final[i32] = i32(STATES)
_SHORTEST: Final = SHORTEST
_BOUND: Final = BOUND
_TURNAROUND: Final = 0
_SLOWDOWN: Final = 1
_BOUNDED: Final = 2
_WAITING: Final = 3


class _Sums:
    """Exact sums, of all numbers and of each owner's; and the largest ones."""

    def __init__(self, owners: int) -> None:
        self._all = ExactSum()
        self._each = [ExactSum() for _ in range(owners)]
        self._maxima = vec[float]([-inf] * owners)
        self._largest = -inf

    def add(self, value: float, owner: i32) -> None:
        """One more."""
        self._all.add(value)
        self._largest = max(self._largest, value)
        if self._each:
            self._each[owner].add(value)
            place = i64(owner)
            self._maxima[place] = max(self._maxima[place], value)

    def quantity(self, owners: Sequence[int], ranks: Ranks | None) -> Quantity:
        """The figures, of these owners; with their distribution if ranks are given."""
        total = self._all.value()
        return Quantity(
            total,
            [self._each[owner].value() for owner in owners],
            [self._maxima[owner] for owner in owners],
            distribution_of_sorted(ranks, total) if ranks is not None else None,
            self._largest if self._largest > -inf else 0.0,
        )


def find_figures(found: Figures, ran: Columns, distributed: bool) -> None:
    """Everything that follows from the columns of jobs that ran; their dates and codes are in memory."""
    owners = len(ran.owners) if distributed and len(ran.owners) > 1 else 0
    _find_areas(found, ran, owners)
    for which in (_TURNAROUND, _SLOWDOWN, _BOUNDED, _WAITING):
        if which == _BOUNDED and not distributed:
            continue
        sums = _Sums(0 if which == _SLOWDOWN else owners)
        values = vec[float](capacity=len(ran) if distributed else 0)
        values = _measured(ran, which, sums, values, owned=owners > 0, kept=distributed)
        known = found.owners if which != _SLOWDOWN else []
        quantity = sums.quantity(known, Ranks(values) if distributed else None)
        if which == _TURNAROUND:
            found.turnaround = quantity
        elif which == _SLOWDOWN:
            found.slowdown = quantity
        elif which == _BOUNDED:
            found.bounded = quantity
        else:
            found.waiting = quantity


def _find_areas(found: Figures, ran: Columns, owners: int) -> None:
    """How much the jobs held, when the first was submitted and the last ended, and how many were whose."""
    areas = _Sums(owners)
    counts = [0] * owners
    earliest, latest = inf, 0.0
    for first in range(0, len(ran), _MANY):
        part = slice(first, first + _MANY)
        submitted, start, finish = [column[part].tobytes() for column in (ran.submitted, ran.start, ran.finish)]
        codes = ran.codes[part].tobytes()
        used: list[Any] = ran.used[part].tolist()
        at: i64 = 0
        for hosts in used:
            ended = read_f64_le(finish, at)
            execution = ended - read_f64_le(start, at)
            if execution == 0.0:
                found.instant = True
                execution = _SHORTEST
            earliest = min(earliest, read_f64_le(submitted, at))
            latest = max(latest, ended)
            owner: i32 = read_i32_le(codes, at // 2) // _STATES if owners else 0
            areas.add(float(hosts) * execution, owner)
            if owners:
                counts[owner] += 1
            at += 8
    found.earliest = earliest if len(ran) else 0.0
    found.latest = latest
    found.owners = [owner for owner, count in enumerate(counts) if count]
    found.counts = [count for count in counts if count]
    area = areas.quantity(found.owners, None)
    found.area, found.areas = area.total, area.sums


def _measured(ran: Columns, which: int, sums: _Sums, values: vec[float], *, owned: bool, kept: bool) -> vec[float]:
    """Sum up one number of each job; all of these numbers if they are kept.

    They are worked out from the dates each time, which takes less than room for all of them would.
    """
    for first in range(0, len(ran), _MANY):
        part = slice(first, first + _MANY)
        submitted, start, finish = [column[part].tobytes() for column in (ran.submitted, ran.start, ran.finish)]
        codes = ran.codes[part].tobytes() if owned else b""
        at: i64 = 0
        end = i64(len(start))
        while at < end:
            begun = read_f64_le(start, at)
            value = begun - read_f64_le(submitted, at)
            if which != _WAITING:
                execution = read_f64_le(finish, at) - begun
                if execution == 0.0:
                    execution = _SHORTEST
                value += execution
                if which == _SLOWDOWN:
                    value /= execution
                elif which == _BOUNDED:
                    value = _bounded(value, execution)
            sums.add(value, read_i32_le(codes, at // 2) // _STATES if owned else 0)
            if kept:
                values = append(values, value)
            at += 8
    return values


def _bounded(turnaround: float, execution: float) -> float:
    """The slowdown, with executions of at least :data:`BOUND`, and at least 1."""
    if execution > _BOUND:
        return turnaround / execution
    return turnaround / _BOUND if turnaround > _BOUND else 1.0
