"""Why a job waited: what the site did between its submission and its start, from what was recorded."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from math import inf
from typing import Any, Final

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.model import HostSet
from windtunnel.results.damaged_files import of_runs
from windtunnel.results.explanation import Explanation, Holder, Overtaker, Period, SizeChange
from windtunnel.results.resizes_csv import sized
from windtunnel.results.run import Run
from windtunnel.results.sleeping import sleeping

__all__ = ["explain"]

_NEEDED: Final = ("submission_time", "requested_number_of_resources", "final_state")


@of_runs
def explain(run: Run, job: str) -> Explanation:
    """Explain the waiting of a job, named by its full id (``w0!42``) or, where that is unique, without workload.

    Raises:
        UsageError: there is no such job in the record, or several.
    """
    row = _find(run, str(job))
    job_id, submitted = row["id"], row["submission_time"]
    start = row["starting_time"]
    # A job without start was rejected, at a date that is not recorded.
    until = submitted if start is None else start
    if missing := [name for name in _NEEDED if row[name] is None]:
        raise ValueError(f"job {job_id!r} has no {missing[0]}")
    if not until >= submitted:
        raise ValueError(f"job {job_id!r} starts before it is submitted")
    others = _Others(run, job_id)
    changes = list(_changes(run))
    away, asleep = list(_away(run)), list(sleeping(run))
    return Explanation(
        job=job_id,
        state=row["final_state"],
        submitted=submitted,
        start=start,
        reason=row["metadata"] or "",
        until=until,
        requested=row["requested_number_of_resources"],
        site=run.hosts,
        periods=list(_periods(run, others, [*away, *asleep], submitted, until)),
        holders=others.holders(submitted, until),
        overtakers=others.overtakers(submitted, until),
        ahead=others.waiting(submitted, submitted),
        changes=[one for one in changes if one.job != job_id and submitted <= one.date <= until],
        own_changes=[one for one in changes if one.job == job_id],
        unavailable=_between(away, submitted, until),
        asleep=_between(asleep, submitted, until),
    )


def _changes(run: Run) -> list[SizeChange]:
    """All changes of sizes, by date."""
    found = [
        SizeChange(one.job, one.start, one.size - one.change, one.size)
        for one in sized(run.file("resizes.csv"))
        if one.change is not None
    ]
    return sorted(found, key=lambda one: (one.date, one.job))


def _find(run: Run, job: str) -> dict[str, Any]:
    import polars as pl

    found = run.jobs.filter((pl.col("id") == job) | (pl.col("job_id") == job))
    if found.height == 0:
        hint = "jobs that were not over when the run stopped have no row"
        if run.complete:
            hint = did_you_mean(job, run.jobs["id"].head(10_000)) if run.jobs.height else "the run has no jobs"
            some = f"ids are such as {run.jobs['id'][0]}" if run.jobs.height else ""
            hint = hint or f"{some}; without one, the jobs that waited longest are listed"
        raise UsageError(f"{run.name} has no row for job {job!r}", hint)
    if found.height > 1:
        raise UsageError(f"several jobs are called {job!r}: {', '.join(found['id'])}", "name it with its workload")
    return found.row(0, named=True)


class _Others:
    """All other jobs of the record, sorted for questions about a time of waiting."""

    def __init__(self, run: Run, job_id: str) -> None:
        columns = ("id", "submission_time", "starting_time", "requested_number_of_resources", "finish_time")
        rows = [row for row in run.jobs.select(columns).iter_rows() if row[0] != job_id]
        self.rows: list[tuple[str, float, float | None, int, float | None]] = rows
        self.stretches = [s for s in run.stretches() if s.job != job_id]

    def holders(self, submitted: float, until: float) -> list[Holder]:
        """Jobs on hosts in between, the greatest part first."""
        found = []
        for s in self.stretches:
            overlap = min(s.finish, until) - max(s.start, submitted)
            if overlap > 0:
                found.append(Holder(s.job, s.start, s.finish, str(s.hosts), overlap * len(s.hosts)))
        return sorted(found, key=lambda h: (-h.host_seconds, h.start, h.job))

    def overtakers(self, submitted: float, until: float) -> list[Overtaker]:
        """Jobs submitted later that started before the end of the waiting."""
        found = [
            Overtaker(job, date, start, finish or start, hosts)
            for job, date, start, hosts, finish in self.rows
            if date > submitted and start is not None and start < until
        ]
        return sorted(found, key=lambda o: (o.start, o.job))

    def waiting(self, submitted: float, now: float) -> int:
        """Jobs submitted before a job that still wait at a date."""
        return sum(1 for _, date, start, _, _ in self.rows if date < submitted and start is not None and start > now)


_Absence = tuple[float, float, HostSet]
"""Hosts that can run nothing, from when until when (s)."""


def _between(absences: list[_Absence], submitted: float, until: float) -> float:
    """Host-seconds of absences in a time."""
    return sum(max(0.0, min(back, until) - max(since, submitted)) * len(hosts) for since, back, hosts in absences)


def _periods(
    run: Run, others: _Others, absences: list[_Absence], submitted: float, until: float
) -> Iterator[Period]:
    """The time of waiting, cut where the free hosts change. A host may be shared: it is free when nobody holds it."""
    changes: dict[float, list[tuple[HostSet, int]]] = {submitted: []}
    held: dict[int, int] = defaultdict(int)
    for s in others.stretches:
        if s.start < until and s.finish > submitted:
            changes.setdefault(max(s.start, submitted), []).append((s.hosts, 1))
            changes.setdefault(s.finish, []).append((s.hosts, -1))
    for since, back, hosts in absences:
        if since < until and back > submitted:
            changes.setdefault(max(since, submitted), []).append((hosts, 1))
            changes.setdefault(back, []).append((hosts, -1))
    ahead = sorted(
        start for _, date, start, _, _ in others.rows if date < submitted and start is not None and start > submitted
    )
    free = run.hosts
    dates = sorted(date for date in changes if date < until)
    for date, following in pairwise([*dates, until]):
        for hosts, sign in changes[date]:
            for host in hosts:
                before, held[host] = held[host], held[host] + sign
                free += (before > 0) - (held[host] > 0)
        yield Period(date, following, free, len(ahead) - bisect_right(ahead, date))


def _away(run: Run) -> Iterator[_Absence]:
    """Intervals in which hosts were not available."""
    for (since, hosts), (until, _) in pairwise([*run.unavailable(), (inf, HostSet())]):
        if hosts:
            yield since, until, hosts
