"""Sorted intervals that change: what :class:`~windtunnel.model.HostPool` is made of on very large sites.

A set of numbers is two lists: the first and the last number of each of its maximal intervals, ascending. Every
operation costs what it touches (and the shifting of what lies behind it, which is a copy of memory).
"""

from bisect import bisect_left, bisect_right
from types import FunctionType
from typing import Final

from mypy_extensions import i64

from windtunnel.model.hostset import Run

__all__ = [
    "RUNS",
    "add_runs",
    "claim_runs",
    "covers_runs",
    "pick_lowest",
    "remove_run",
    "remove_whole_runs",
    "take_lowest",
    "take_run",
]

RUNS: Final = 1000
"""So many intervals are looked at for one that is long enough, where the search must be short."""


def _from(numbers: list[int], least: int) -> int:
    """What ``bisect_left`` finds; compiled, its own comparisons cost a tenth of Python's."""
    low: i64 = 0
    high: i64 = len(numbers)
    while low < high:
        middle: i64 = (low + high) >> 1
        if numbers[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


def pick_lowest(firsts: list[int], lasts: list[int], count: int) -> tuple[Run, ...]:
    """The lowest ``count`` numbers; there must be as many."""
    runs = []
    need = count
    k = 0
    while need:
        first, last = firsts[k], lasts[k]
        need -= last - first + 1
        if need < 0:
            last += need
            need = 0
        runs.append((first, last))
        k += 1
    return tuple(runs)


def take_lowest(firsts: list[int], lasts: list[int], count: int) -> tuple[Run, ...]:
    """Take the lowest ``count`` numbers; there must be as many."""
    runs = []
    need = count
    k = 0
    while need:
        first, last = firsts[k], lasts[k]
        need -= last - first + 1
        if need < 0:
            last += need
            need = 0
            firsts[k] = last + 1
        else:
            k += 1
        runs.append((first, last))
    if k:
        del firsts[:k], lasts[:k]
    return tuple(runs)


def take_run(firsts: list[int], lasts: list[int], count: int) -> int:
    """Take the lowest ``count`` numbers of the first long enough of the lowest :data:`RUNS` intervals.

    Returns the first number taken, or -1.
    """
    more = count - 1
    for k, last in enumerate(lasts if len(lasts) <= RUNS else lasts[:RUNS]):
        first = firsts[k]
        there = last - first
        if there > more:
            firsts[k] = first + count
            return first
        if there == more:
            del firsts[k], lasts[k]
            return first
    return -1


def covers_runs(firsts: list[int], lasts: list[int], runs: tuple[Run, ...]) -> bool:
    """Whether all of these numbers are there."""
    for first, last in runs:
        k = bisect_right(firsts, first) - 1
        if k < 0 or lasts[k] < last:
            return False
    return True


def claim_runs(firsts: list[int], lasts: list[int], runs: tuple[Run, ...]) -> bool:
    """Remove these numbers if all are there; whether they were: a hot path."""
    if len(runs) != 1:
        if remove_whole_runs(firsts, lasts, runs):
            return True
        if not covers_runs(firsts, lasts, runs):
            return False
        for first, last in runs:
            remove_run(firsts, lasts, first, last)
        return True
    first, last = runs[0]
    k = _from(firsts, first + 1) - 1 if _COMPILED else bisect_right(firsts, first) - 1
    if k < 0:
        return False
    end = lasts[k]
    if end < last:
        return False
    if firsts[k] < first:
        if end == last:
            lasts[k] = first - 1
        else:
            firsts.insert(k + 1, last + 1)
            lasts.insert(k, first - 1)
    elif end == last:
        del firsts[k], lasts[k]
    else:
        firsts[k] = last + 1
    return True


def remove_whole_runs(firsts: list[int], lasts: list[int], runs: tuple[Run, ...]) -> bool:
    """Remove what is a sequence of whole intervals (only the last may go on); whether it is: what was picked is."""
    if not runs:
        return True
    first = runs[0][0]
    k = _from(firsts, first) if _COMPILED else bisect_left(firsts, first)
    stop = k + len(runs)
    if stop > len(firsts):
        return False
    last = runs[-1][1]
    end = lasts[stop - 1]
    if end < last:
        return False
    place = k
    for begin, until in runs:
        if firsts[place] != begin:
            return False
        place += 1
        if place < stop and lasts[place - 1] != until:
            return False
    if end > last:
        stop -= 1
        firsts[stop] = last + 1
    if stop > k:
        del firsts[k:stop], lasts[k:stop]
    return True


def remove_run(firsts: list[int], lasts: list[int], first: int, last: int) -> int:
    """Remove what is there of an interval; how many numbers that was."""
    k = bisect_left(lasts, first)
    stop = bisect_right(firsts, last)
    if k >= stop:
        return 0
    low, high = firsts[k], lasts[stop - 1]
    if stop == k + 1 and low <= first and high >= last:
        removed = last - first + 1
    else:
        removed = sum(min(lasts[i], last) - max(firsts[i], first) + 1 for i in range(k, stop))
    keep = [(a, b) for a, b in ((low, first - 1), (last + 1, high)) if a <= b]
    firsts[k:stop] = [a for a, _ in keep]
    lasts[k:stop] = [b for _, b in keep]
    return removed


def add_runs(firsts: list[int], lasts: list[int], runs: tuple[Run, ...]) -> int:
    """Add numbers, of which some may be there; how many are new: a hot path."""
    count = len(firsts)
    added = 0
    for first, last in runs:
        # The first interval that touches or lies beyond.
        k = _from(lasts, first - 1) if _COMPILED else bisect_left(lasts, first - 1)
        begin = firsts[k] if k < count else last + 2
        if begin > last + 1:
            firsts.insert(k, first)
            lasts.insert(k, last)
            count += 1
        elif begin == last + 1:
            firsts[k] = first
        elif lasts[k] == first - 1 and (k + 1 == count or firsts[k + 1] > last + 1):
            lasts[k] = last
        elif lasts[k] == first - 1 and firsts[k + 1] == last + 1:  # it closes a gap
            lasts[k] = lasts.pop(k + 1)
            firsts.pop(k + 1)
            count -= 1
        else:
            added += _join_run(firsts, lasts, k, first, last)
            count = len(firsts)
            continue
        added += last - first + 1
    return added


def _join_run(firsts: list[int], lasts: list[int], k: int, first: int, last: int) -> int:
    """Join an interval with the k-th one and whatever else it meets; how many numbers are new."""
    stop = bisect_right(firsts, last + 1)
    new = (last - first + 1) - sum(
        min(lasts[i], last) - max(firsts[i], first) + 1
        for i in range(k, stop)
        if min(lasts[i], last) >= max(firsts[i], first)
    )
    first = min(first, firsts[k])
    last = max(last, lasts[stop - 1])
    firsts[k:stop] = [first]
    lasts[k:stop] = [last]
    return new


_COMPILED: Final = not isinstance(_from, FunctionType)
