"""How evenly a run treats jobs and users. The formulas are in docs/reference/metrics.md.

The fair start follows G. Sabin, G. Kochhar, P. Sadayappan: Job fairness in non-preemptive job scheduling. ICPP 2004,
whose idea of fairness is that no job is delayed by one that arrives later. Which schedule it is measured by is ours:
first come, first served, from what ran and waited when the job arrived.
"""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from windtunnel.diagnostics import show_duration
from windtunnel.results.columns import STATES, Columns
from windtunnel.results.distribution import Distribution, distribution
from windtunnel.results.job_rows import SHORTEST
from windtunnel.results.quantity import BOUND

if TYPE_CHECKING:
    from windtunnel.results.run import Run

__all__ = ["Fairness", "UserStretch", "fair_starts", "fairness", "fairness_of", "gini", "jain"]


class UserStretch(msgspec.Struct, frozen=True):
    """The jobs of one user that ran."""

    jobs: int
    mean_bounded_slowdown: float
    max_bounded_slowdown: float
    mean_unfair_delay: float
    """Seconds behind the fair start, on average."""


class Fairness(msgspec.Struct, frozen=True, kw_only=True):
    """How evenly jobs and users were treated."""

    jobs: int
    """Jobs that ran."""
    gini: float
    """Of the bounded slowdowns of jobs: 0 when all are equal, towards 1 when few jobs have it all."""
    jain: float
    """Jain's index of the same: 1 when all are equal, 1/n when one of n has it all."""
    users_gini: float
    """The same of the mean bounded slowdowns of users."""
    users_jain: float
    unfairly_delayed: float
    """The share of jobs that started after their fair start."""
    unfair_delay: Distribution
    """Seconds behind the fair start; 0 for jobs that started no later."""
    users: dict[str, UserStretch] = {}

    def table(self) -> list[tuple[str, str]]:
        """Rows (name, value with unit) for people."""
        delay = self.unfair_delay
        rows = [
            ("bounded slowdown of jobs, Gini / Jain", f"{self.gini:.3f} / {self.jain:.3f}"),
            ("  of users", f"{self.users_gini:.3f} / {self.users_jain:.3f}"),
            ("started after the fair start", f"{self.unfairly_delayed:.2%} of jobs"),
            ("  behind it, mean / max", f"{show_duration(delay.mean)} / {show_duration(delay.max)}"),
        ]
        for name, user in self.users.items():
            stretch = f"{user.mean_bounded_slowdown:,.2f} / {user.max_bounded_slowdown:,.2f}"
            rows.append((f"{name or '(no user)'}: bounded slowdown, mean / max", stretch))
        return rows

    def __str__(self) -> str:
        rows = self.table()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def gini(values: Iterable[float]) -> float:
    """Gini's coefficient of numbers that are not negative; 0 if there is none, or all are 0."""
    ordered = sorted(values)
    total, count = fsum(ordered), len(ordered)
    if not total:
        return 0.0
    return max(
        0.0, 2 * fsum(rank * one for rank, one in enumerate(ordered, 1)) / (count * total) - (count + 1) / count
    )


def jain(values: Sequence[float]) -> float:
    """Jain's index of numbers that are not negative; 1 if there is none, or all are 0."""
    squares = len(values) * fsum(one * one for one in values)
    return min(1.0, fsum(values) ** 2 / squares) if squares else 1.0


class _Job(NamedTuple):
    """What is known of a job; times in seconds."""

    submitted: float
    start: float
    finish: float
    hosts: float
    user: str


def _by_arrival(job: _Job) -> tuple[float, float, float]:
    """Those that arrive together by their starts, so that none of them counts as later.

    Of those that start together, too, the largest goes first: where any of them had to wait, it had to.
    """
    return job.submitted, job.start, -job.hosts


def fair_starts(jobs: Sequence[_Job], hosts: float) -> Iterator[tuple[_Job, float]]:
    """Each job, by arrival, with the time (s) at which it would start if no job were submitted after it.

    What runs when it arrives continues to its end; waiting jobs start in order of arrival, none overtakes. Run
    times are those that jobs turned out to have. Suspensions and changes of size are not followed: a job holds its
    hosts from its start to its end.
    """
    waiting: list[_Job] = []
    running: list[tuple[float, float]] = []
    for job in jobs:
        now = job.submitted
        for one in waiting:
            if one.start < now:
                heappush(running, (one.finish, one.hosts))
        waiting = [one for one in waiting if one.start >= now]
        while running and running[0][0] <= now:
            heappop(running)
        waiting.append(job)
        yield job, _last_start(waiting, running, hosts, now)


def _last_start(waiting: Sequence[_Job], running: Sequence[tuple[float, float]], hosts: float, now: float) -> float:
    """When the last of those that wait starts, first come, first served."""
    ends = list(running)
    heapify(ends)
    free = hosts - fsum(held for _, held in ends)
    for one in waiting:
        while ends and free < one.hosts:
            end, held = heappop(ends)
            now = max(now, end)
            free += held
        heappush(ends, (now + (one.finish - one.start), one.hosts))
        free -= one.hosts
    return now


def fairness_of(columns: Columns) -> Fairness:
    """The fairness of a run, from its jobs."""
    ran = columns.ran()
    rows = zip(ran.submitted, ran.start, ran.finish, ran.used, ran.codes, strict=True)
    jobs = [
        _Job(submitted, start, finish, float(used), ran.owners[code // STATES][0])
        for submitted, start, finish, used, code in rows
    ]
    jobs.sort(key=_by_arrival)
    slowdowns: dict[str, list[float]] = {}
    delays: dict[str, list[float]] = {}
    for job, fair in fair_starts(jobs, columns.hosts):
        turnaround = job.start - job.submitted + ((job.finish - job.start) or SHORTEST)
        slowdowns.setdefault(job.user, []).append(max(1.0, turnaround / max(job.finish - job.start, BOUND)))
        late = job.start - fair
        delays.setdefault(job.user, []).append(late if late > SHORTEST else 0.0)
    every = [one for values in slowdowns.values() for one in values]
    late_by = [one for values in delays.values() for one in values]
    means = [fsum(values) / len(values) for values in slowdowns.values()]
    return Fairness(
        jobs=len(jobs),
        gini=gini(every),
        jain=jain(every),
        users_gini=gini(means),
        users_jain=jain(means),
        unfairly_delayed=sum(one > 0 for one in late_by) / len(late_by) if late_by else 0.0,
        unfair_delay=distribution(late_by),
        users={
            user: UserStretch(
                jobs=len(values),
                mean_bounded_slowdown=fsum(values) / len(values),
                max_bounded_slowdown=max(values),
                mean_unfair_delay=fsum(delays[user]) / len(values),
            )
            for user, values in sorted(slowdowns.items())
            if user or len(slowdowns) > 1
        },
    )


def fairness(run: "Run") -> Fairness:
    """The fairness of a run that was recorded."""
    from windtunnel.results.file_columns import columns_of

    return fairness_of(columns_of(run.jobs, run.hosts, (), ()))
