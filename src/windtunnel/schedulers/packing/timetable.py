"""What is foreseen to be left of each host over time: a step function of all its resources for each.

Dates are whole microseconds, as in :mod:`windtunnel.schedulers.availability`.
"""

from bisect import bisect_left, bisect_right
from heapq import heappush, heapreplace
from math import inf
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model import HostSet
from windtunnel.model.demands import Demands, Need
from windtunnel.schedulers.packing.room import lowest_of

__all__ = ["Timetable"]

_ROUNDING = 1e-9
_MOST: Final = 64
"""Kinds of parts for which the hosts are remembered."""

Vector = tuple[float, ...]


@mypyc_attr(allow_interpreted_subclasses=True)
class _Course:
    """What is foreseen to be left of one host."""

    __slots__ = ("dates", "left", "limits", "slack", "whole")

    def __init__(self, whole: Vector, begin: float) -> None:
        self.whole = whole
        self.slack = tuple([_ROUNDING * all_ for all_ in whole])
        self.dates = [begin]
        self.left = [whole]
        """From each of the dates (s) to the next one; the last one lasts indefinitely."""
        self.limits = [self._limit(whole)]
        """What may be taken then: as much, but for rounding."""

    def _limit(self, left: Vector) -> Vector:
        return tuple([have + more for have, more in zip(left, self.slack, strict=True)])

    def forget(self, now: float) -> None:
        """What lies before now is of no use any more."""
        if len(self.dates) > 1 and self.dates[1] <= now:
            past = bisect_right(self.dates, now) - 1
            del self.dates[:past], self.left[:past], self.limits[:past]

    def change(self, part: Vector, begin: float, end: float, sign: int) -> None:
        """So much is taken (-1), or given back (+1), from one date to another."""
        first = self._cut(begin)
        stop = self._cut(end) if end < inf else len(self.dates)
        for place in range(first, stop):
            left = tuple([have + sign * size for have, size in zip(self.left[place], part, strict=True)])
            self.left[place] = left
            self.limits[place] = self._limit(left)

    def _cut(self, date: float) -> int:
        """The place of a date, which becomes one of the steps; dates before the first are the first."""
        dates = self.dates
        place = bisect_left(dates, date)
        if place == len(dates) or dates[place] != date:
            if not place:
                return 0
            dates.insert(place, date)
            self.left.insert(place, self.left[place - 1])
            self.limits.insert(place, self.limits[place - 1])
        return place

    def start(self, part: Vector, earliest: float, length: float, latest: float = inf) -> float:
        """From when on there is that much for so long; or, if not by the latest date, one behind it: a hot path."""
        dates, limits = self.dates, self.limits
        place, count = 0, len(dates)
        if count > 1 and dates[1] <= earliest:
            place = bisect_right(dates, earliest) - 1
        start = earliest
        while dates[place] < start + length:
            limit = limits[place]
            place += 1
            for rank, size in enumerate(part):
                if size > limit[rank]:
                    if place == count:
                        return inf
                    start = dates[place]
                    if start > latest:
                        return start
                    break
            else:
                if place == count:
                    return start
        return start

    def at(self, date: float) -> Vector:
        """What is left at a date."""
        return self.left[max(bisect_right(self.dates, date) - 1, 0)]


