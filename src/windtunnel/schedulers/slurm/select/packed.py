"""Stretches of consecutive nodes that have as many free CPUs, each as one number.

However many nodes there are, few stretches say all of them on most clusters. As numbers they are sorted, compared and
cut to the nodes that a job may have in little time, where sets of thousands of nodes are passed over digit by digit.
"""

from bisect import bisect_left
from typing import Final

from mypy_extensions import i64

from windtunnel.schedulers.slurm.nodes.nodesets import bounds

__all__ = [
    "AT",
    "FREE",
    "LENGTHS",
    "MOST_CPUS",
    "MOST_NODES",
    "TO",
    "changed",
    "cpus_in",
    "cut_to",
    "holds",
    "of_levels",
    "without_small",
]

AT: Final = 39
"""The first node of a stretch begins at this digit,"""
TO: Final = 16
"""the one behind its last at this one;"""
LENGTHS: Final = (1 << 23) - 1
"""both have so many digits;"""
FREE: Final = (1 << 16) - 1
"""and the free CPUs of each of its nodes have these."""
_BEHIND_ALL: Final = (LENGTHS << AT) | (LENGTHS << TO)
"""In place of a stretch where no further one is."""
MOST_NODES: Final = 1 << 23
MOST_CPUS: Final = 1 << 16


def of_levels(levels: list[tuple[int, int]]) -> list[int]:
    """The stretches of some sets of nodes, ascending; each set with the CPUs of its nodes."""
    found: list[int] = []
    for free, nodes in levels:
        if free:
            edges = bounds(nodes)
            for at in range(0, len(edges), 2):
                begin: i64 = edges[at]
                end: i64 = edges[at + 1]
                found.append(begin << AT | end << TO | free)
    found.sort()
    return found


def changed(stretches: list[int], runs: list[int], by: int) -> list[int]:
    """The same where each node of some runs has so many free CPUs more, or fewer.

    ``runs``: as :func:`~windtunnel.schedulers.slurm.nodes.nodesets.bounds` has them.
    """
    found: list[int] = []
    more: i64 = by
    count = len(stretches)
    at = 0
    one: i64 = stretches[0] if count else _BEHIND_ALL
    begin = one >> AT
    for place in range(0, len(runs), 2):
        first: i64 = runs[place]
        last: i64 = runs[place + 1]
        if one >> TO & LENGTHS <= first:  # all before the run stays
            _append(found, begin, one >> TO & LENGTHS, one & FREE)
            behind = bisect_left(stretches, first << AT, at + 1)
            if behind > at + 1 and stretches[behind - 1] >> TO & LENGTHS > first:
                behind -= 1
            found += stretches[at + 1 : behind]
            at = behind
            one = stretches[at] if at < count else _BEHIND_ALL
            begin = one >> AT
        if begin < first:
            _append(found, begin, first, one & FREE)
            begin = first
        while first < last:
            if begin > first:  # nothing was free there
                to = min(begin, last)
                _append(found, first, to, more)
            else:
                end = one >> TO & LENGTHS
                to = min(end, last)
                _append(found, first, to, (one & FREE) + more)
                begin = to
                if to == end:
                    at += 1
                    one = stretches[at] if at < count else _BEHIND_ALL
                    begin = one >> AT
            first = to
    if at < count:
        _append(found, begin, one >> TO & LENGTHS, one & FREE)
        found += stretches[at + 1 :]
    return found


def _append(found: list[int], begin: i64, end: i64, free: i64) -> None:
    """One more stretch; with the one before it, if they are alike and next to each other."""
    if not free:
        return
    if found:
        last: i64 = found[-1]
        if last >> TO & LENGTHS == begin and last & FREE == free:
            found[-1] = last >> AT << AT | end << TO | free
            return
    found.append(begin << AT | end << TO | free)


def cut_to(stretches: list[int], runs: list[int], least: int) -> list[int]:
    """What of some stretches is in runs of nodes, both ascending, and has at least so many CPUs.

    ``runs``: as :func:`~windtunnel.schedulers.slurm.nodes.nodesets.bounds` has them.
    """
    found: list[int] = []
    count = len(runs)
    if not count:
        return found
    at = 0
    first: i64 = runs[0]
    last: i64 = runs[1]
    floor: i64 = least
    for one in stretches:
        number: i64 = one
        free = number & FREE
        if free < floor:
            continue
        begin = number >> AT
        end = number >> TO & LENGTHS
        while last <= begin:
            at += 2
            if at == count:
                return found
            first = runs[at]
            last = runs[at + 1]
        if first <= begin and end <= last:
            found.append(one)
            continue
        while first < end:
            low = max(first, begin)
            high = min(last, end)
            found.append(low << AT | high << TO | free)
            if last >= end:
                break
            at += 2
            if at == count:
                return found
            first = runs[at]
            last = runs[at + 1]
    return found


def cpus_in(stretches: list[int], runs: list[int]) -> int:
    """The free CPUs that some stretches have in runs of nodes, both ascending."""
    found: i64 = 0
    count = len(runs)
    if not count:
        return 0
    at = 0
    first: i64 = runs[0]
    last: i64 = runs[1]
    for one in stretches:
        number: i64 = one
        begin = number >> AT
        end = number >> TO & LENGTHS
        while last <= begin:
            at += 2
            if at == count:
                return found
            first = runs[at]
            last = runs[at + 1]
        while first < end:
            found += (min(last, end) - max(first, begin)) * (number & FREE)
            if last >= end:
                break
            at += 2
            if at == count:
                return found
            first = runs[at]
            last = runs[at + 1]
    return found


def holds(stretches: list[int], cpus: int, nodes: int) -> bool:
    """Whether some stretches have so many free CPUs, and so many nodes."""
    more: i64 = cpus
    others: i64 = nodes
    for one in stretches:
        number: i64 = one
        size = (number >> TO & LENGTHS) - (number >> AT)
        others -= size
        more -= (number & FREE) * size
        if more <= 0 and others <= 0:
            return True
    return False


def without_small(stretches: list[int], small: int, most: int) -> tuple[list[int], int]:
    """The same without nodes of just so many CPUs, the first ones, so many at most; and how many these are."""
    found: list[int] = []
    left = most
    for one in stretches:
        if one & FREE == small and left:
            begin, end = one >> AT, one >> TO & LENGTHS
            gone = min(left, end - begin)
            left -= gone
            if begin + gone < end:
                found.append(begin + gone << AT | end << TO | small)
        else:
            found.append(one)
    return found, most - left
