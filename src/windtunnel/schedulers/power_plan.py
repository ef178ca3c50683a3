"""What running jobs may draw together from now on, under a power cap that changes over time.

Predicted watts only fall, as jobs end, between two dates at which jobs start. So a job of so many watts fits from one
date to another if it does at its begin, and wherever the cap changes meanwhile.
"""

from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import inf, nextafter
from typing import Final, NamedTuple

from windtunnel.model import Host, HostSet
from windtunnel.model.signals import Signal

__all__ = ["HostWatts", "PowerPlan", "Reserved", "longest_window", "next_step"]

_ROUNDING: Final = 1e-9
"""A sum of watts that exceeds the cap by this share does not exceed it."""
_DAY: Final = 86400.0


class HostWatts:
    """What hosts draw that idle, and how much more at full load, by their first power states; None counts as 0 W."""

    def __init__(self, hosts: Sequence[Host], storages: Sequence[Host] = ()) -> None:
        states = [host.pstates[host.pstate] for host in (*hosts, *storages)]
        self.base = sum([state.idle or 0.0 for state in states])
        """Watts of all hosts without work."""
        self.more = [max(0.0, (one.full or 0.0) - (one.idle or 0.0)) for one in states[: len(hosts)]]
        self.most = max(self.more, default=0.0)
        self._alike = len(set(self.more)) <= 1

    def at_most(self, hosts: int) -> float:
        """What a job on so many hosts adds at most."""
        return hosts * self.most

    def of(self, hosts: HostSet) -> float:
        """What a job on these hosts adds at most."""
        return hosts.size * self.most if self._alike else sum([self.more[host] for host in hosts])


class Reserved(NamedTuple):
    """Watts that the first waiting job will draw from one date to another (s)."""

    begin: float
    end: float
    watts: float


class PowerPlan:
    """What is drawn from ``now`` on, by jobs with their predicted ends.

    Args:
        cap: what may be drawn (W); beyond its rows its last value.
        base: what is drawn without any job (W).
        now: the present (s).
        held: predicted ends (s) and watts of the running jobs.
    """

    def __init__(self, cap: Signal, base: float, now: float, held: Iterator[tuple[float, float]]) -> None:
        self.cap = cap
        self.base = base
        self.now = now
        self._late = nextafter(now, inf)  # what should have ended and has not, draws now
        self._loads = sorted((max(end, self._late), watts) for end, watts in held)
        self._sum_up()

    def _sum_up(self) -> None:
        self._ends = [end for end, _ in self._loads]
        left = list(accumulate([watts for _, watts in reversed(self._loads)], initial=self.base))
        self._sums = left[::-1]

    def hold(self, end: float, watts: float) -> None:
        """A job starts now."""
        insort(self._loads, (max(end, self._late), watts))
        self._sum_up()

    def drawn(self, date: float) -> float:
        """Watts at a time from now on."""
        return self._sums[bisect_right(self._ends, date)]

    def limit(self, date: float) -> float:
        """The cap at a time."""
        return self.cap.at(date) if self.cap.knows(date) else self.cap.values[-1]

    def fits(self, watts: float, begin: float, end: float, reserved: Reserved | None = None) -> bool:
        """Whether a job may draw so many watts from one date to another, beside those of the first waiting job."""
        if reserved is not None:
            begin, end = max(begin, reserved.begin), min(end, reserved.end)
            watts += reserved.watts
            if begin >= end:
                return True
        dates = (begin, *self.cap.steps(begin, min(end, self._last(begin))))
        return all(self.drawn(date) + watts <= self.limit(date) * (1.0 + _ROUNDING) for date in dates)

    def _last(self, begin: float) -> float:
        """From here on all is as it was one period before, or the cap changes no more."""
        if self.cap.period <= 0.0:
            return nextafter(self.cap.dates[-1], inf)
        ends = [end for end in self._ends if end < inf]
        return max(begin, ends[-1] if ends else begin) + self.cap.period

    def dates(self, others: Sequence[float]) -> Iterator[float]:
        """These dates from now on, ascending, with those at which the cap changes, as far as these matter."""
        known = sorted({self.now, *others})
        begin, span, last = self.now, _DAY, self._last(self.now) + self.cap.period
        yield begin
        while begin < last:
            end = min(begin + span, last)
            yield from sorted({end, *self.cap.steps(begin, end), *[date for date in known if begin < date < end]})
            begin, span = end, 2 * span
        yield from (date for date in known if date > begin)


def next_step(cap: Signal, now: float) -> float:
    """Where a cap changes next; infinite if it never does."""
    span = 3600.0
    last = now + 2 * cap.period if cap.period > 0.0 else cap.dates[-1]
    while True:
        found = cap.steps(now, now + span)
        if found:
            return found[0]
        if now + span > last:
            return inf
        span *= 8


def longest_window(cap: Signal, watts: float, now: float = 0.0) -> float:
    """For how many seconds at most a cap leaves so many watts, from now on."""
    begins, ends = [min(cap.first, 0.0), *cap.dates[1:]], [*cap.dates[1:], cap.end if cap.period > 0.0 else inf]
    values = [*cap.values]
    if cap.period > 0.0:  # the last period comes again and again: two of them show any run that goes over its end
        first = bisect_right(begins, cap.end - cap.period) - 1
        begins += [cap.end, *[date + cap.period for date in begins[first + 1 :]]]
        ends += [date + cap.period for date in ends[first:]]
        values += values[first:]
        if min(values[first:]) * (1.0 + _ROUNDING) >= watts:
            return inf
        now = min(now, begins[0])
    longest, since = 0.0, None
    for begin, end, value in zip(begins, ends, values, strict=True):
        if end <= now:
            continue
        if value * (1.0 + _ROUNDING) < watts:
            since = None
            continue
        since = max(begin, now) if since is None else since
        longest = max(longest, end - since)
    return longest
