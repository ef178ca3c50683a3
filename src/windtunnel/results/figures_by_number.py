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


class _Times:
    """Waiting and execution times (s), and the rank of each job's owner where there are several."""

    def __init__(self, count: int, *, owned: bool) -> None:
        self.waits = vec[float](capacity=count)
        self.executions = vec[float](capacity=count)
        self._owned = owned
        self._owners = vec[i32](capacity=count if owned else 0)
        self.instant = False
        self.earliest = inf
        self.latest = 0.0

    def read(self, submitted: bytes, start: bytes, finish: bytes, codes: bytes) -> None:
        """More jobs: 8 bytes of each date, 4 of each code."""
        at: i64 = 0
        end = i64(len(start))
        while at < end:
            asked, begun, ended = read_f64_le(submitted, at), read_f64_le(start, at), read_f64_le(finish, at)
            execution = ended - begun
            if execution == 0.0:
                self.instant = True
                execution = SHORTEST
            self.earliest = min(self.earliest, asked)
            self.latest = max(self.latest, ended)
            self.waits = append(self.waits, begun - asked)
            self.executions = append(self.executions, execution)
            if self._owned:
                self._owners = append(self._owners, read_i32_le(codes, at // 2) // STATES)
            at += 8

    def owner(self, job: i64) -> i32:
        """The rank of a job's owner; 0 if there is but one."""
        return self._owners[job] if self._owned else 0


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
    times = _Times(len(ran), owned=owners > 0)
    areas = _Sums(owners)
    counts = [0] * owners
    done: i64 = 0
    for at in range(0, len(ran), _MANY):
        part = slice(at, at + _MANY)
        submitted, start, finish, codes = [
            column[part].tobytes() for column in (ran.submitted, ran.start, ran.finish, ran.codes)
        ]
        times.read(submitted, start, finish, codes)
        used: list[Any] = ran.used[part].tolist()
        for hosts in used:
            owner = times.owner(done)
            areas.add(float(hosts) * times.executions[done], owner)
            if owners:
                counts[owner] += 1
            done += 1
    found.instant = times.instant
    found.earliest = times.earliest if done else 0.0
    found.latest = times.latest
    found.owners = [owner for owner, count in enumerate(counts) if count]
    found.counts = [count for count in counts if count]
    area = areas.quantity(found.owners, None)
    found.area, found.areas = area.total, area.sums
    _find_times(found, times, owners, distributed)


def _find_times(found: Figures, times: _Times, owners: int, distributed: bool) -> None:
    """Turnarounds, slowdowns and waits; the waits are used up."""
    waits, executions = times.waits, times.executions
    scratch = waits[:]
    turnaround, slowdown, bounded, waiting = _Sums(owners), _Sums(0), _Sums(owners), _Sums(owners)
    count = i64(len(waits))
    at: i64 = 0
    while at < count:
        owner = times.owner(at)
        total = waits[at] + executions[at]
        scratch[at] = total
        turnaround.add(total, owner)
        at += 1
    found.turnaround = turnaround.quantity(found.owners, Ranks(scratch) if distributed else None)
    at = 0
    while at < count:
        scratch[at] = (waits[at] + executions[at]) / executions[at]
        slowdown.add(scratch[at], 0)
        at += 1
    found.slowdown = slowdown.quantity([], Ranks(scratch) if distributed else None)
    if distributed:
        at = 0
        while at < count:
            scratch[at] = _bounded(waits[at] + executions[at], executions[at])
            bounded.add(scratch[at], times.owner(at))
            at += 1
        found.bounded = bounded.quantity(found.owners, Ranks(scratch))
    at = 0
    while at < count:
        waiting.add(waits[at], times.owner(at))
        at += 1
    found.waiting = waiting.quantity(found.owners, Ranks(waits) if distributed else None)


def _bounded(turnaround: float, execution: float) -> float:
    """The slowdown, with executions of at least :data:`BOUND`, and at least 1."""
    if execution > BOUND:
        return turnaround / execution
    return turnaround / BOUND if turnaround > BOUND else 1.0
