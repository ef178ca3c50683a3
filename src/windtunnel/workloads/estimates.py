"""Estimates of run times as users give them: round, few different ones, and often far too long.

The model of D. Tsafrir, Y. Etsion, D. G. Feitelson: Modeling user runtime estimates. JSSPP 2005. Twenty estimates
(the head) serve 89 % of the jobs, the longest allowed one most of all; the rest (the tail) is spread over the others.
The 20 x 4 ranks and the constants are those of the authors' published program.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, exp
from random import Random
from typing import Final, NamedTuple

from windtunnel.diagnostics import UsageError

__all__ = ["LEAST_JOBS", "Estimate", "assign_estimates", "estimate_distribution", "number_of_estimates"]

LEAST_JOBS: Final = 200
"""With fewer the model has no meaning."""

_MINUTE: Final = 60
_HOUR: Final = 3600
_HEAD: Final = 20
"""Different estimates in the head."""
_HEAD_PERCENT: Final = 89.0
_COMMON: Final = tuple(60 * minutes for minutes in (5, 10, 15, 20, 30)) + tuple(
    _HOUR * hours for hours in (1, 2, 3, 4, 5, 6, 8, 10, 12, 18)
)
"""Estimates (s) that were popular in all four logs."""
_ROUND: Final = (
    *(_HOUR * hours for hours in (200, 100, 50, 10, 5, 2, 1)),
    *(_MINUTE * minutes for minutes in (20, 10, 5)),
)
"""Their multiples fill the head up."""
_NUMBER_OF_ESTIMATES: Final = ((0, 0), (20, 10), (200, 20), (1000, 35), (10_000, 90), (70_000, 340), (250_000, 565))
"""Jobs -> different estimates, linear in between."""
_POPULARITY: Final = (
    (3, 1, 1, 1),
    (1, 3, 4, 6),
    (4, 4, 10, 5),
    (17, 2, 14, 3),
    (13, 12, 20, 7),
    (7, 9, 2, 2),
    (8, 8, 3, 18),
    (18, 18, 7, 19),
    (2, 6, 12, 4),
    (6, 7, 6, 11),
    (16, 11, 19, 20),
    (10, 20, 5, 9),
    (5, 16, 18, 10),
    (15, 5, 16, 14),
    (14, 14, 9, 13),
    (19, 13, 17, 16),
    (11, 10, 15, 15),
    (12, 15, 13, 17),
    (9, 17, 8, 8),
    (20, 19, 11, 12),
)
"""The rank by popularity of the estimates of the head, the longest first, the others from the shortest, in the logs
of SDSC, CTC, KTH and Blue Horizon.
"""
_SHIFTS: Final = (0, 30, -30, 20, -20, 10, -10)
"""Seconds by which an estimate of the tail moves where there is one already."""


class Estimate(NamedTuple):
    """One estimate (s) and how many jobs have it."""

    seconds: int
    jobs: int


def number_of_estimates(jobs: int) -> int:
    """How many different estimates so many jobs have."""
    for (x0, y0), (x1, y1) in pairwise(_NUMBER_OF_ESTIMATES):
        if jobs <= x1:
            return y0 + int((jobs - x0) * (y1 - y0) / (x1 - x0) + 0.5)
    return _NUMBER_OF_ESTIMATES[-1][1]


def estimate_distribution(jobs: int, longest: int, source: Random) -> list[Estimate]:
    """Which estimates so many jobs have, from the shortest; ``longest`` is the longest that is allowed (s).

    Raises:
        UsageError: fewer than 200 jobs, or less than an hour.
    """
    if jobs < LEAST_JOBS:
        raise UsageError(f"estimates of {jobs} jobs: Tsafrir's model needs at least {LEAST_JOBS}")
    if longest < _HOUR:
        raise UsageError(f"a longest estimate of {longest} s: Tsafrir's model needs at least one hour")
    seconds = _head_seconds(longest)
    head = dict(zip(seconds, _head_percents(len(seconds), source), strict=True))
    different = number_of_estimates(jobs)
    tail = _tail_seconds(longest, different, set(head))
    percents = _tail_percents(len(tail))
    source.shuffle(percents)
    return _as_jobs({**head, **dict(zip(tail, percents, strict=True))}, jobs)


def _head_seconds(longest: int) -> list[int]:
    """The longest, then the others from the shortest."""
    chosen = [seconds for seconds in _COMMON if seconds < longest]
    for step in _ROUND:
        for seconds in range(longest // step * step, 0, -step):
            if len(chosen) < _HEAD - 1 and seconds != longest and seconds not in chosen:
                chosen.append(seconds)
    return [longest, *sorted(chosen)]


def _head_percents(number: int, source: Random) -> list[float]:
    """The share of jobs of each estimate of the head, in the order of :func:`_head_seconds`.

    Below a longest estimate of two hours there are fewer than twenty; they keep the order of their popularity.
    """
    others = [14.0491 * exp(-0.177531 * rank) + 0.462513 for rank in range(2, number + 1)]
    by_popularity = [_HEAD_PERCENT - sum(others), *others]
    ranks = _popularity_ranks(source)[:number]
    return [by_popularity[sorted(ranks).index(rank)] for rank in ranks]


def _popularity_ranks(source: Random) -> list[int]:
    """A rank by popularity for each estimate of the head, drawn among those of the four logs up to its place."""
    last_place = {rank: place for place, ranks in enumerate(_POPULARITY) for rank in ranks}
    chosen: list[int] = []
    pool: list[int] = []
    for place, ranks in enumerate(_POPULARITY):
        pool = [rank for rank in (*pool, *ranks) if rank not in chosen]
        due = [rank for rank in range(1, _HEAD + 1) if last_place[rank] <= place and rank not in chosen]
        if place == 0:
            chosen.append(1)  # the longest is the most popular
        elif due:
            chosen.append(due[0])
        else:
            chosen.append(min(source.choice(pool), source.choice(pool)))
    return chosen


def _tail_seconds(longest: int, different: int, taken: set[int]) -> list[int]:
    """The estimates outside the head: whole minutes, more of them short than long."""
    bend = 1 + 12.1039 * different**-0.6026
    number = different - len(taken)
    used = set(taken)
    tail = []
    for rank in range(1, number + 1):
        x = rank / number
        seconds = _MINUTE * int(longest * (bend - 1) * x / (bend - x) / _MINUTE + 0.5)
        free = [seconds + shift for shift in _SHIFTS if 0 < seconds + shift < longest and seconds + shift not in used]
        if free:
            used.add(free[0])
            tail.append(free[0])
    return tail


def _tail_percents(number: int) -> list[float]:
    """The shares of jobs of the tail; few jobs have no tail, and the head gets them."""
    if not number:
        return []
    sizes = [795.6 * rank**-2.267 for rank in range(_HEAD + 1, _HEAD + 1 + number)]
    scale = (100 - _HEAD_PERCENT) / sum(sizes)
    return [scale * size for size in sizes]


def _as_jobs(percents: dict[int, float], jobs: int) -> list[Estimate]:
    """Whole numbers of jobs, at least one each, that add up; what rounding left over goes to the largest first."""
    numbers = {seconds: max(1, int(percent * jobs / 100 + 0.5)) for seconds, percent in sorted(percents.items())}
    left = jobs - sum(numbers.values())
    share = abs(left) / sum(numbers.values())
    sign = 1 if left > 0 else -1
    while left:
        for seconds in sorted(numbers, key=numbers.__getitem__, reverse=True):
            step = min(ceil(share * numbers[seconds]), abs(left))
            if sign < 0:
                step = min(step, numbers[seconds] - 1)
            numbers[seconds] += sign * step
            left -= sign * step
    return [Estimate(seconds, number) for seconds, number in sorted(numbers.items())]


def assign_estimates(runs: Sequence[float], distribution: Sequence[Estimate], source: Random) -> list[int]:
    """An estimate (s) for each run time (s), at least as long; the longest jobs choose first.

    Raises:
        UsageError: more jobs are long than estimates are.
    """
    left = [each.seconds for each in reversed(distribution) for _ in range(each.jobs)]
    longest_first = sorted(range(len(runs)), key=runs.__getitem__, reverse=True)
    given = [0] * len(runs)
    enough = 0
    for rank, job in enumerate(longest_first):
        if runs[job] > left[rank]:
            raise UsageError(
                f"{rank + 1} jobs run longer than {left[rank]} s, more than have so long an estimate",
                "choose a longer longest estimate",
            )
        while enough + 1 < len(left) and runs[job] <= left[enough + 1]:
            enough += 1
        drawn = source.randrange(rank, max(enough, rank) + 1)
        given[job], left[drawn] = left[drawn], left[rank]
    return given
