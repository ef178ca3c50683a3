"""What is foreseen to be left of each host over time: one step function for each host, of all its resources.

Dates are whole microseconds, as in :mod:`windtunnel.schedulers.availability`.
"""

from bisect import bisect_left, bisect_right
from math import inf

from windtunnel.model import HostSet
from windtunnel.model.demands import Demands, Need
from windtunnel.schedulers.packing.room import lowest_of

__all__ = ["Timetable"]

_ROUNDING = 1e-9

Vector = tuple[float, ...]


class Timetable:
    """Of each host: ``left[k]`` from ``dates[k]`` (s) to the next date; the last one lasts indefinitely."""

    def __init__(self, demands: Demands, hosts: HostSet, begin: float) -> None:
        self.demands = demands
        self._names = sorted(demands.described)
        self._whole: dict[int, Vector] = {host: self._vector(demands.whole(host)) for host in hosts}
        self._slack: dict[int, Vector] = {
            host: tuple(_ROUNDING * all_ for all_ in whole) for host, whole in self._whole.items()
        }
        self._dates: dict[int, list[float]] = {host: [begin] for host in hosts}
        self._left: dict[int, list[Vector]] = {host: [self._whole[host]] for host in hosts}

    def _vector(self, amounts: dict[str, float]) -> Vector:
        return tuple(amounts.get(name, 0.0) for name in self._names)

    def _part(self, need: Need, host: int) -> Vector:
        """What a job takes of a host."""
        return self._whole[host] if need.whole else self._vector(dict(need.amounts))

    def forget(self, now: float) -> None:
        """What lies before now is of no use any more."""
        for host, dates in self._dates.items():
            past = bisect_right(dates, now) - 1
            if past > 0:
                del dates[:past], self._left[host][:past]

    def change(self, hosts: HostSet, need: Need, begin: float, end: float, sign: int) -> None:
        """A job takes its part of hosts (-1), or gives it back (+1), from one date to another."""
        if begin >= end:
            return
        for host in hosts:
            if host not in self._dates:
                continue
            part = self._part(need, host)
            dates, left = self._dates[host], self._left[host]
            first = self._cut(dates, left, begin)
            stop = self._cut(dates, left, end) if end < inf else len(dates)
            for place in range(first, stop):
                left[place] = tuple(have + sign * size for have, size in zip(left[place], part, strict=True))

    @staticmethod
    def _cut(dates: list[float], left: list[Vector], date: float) -> int:
        """The place of a date, which becomes one of the steps; dates before the first are the first."""
        place = bisect_left(dates, date)
        if place == len(dates) or dates[place] != date:
            if not place:
                return 0
            dates.insert(place, date)
            left.insert(place, left[place - 1])
        return place

    def _start(self, host: int, part: Vector, earliest: float, length: float) -> float:
        """From when on a host has that much for so long."""
        dates, left = self._dates[host], self._left[host]
        place = max(bisect_right(dates, earliest) - 1, 0)
        start, slack = earliest, self._slack[host]
        for k in range(place, len(dates)):
            if dates[k] >= start + length:
                break
            if not _within(part, left[k], slack):
                start = dates[k + 1] if k + 1 < len(dates) else inf
        return start

    def earlier(self, need: Need, length: float, earliest: float, than: float, hosts: HostSet) -> bool:
        """Whether one of some hosts has its part of a job for so long before a date."""
        able = self.demands.fitting(need)
        return any(
            host in self._dates and self._start(host, self._part(need, host), earliest, length) < than
            for host in hosts & able
        )

    def find(self, need: Need, length: float, earliest: float) -> tuple[float, HostSet]:
        """The first date from which enough hosts have their part of a job for so long, and these hosts.

        Hosts that are in use then are taken before others. An infinite date: never.
        """
        if not need.hosts:
            return earliest, HostSet()
        able = [host for host in self.demands.fitting(need) if host in self._dates]
        parts = {host: self._part(need, host) for host in able}
        if len(able) < need.hosts:
            return inf, HostSet()
        starts = {host: self._start(host, parts[host], earliest, length) for host in able}
        while True:
            date = sorted(starts.values())[need.hosts - 1]
            if date == inf:
                return inf, HostSet()
            before = [host for host, start in starts.items() if start < date]
            for host in before:  # it is there before that date: perhaps not from then on
                starts[host] = self._start(host, parts[host], date, length)
            there = [host for host in starts if starts[host] == date]
            if len(there) >= need.hosts:
                hosts = HostSet(there)
                return date, lowest_of(hosts, need.hosts, self._in_use(hosts, date))

    def _in_use(self, hosts: HostSet, date: float) -> HostSet:
        return HostSet(host for host in hosts if self._left_at(host, date) != self._whole[host])

    def _left_at(self, host: int, date: float) -> Vector:
        return self._left[host][max(bisect_right(self._dates[host], date) - 1, 0)]


def _within(part: Vector, left: Vector, slack: Vector) -> bool:
    """Whether so much is left, but for rounding: a hot path."""
    for size, have, more in zip(part, left, slack, strict=True):  # noqa: SIM110 -- a generator costs twice as much
        if size > have + more:
            return False
    return True