@mypyc_attr(allow_interpreted_subclasses=True)
class Timetable:
    """What is foreseen of some hosts."""

    def __init__(self, demands: Demands, hosts: HostSet, begin: float) -> None:
        self.demands = demands
        self._names = sorted(demands.described)
        self._courses = {host: _Course(self._vector(demands.whole(host)), begin) for host in hosts}
        self._now = begin
        self._found: dict[tuple[tuple[tuple[str, float], ...], bool], list[_Able]] = {}
        """By what jobs take of each host: the hosts that could hold it, once somebody has asked."""

    def _vector(self, amounts: dict[str, float]) -> Vector:
        return tuple([amounts.get(name, 0.0) for name in self._names])

    def _asked(self, need: Need) -> Vector | None:
        """What a job takes of each host; None: all of it."""
        return None if need.whole else self._vector(dict(need.amounts))

    def forget(self, now: float) -> None:
        """What lies before now is of no use any more: it goes when something changes."""
        self._now = now

    def change(self, hosts: HostSet, need: Need, begin: float, end: float, sign: int) -> None:
        """A job takes its part of hosts (-1), or gives it back (+1), from one date to another."""
        if begin >= end:
            return
        part = self._asked(need)
        for host in hosts:
            course = self._courses.get(host)
            if course is not None:
                course.forget(self._now)
                course.change(course.whole if part is None else part, begin, end, sign)

    def earlier(self, need: Need, length: float, earliest: float, than: float, hosts: HostSet) -> bool:
        """Whether one of some hosts has its part of a job for so long before a date."""
        part = self._asked(need)
        courses = [self._courses[host] for host in hosts & self.demands.fitting(need) if host in self._courses]
        return any(one.start(one.whole if part is None else part, earliest, length) < than for one in courses)

    def find(self, need: Need, length: float, earliest: float) -> tuple[float, HostSet]:
        """The first date from which enough hosts have their part of a job for so long, and these hosts.

        Hosts that are in use then are taken before others. An infinite date: never.
        """
        if not need.hosts:
            return earliest, HostSet()
        able = self._able(need)
        if len(able) < need.hosts:
            return inf, HostSet()
        at_once: list[int] = []
        starts, date = _first_starts(able, need.hosts, length, earliest, at_once)
        if len(at_once) == need.hosts:
            return earliest, HostSet(at_once)
        known = False
        while True:
            if date == inf:
                return inf, HostSet()
            there = []
            for rank, start in enumerate(starts):
                if start > date:
                    continue
                one = able[rank]
                if start < date:  # it is there before that date: perhaps not from then on
                    starts[rank] = one.course.start(one.part, date, length)
                if starts[rank] == date:
                    there.append(one)
            if len(there) >= need.hosts:
                return date, _lowest(there, need.hosts, date)
            if not known:  # of those behind the date it now matters how far
                for rank, start in enumerate(starts):
                    if start > date:
                        one = able[rank]
                        starts[rank] = one.course.start(one.part, start, length)
                known = True
            date = sorted(starts)[need.hosts - 1]

    def _able(self, need: Need) -> "list[_Able]":
        """The hosts that could hold their part of a job if nobody else were there."""
        asked = need.amounts, need.whole
        found = self._found.get(asked)
        if found is None:
            if len(self._found) >= _MOST:
                self._found.clear()
            part, cores = self._asked(need), self._names.index("cores")
            there = [(host, self._courses[host]) for host in self.demands.fitting(need) if host in self._courses]
            takes_all = part is None or all(part[cores] >= course.whole[cores] for _, course in there)
            found = self._found[asked] = [
                _Able(host, course, course.whole if part is None else part, takes_all) for host, course in there
            ]
        return found


@mypyc_attr(allow_interpreted_subclasses=True)
class _Able:
    """A host that could hold its part of a job, and that part."""

    __slots__ = ("course", "host", "part", "takes_all")

    def __init__(self, host: int, course: _Course, part: Vector, takes_all: bool) -> None:
        self.host = host
        self.course = course
        self.part = part
        self.takes_all = takes_all
        """Whether the job takes all cores of whatever host it gets: every job has some, so nobody else uses it."""


def _first_starts(
    able: list[_Able], count: int, length: float, earliest: float, at_once: list[int]
) -> tuple[list[float], float]:
    """When so many hosts have each their part, in the order of the hosts, and when the last of them has.

    Of hosts that have it later it is only known that it is not before the date that is told of them. ``at_once`` gets
    hosts that have it at the earliest date: those in use then, or any where the job takes all cores of each. So many
    of them are enough, and no other is looked at.
    """
    starts: list[float] = []
    first: list[float] = []  # the dates of so many hosts, negative, the last of them first
    latest = inf
    for one in able:
        start = one.course.start(one.part, earliest, length, latest)
        starts.append(start)
        if start == earliest and (one.takes_all or one.course.at(start) != one.course.whole):
            at_once.append(one.host)
            if len(at_once) == count:
                return starts, start
        if len(first) < count:
            heappush(first, -start)
            if len(first) == count:
                latest = -first[0]
        elif start < latest:
            heapreplace(first, -start)
            latest = -first[0]
    return starts, latest


def _lowest(able: list[_Able], count: int, date: float) -> HostSet:
    """So many of some hosts, those that are in use at a date first."""
    used: list[int] = []
    for one in able:
        if one.course.at(date) != one.course.whole:
            used.append(one.host)
            if len(used) == count:
                return HostSet(used)
    return lowest_of(HostSet([one.host for one in able]), count, HostSet(used))
