"""How many hosts are predicted to be free over time: a step function that is searched and changed locally.

Its dates are whole microseconds, as Batsim's JSON protocol tells them: sums that are equal on paper are equal here,
and a plan is the same whether dates were told with all their digits or with six.
"""

from bisect import bisect_left, bisect_right
from math import inf, nextafter, ulp
from sys import float_info
from typing import Final

from mypy_extensions import mypyc_attr

__all__ = ["LONGEST", "Availability", "held_until", "later", "longest_until"]

_END: Final = -(1 << 60)
"""So many hosts are free at the end of time: fewer than anybody needs."""
_ROUND: Final = 6755399441055744.0
"""1.5 * 2 ** 52: a number that this is added to and taken from again is whole."""
_LESS: Final = 1e-7
"""What a length exceeds whole microseconds by (s) without reaching into the next."""
LONGEST: Final = float_info.max / 2
"""Longer than all that jobs last."""
_SHORTEST: Final = 1e-6
"""Seconds for which a reservation holds its hosts at least."""
_INF: Final = float("inf")
# Bound once: compiled code looks up what comes from other modules each time.
_nextafter: Final = nextafter
_ulp: Final = ulp
_AT_HAND: Final = 1e-5
"""What is so near (s) is the present: ends and calls are told rounded, a few microseconds early or late."""


def later(date: float, length: float) -> float:
    """The date so many seconds later, to the next microsecond."""
    return ((date + length) * 1e6 + 0.4 + _ROUND - _ROUND) / 1e6


def held_until(begin: float, length: float) -> float:
    """When a job of this length is planned to give its hosts back: after a microsecond at least.

    A reservation that takes no time would be none, and later jobs would be planned across it.
    """
    return later(begin, max(length, _SHORTEST))


@mypyc_attr(allow_interpreted_subclasses=True)
class Availability:
    """``free[k]`` hosts from ``dates[k]`` (s, whole microseconds) to the next date; the last date is infinite."""

    __slots__ = ("dates", "free")

    def __init__(self, hosts: int, begin: float = 0.0) -> None:
        self.dates = [begin, inf]
        self.free = [hosts, _END]

    def advance(self, now: float) -> float:
        """Forget what lies before now; the date that is the present of the plan: it may lie a little after now."""
        dates = self.dates
        present = (now * 1e6 + _ROUND - _ROUND) / 1e6
        k = bisect_right(dates, present + _AT_HAND) - 1
        if k >= 0:
            present = max(present, dates[k])
            del dates[:k], self.free[:k]
        dates[0] = present
        return present

    def change(self, begin: float, end: float, hosts: int) -> None:
        """So many more (or fewer) hosts from one date to another."""
        if begin >= end:
            return
        dates, free = self.dates, self.free
        first = bisect_left(dates, begin)
        if dates[first] != begin:
            dates.insert(first, begin)
            free.insert(first, free[first - 1])
        stop = bisect_left(dates, end, first)
        if dates[stop] != end:
            dates.insert(stop, end)
            free.insert(stop, free[stop - 1])
        for k in range(first, stop):
            free[k] += hosts
        if free[stop] == free[stop - 1]:
            del dates[stop], free[stop]
        if first and free[first] == free[first - 1]:
            del dates[first], free[first]

    def until(self, size: int) -> float:
        """Up to which date, from the begin on, so many hosts stay free."""
        free = self.free
        k = 0
        while free[k] >= size:
            k += 1
        return self.dates[k]

    def lasting(self, size: int) -> float:
        """For how many seconds (a finite number) so many hosts stay free from the begin on."""
        return min(self.until(size) - self.dates[0] + _LESS, LONGEST)

    def find(self, size: int, length: float) -> float:
        """The earliest date from which so many hosts stay free for so long; infinite when there is none."""
        dates, free = self.dates, self.free
        last = len(dates) - 1
        length -= _LESS
        k = 0
        while True:
            while free[k] < size:
                if k == last:
                    return inf
                k += 1
            begin = dates[k]
            end = begin + length
            k += 1
            while dates[k] < end and free[k] >= size:
                k += 1
            if dates[k] >= end:
                return begin

    def earlier(self, size: int, length: float, reserved: float, start: float) -> tuple[float, float]:
        """The earliest date, not before ``start``, to which a job can be moved from its reservation (which it keeps
        when there is none earlier), and the first date from ``start`` on at which ``size`` hosts are free at all (the
        reservation, when that is not earlier): no job of this size need look before it.
        """
        dates, free = self.dates, self.free
        length -= _LESS
        k = max(bisect_right(dates, start) - 1, 0)
        first = -1.0
        while True:
            while free[k] < size and dates[k] < reserved:
                k += 1
            begin = dates[k]
            if begin >= reserved:
                return reserved, reserved if first < 0 else first
            if first < 0:
                first = begin
            # What the job itself holds from its reservation on counts as free.
            end = begin + length
            if end > reserved:  # noqa: PLR1730 -- a call costs more
                end = reserved
            k += 1
            while dates[k] < end and free[k] >= size:
                k += 1
            if dates[k] >= end:
                return begin, first


def longest_until(now: float, date: float) -> float:
    """The longest finite length with ``now + length <= date`` in floating point."""
    if date > LONGEST:
        return LONGEST
    longest = date - now
    longest += (date - (longest + now)) + _ulp(date) / 2
    while now + longest > date:
        longest = _nextafter(longest, -_INF)
    more: float = _nextafter(longest, _INF)
    while now + more <= date:
        longest = more
        more = _nextafter(longest, _INF)
    return longest
