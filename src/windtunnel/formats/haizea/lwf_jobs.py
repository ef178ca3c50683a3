"""LWF as a workload of jobs, and jobs written as LWF: conversion, and leases under any scheduler."""

import re
from collections import Counter
from math import isinf
from pathlib import Path
from typing import Final

from windtunnel.diagnostics import UsageError, counted
from windtunnel.entities.batsim_jobs import without_unknown_members
from windtunnel.formats.haizea.lwf import read_lwf
from windtunnel.formats.haizea.lwf_times import LONGEST, parse_date
from windtunnel.formats.haizea.lwf_write import write_lwf
from windtunnel.model.abilities import start_date_of
from windtunnel.model.job import Job
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseSite, LeaseWorkload, NodeSet
from windtunnel.model.lease_jobs import LeaseJobs, lease_in
from windtunnel.model.profiles import DelayProfile
from windtunnel.model.workload import Workload

__all__ = ["read_lwf_jobs", "write_lwf_jobs"]

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file can hold."""


def read_lwf_jobs(
    path: str | Path, name: str = "w0", *, document_times: bool = False, starttime: str = ""
) -> LeaseJobs:
    """Read leases as jobs, one host per virtual node; ``--scheduler leases`` sees the leases they are.

    ``starttime`` is the calendar date of the start (``2006-11-25 13:00:00``): exact starts and deadlines may be
    timestamps then.

    Raises:
        InputError: the file is at fault.
        UsageError: ``starttime`` is not a date.
    """
    try:
        start = parse_date(starttime) if starttime else None
    except ValueError as error:
        raise UsageError(f"starttime is a date such as 2006-11-25 13:00:00: {error}") from None
    work = read_lwf(path, document_times=document_times, starttime=start)
    hosts = 0 if work.site is None else work.site.numnodes
    jobs = LeaseJobs(work.leases, name, hosts=hosts, path=str(Path(path).absolute()))
    jobs.warnings = work.warnings
    jobs.work = work
    return jobs


def write_lwf_jobs(workload: Workload, path: str | Path) -> list[str]:
    """Write jobs as best-effort leases of nodes with one CPU (leases that were read as jobs, as they were).

    Returns:
        What was lost, in words.

    Raises:
        UsageError: there are jobs without an end: neither a walltime nor a profile of a known length.
    """
    if isinstance(workload, LeaseJobs) and workload.work is not None:
        write_lwf(workload.work, path)
        return []
    lost: Counter[str] = Counter()
    leases = [_lease(job, rank, lost) for rank, job in enumerate(workload, 1)]
    nodes = (NodeSet(workload.hosts, {CPU: (100,)}),)
    site = LeaseSite((CPU, MEMORY), nodes) if workload.hosts else None
    write_lwf(LeaseWorkload(name=workload.name, site=site, leases=leases), path)
    said = [*(f"{counted(count, 'job')} {what}" for what, count in lost.items()), *without_unknown_members(workload)]
    return said if start_date_of(workload) is None else [*said, "the calendar date of the start is left out"]


def _lease(job: Job, rank: int, lost: Counter[str]) -> Lease:
    found = lease_in(job)
    if found is not None:
        return found
    real = job.profile.delay if isinstance(job.profile, DelayProfile) else None
    if real is None:
        lost["whose profile is not a delay: they run as long as their walltime"] += 1
    if job.dependencies:
        lost["with dependencies: they are submitted without waiting"] += 1
    if isinf(job.walltime) and real is None:
        raise UsageError(f"job {job.id} has neither a walltime nor a delay: a lease needs a duration")
    if isinf(job.walltime):
        lost["without walltime: the lease's duration is what they run"] += 1
    duration = real if isinf(job.walltime) and real is not None else job.walltime
    lengths = (job.submission_time, duration, duration if real is None else real)
    if max(lengths) >= LONGEST:
        raise UsageError(f"job {job.id}: no time of a lease lasts {max(lengths):.3e} seconds")
    if real is not None and real >= job.walltime:
        lost["that run into their walltime: their leases end then as others do"] += 1
    if any(abs(round(length, 2) - length) > 1e-9 * length for length in lengths):
        lost["whose times are rounded to hundredths of a second"] += 1
    count = job.request.processors or job.request.hosts
    if count < 1:
        lost["without nodes: their leases have one"] += 1
    user = int(job.user) if job.user.isdecimal() and len(job.user) < 16 else None
    if job.user and user is None:
        lost["of users whose name is not a number"] += 1
    if job.group or job.queue:
        lost["in groups or queues: leases have none"] += 1
    if job.request.amounts:
        lost["taking parts of hosts: their leases take whole CPUs"] += 1
    if job.profile.return_code or job.extra_data is not None:
        lost["with a return code or extra data: leases have none"] += 1
    named = _NOT_XML.search(job.id) is None
    if not named:
        lost["whose names have characters that XML cannot hold: the names are left out"] += 1
    return Lease(
        id=rank,
        submit=job.submission_time,
        nodes=(NodeSet(max(1, count), {CPU: (100,)}),),
        duration=max(duration, 0.01),
        real_duration=real if real is not None and real < duration else None,
        user=user,
        extras={"job": job.id} if named else {},
    )
