"""LWF as a workload of jobs, and jobs written as LWF: conversion, and leases under any scheduler."""

from collections import Counter
from math import isinf
from pathlib import Path

from windtunnel.diagnostics import UsageError
from windtunnel.formats.haizea.lwf import read_lwf
from windtunnel.formats.haizea.lwf_write import write_lwf
from windtunnel.model.job import Job
from windtunnel.model.lease import CPU, Lease, LeaseKind, LeaseSite, LeaseWorkload, NodeSet
from windtunnel.model.lease_jobs import LeaseJobs, lease_in
from windtunnel.model.profiles import DelayProfile
from windtunnel.model.workload import Workload

__all__ = ["read_lwf_jobs", "write_lwf_jobs"]


def read_lwf_jobs(path: str | Path, name: str = "w0", *, document_times: bool = False) -> LeaseJobs:
    """Read leases as jobs, one host per virtual node; ``--scheduler leases`` sees the leases they are.

    Raises:
        InputError: the file is at fault.
    """
    work = read_lwf(path, document_times=document_times)
    hosts = 0 if work.site is None else work.site.numnodes
    jobs = LeaseJobs(work.leases, name, hosts=hosts, path=str(Path(path).absolute()), lost=_lost(work))
    jobs.warnings = work.warnings
    return jobs


def _lost(work: LeaseWorkload) -> list[str]:
    """What batch jobs do not say of these leases."""
    kinds = Counter(lease.kind for lease in work.leases)
    counts = {
        "advance reservations are jobs that may start as soon as they are submitted": kinds[LeaseKind.RESERVATION],
        "deadline leases are jobs without start and deadline": kinds[LeaseKind.DEADLINE],
        "immediate leases are jobs that may wait": kinds[LeaseKind.IMMEDIATE],
        "leases with a disk image are jobs without": sum(lease.software is not None for lease in work.leases),
        "leases have less than a whole node (or differing nodes): their jobs have whole hosts": sum(
            len(lease.nodes) > 1 or lease.nodes[0].total(CPU) % 100 != 0 for lease in work.leases
        ),
    }
    return [f"{count} {what}" for what, count in counts.items() if count]


def write_lwf_jobs(workload: Workload, path: str | Path) -> list[str]:
    """Write jobs as best-effort leases of nodes with one CPU (leases that were read as jobs, as they were).

    Returns:
        What was lost, in words.

    Raises:
        UsageError: there are jobs without an end: neither a walltime nor a profile of a known length.
    """
    lost: Counter[str] = Counter()
    leases = [_lease(job, rank, lost) for rank, job in enumerate(workload, 1)]
    types = ("CPU", "Memory")
    nodes = (NodeSet(workload.hosts, {"CPU": (100,), "Memory": (0,)}),)
    site = LeaseSite(types, nodes) if workload.hosts else None
    write_lwf(LeaseWorkload(name=workload.name, site=site, leases=leases), path)
    return [f"{count} {what}" for what, count in lost.items()]


def _lease(job: Job, rank: int, lost: Counter[str]) -> Lease:
    found = lease_in(job)
    if found is not None:
        return found
    real = job.profile.delay if isinstance(job.profile, DelayProfile) else None
    if real is None:
        lost["jobs whose profile is not a delay: they run as long as their walltime"] += 1
    if job.dependencies:
        lost["jobs with dependencies: they are submitted without waiting"] += 1
    if isinf(job.walltime) and real is None:
        raise UsageError(f"job {job.id} has neither a walltime nor a delay: a lease needs a duration")
    if isinf(job.walltime):
        lost["jobs without walltime: the lease's duration is what they run"] += 1
    duration = real if isinf(job.walltime) and real is not None else job.walltime
    count = job.request.processors or job.request.hosts
    if count < 1:
        lost["jobs without nodes: their leases have one"] += 1
    user = int(job.user) if job.user.isdigit() else None
    if job.user and user is None:
        lost["users whose name is not a number"] += 1
    return Lease(
        id=rank,
        submit=job.submission_time,
        nodes=(NodeSet(max(1, count), {CPU: (100,)}),),
        duration=max(duration, 0.01),
        real_duration=real if real is not None and real < duration else None,
        user=user,
        extras={"job": job.id},
    )
