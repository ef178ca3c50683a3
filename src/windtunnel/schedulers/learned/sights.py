"""What a policy sees of a choice: the visible jobs, and some numbers about each, all between 0 and 1."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from math import inf, log, log1p
from typing import Final, Literal, NamedTuple, Protocol

from windtunnel.model import Job
from windtunnel.vocabulary import Running

__all__ = ["FEATURES", "PADDING", "SIGHTS", "Choice", "Seen", "Sight", "ViewName", "requested"]

ViewName = Literal["windtunnel", "rlscheduler"]

_HOUR: Final = 3600.0
_LONGEST_WAIT: Final = 43_200.0
"""Waiting times are parts of this (s) in RLScheduler's view."""
_ALMOST: Final = 1 - 1e-5
_NOTHING: Final = 1e-5

FEATURES: Final[dict[str, tuple[str, ...]]] = {
    "windtunnel": (
        "waited",
        "requested time",
        "processors",
        "log of processors",
        "log of area",
        "fits now",
        "free processors",
        "time until it fits",
        "length of the queue",
        "there is a job",
    ),
    "rlscheduler": (
        *("waited", "requested time", "processors", "memory", "user", "group", "executable"),
        "fits now",
    ),
}
"""By view: what the numbers about a job are."""

PADDING: Final[dict[str, tuple[float, ...]]] = {
    "windtunnel": (0.0,) * 10,
    "rlscheduler": (0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0),
}
"""By view: what stands for a place without a job."""


class Choice(NamedTuple):
    """What there is to choose from."""

    jobs: Sequence[Job]
    """The visible jobs."""
    fits: Sequence[bool]
    """Which of them could start now."""
    rows: Sequence[tuple[float, ...]]
    """The numbers about each of them (:data:`FEATURES`)."""


class Seen(Protocol):
    """What is looked at: the state of a scheduler that lets choose."""

    window: int
    longest: float
    waiting: list[Job]
    numbers: dict[str, tuple[float, ...]]
    """What has been computed of jobs that does not change, by id."""

    @property
    def hosts(self) -> int:
        """How many hosts there are."""

    @property
    def unused(self) -> int:
        """How many of them are free."""

    def holding(self) -> list[Running]:
        """The jobs that hold hosts."""


Sight = Callable[[Seen, float], Choice]
"""From a scheduler and the date (s) to what can be chosen."""


def requested(job: Job) -> float:
    """The requested time (s): walltimes may lie a little behind it."""
    return round(job.walltime * 1e6) / 1e6 if job.walltime < 1e15 else job.walltime


def _soft(seconds: float) -> float:
    """Between 0 and 1; an hour is a half."""
    return seconds / (seconds + _HOUR) if seconds < 1e18 else 1.0


def _windtunnel(seen: Seen, now: float) -> Choice:
    """The oldest jobs, with what is free and when enough is expected to be."""
    jobs = seen.waiting[: seen.window]
    free, hosts = seen.unused, seen.hosts
    ends, frees = [now], [free]
    for running in sorted(seen.holding(), key=lambda one: (one.end, one.rank)):
        ends.append(max(running.end, now))
        frees.append(frees[-1] + running.hosts.size)
    rest = (free / hosts, len(seen.waiting) / (len(seen.waiting) + seen.window))
    rows = []
    for job in jobs:
        need = job.request.hosts
        fixed = seen.numbers.get(job.id)
        if fixed is None:
            fixed = seen.numbers[job.id] = _fixed(job, hosts, seen.longest)
        if need <= free:
            fits, until = 1.0, 0.0
        else:
            place = bisect_left(frees, need)
            fits, until = 0.0, ends[place] - now if place < len(ends) else inf
        rows.append(
            (
                _soft(now - job.submission_time),
                *fixed,
                fits,
                rest[0],
                _soft(until),
                rest[1],
                1.0,
            )
        )
    return Choice(jobs, [job.request.hosts <= free for job in jobs], rows)


def _fixed(job: Job, hosts: int, longest: float) -> tuple[float, ...]:
    """What does not change of a job: its time, size (also in logarithms) and area."""
    need, time = job.request.hosts, min(requested(job), longest)
    return (
        log1p(time) / log1p(longest),
        need / hosts,
        log(max(need, 1)) / (log(hosts) or 1.0),
        min(1.0, log1p(time * need) / log1p(longest * hosts)),
    )


def _rlscheduler(seen: Seen, now: float) -> Choice:
    """As RLScheduler (SC 2020) shows them; logs tell neither memory nor user, group and executable there: all are 1.

    Where there are more than can be seen, they come by turns from the shortest and from the smallest.
    """
    waiting = seen.waiting
    waiting.sort(key=lambda job: job.submission_time)
    jobs = waiting[: seen.window]
    if len(waiting) > seen.window:
        waiting.sort(key=lambda job: (requested(job), job.submission_time))
        shortest = list(waiting)
        waiting.sort(key=lambda job: (job.request.hosts, job.submission_time))
        by_turns = (job for pair in zip(shortest, waiting, strict=True) for job in pair)
        jobs = list({job.id: job for job in by_turns}.values())[: seen.window]
    free, hosts, longest = seen.unused, seen.hosts, seen.longest
    rows = []
    for job in jobs:
        need = job.request.hosts
        rows.append(
            (
                min((now - job.submission_time) / _LONGEST_WAIT, _ALMOST),
                min(requested(job) / longest, _ALMOST),
                min(need / hosts, _ALMOST),
                1.0,
                1.0,
                1.0,
                1.0,
                _ALMOST if need <= free else _NOTHING,
            )
        )
    return Choice(jobs, [job.request.hosts <= free for job in jobs], rows)


SIGHTS: Final[dict[str, Sight]] = {"windtunnel": _windtunnel, "rlscheduler": _rlscheduler}
"""By the name of the view."""
