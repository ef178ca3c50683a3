"""Why a job waited: what the site did between its submission and its start, from what was recorded."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from math import inf
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import UsageError, did_you_mean, show_seconds
from windtunnel.model import HostSet
from windtunnel.results.damaged_files import of_runs
from windtunnel.results.resizes_csv import sized
from windtunnel.results.run import Run
from windtunnel.results.sleeping import sleeping

__all__ = ["Explanation", "Holder", "Overtaker", "Period", "SizeChange", "explain"]

_SHOWN: Final = 8
"""How many rows of each kind the text shows."""


class Holder(msgspec.Struct, frozen=True):
    """A job that held hosts while the job waited. ``host_seconds`` counts the time of waiting only."""

    job: str
    start: float
    finish: float
    hosts: str
    host_seconds: float


class Overtaker(msgspec.Struct, frozen=True):
    """A job submitted later that started earlier."""

    job: str
    submitted: float
    start: float
    finish: float
    hosts: int


class SizeChange(msgspec.Struct, frozen=True):
    """A running job got other hosts. The date in s, sizes in hosts."""

    job: str
    date: float
    before: int
    after: int


class Period(msgspec.Struct, frozen=True):
    """A part of the time of waiting in which as many hosts were free. Dates in s."""

    start: float
    finish: float
    free: int
    """Hosts that no job held, and that were available and awake."""
    ahead: int
    """Jobs submitted earlier that waited too."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a job waited, as far as starts and ends tell."""

    job: str
    state: str
    submitted: float
    start: float | None
    """None when it was rejected."""
    reason: str
    """What the record says of it: of a rejected job why."""
    until: float
    requested: int
    site: int
    """Hosts of the site."""
    periods: list[Period]
    holders: list[Holder]
    """Those that took most of the time of waiting first."""
    overtakers: list[Overtaker]
    """In the order of their starts."""
    ahead: int
    """Jobs that waited already when it was submitted."""
    changes: list[SizeChange] = []
    """Changes of the size of other jobs while it waited."""
    own_changes: list[SizeChange] = []
    """Of its own size, while it ran."""
    unavailable: float = 0.0
    """Host-seconds of hosts that were not available while it waited (failures, maintenance)."""
    asleep: float = 0.0
    """Host-seconds of hosts that slept, or were being switched on or off, while it waited."""

    @property
    def waited(self) -> float:
        """Seconds."""
        return self.until - self.submitted

    @property
    def enough_free(self) -> list[Period]:
        """Periods in which as many hosts were free as it asked for, and it did not start."""
        return [p for p in self.periods if p.free >= self.requested]

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def _lines(e: Explanation) -> Iterator[str]:
    fate = "rejected" if e.start is None else f"started at {e.start:,.2f} s"
    yield f"{e.job} ({e.state}): asked for {e.requested} of {e.site} hosts at {e.submitted:,.2f} s, {fate}"
    if e.start is None and e.reason:
        yield f"  why: {e.reason}"
    if e.start is not None and e.reason:
        yield f"  the scheduler says: {e.reason}"
    if e.requested > e.site:
        yield f"  it can never start: the site has {e.site} hosts only"
    if e.waited:
        yield from _of_waiting(e)
    else:
        yield "  it did not wait"
    if e.own_changes:
        steps = ", ".join(f"{one.after} at {one.date:,.2f} s" for one in e.own_changes[:_SHOWN])
        yield f"  it changed its hosts {len(e.own_changes)} times: {e.own_changes[0].before} hosts at first, {steps}"


def _of_waiting(e: Explanation) -> Iterator[str]:
    least = min(p.free for p in e.periods)
    most = max(p.free for p in e.periods)
    yield f"  waited {show_seconds(e.waited)}; jobs waiting already: {e.ahead}; hosts free: {least} to {most}"
    enough = sum(p.finish - p.start for p in e.enough_free)
    if enough:
        first = e.enough_free[0]
        yield (
            f"  enough hosts were free for {show_seconds(enough)} of it, first at {first.start:,.2f} s "
            f"({first.free} free, jobs ahead: {first.ahead}): there the scheduler's rules kept it waiting, "
            "not a lack of hosts"
        )
    else:
        yield "  at no time were enough hosts free"
    if e.holders:
        yield f"  hosts were held by {_jobs(len(e.holders))}, most by:"
        for h in e.holders[:_SHOWN]:
            during = f"{h.start:,.2f} to {h.finish:,.2f} s"
            yield f"    {h.job} on {h.hosts}, {during} ({h.host_seconds:,.0f} host-seconds)"
    if e.asleep:
        yield f"  hosts slept or were being switched meanwhile ({e.asleep:,.0f} host-seconds)"
    if e.unavailable:
        yield f"  hosts were not available meanwhile ({e.unavailable:,.0f} host-seconds)"
    if e.overtakers:
        yield f"  {_jobs(len(e.overtakers))} submitted later started earlier:"
        for o in e.overtakers[:_SHOWN]:
            during = f"{o.start:,.2f} to {o.finish:,.2f} s"
            many = "1 host" if o.hosts == 1 else f"{o.hosts} hosts"
            yield f"    {o.job}: {many}, submitted {o.submitted:,.2f}, ran {during}"
        if len(e.overtakers) > _SHOWN:
            yield f"    and {len(e.overtakers) - _SHOWN} more"
    if e.changes:
        more = [one.after - one.before for one in e.changes]
        took, gave = sum(n for n in more if n > 0), -sum(n for n in more if n < 0)
        yield f"  running jobs changed their hosts {len(more)} times: they gave {gave} back and took {took} more:"
        for one in e.changes[:_SHOWN]:
            yield f"    {one.job}: from {one.before} to {one.after} hosts at {one.date:,.2f} s"
        if len(more) > _SHOWN:
            yield f"    and {len(more) - _SHOWN} more"


def _jobs(count: int) -> str:
    return f"{count} job{'s' * (count != 1)}"


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
