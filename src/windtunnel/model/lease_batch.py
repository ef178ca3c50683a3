"""Leases for schedulers that do not know leases (decisions.md 32), and what leases ask for."""

from collections.abc import Iterable, Sequence
from math import inf, nextafter

import msgspec

from windtunnel.diagnostics import Finding
from windtunnel.model.asks import Ask, Asks, ability_of_amount
from windtunnel.model.job import Job, Request
from windtunnel.model.lease import CPU, Lease, LeaseKind, LeaseWorkload, NodeSet
from windtunnel.model.lease_jobs import LeaseJobs, job_of_lease
from windtunnel.model.lease_platform import amounts_of
from windtunnel.model.profiles import DelayProfile
from windtunnel.model.workload import JobList

__all__ = ["BatchLeases", "as_batch", "asks_of", "asks_of_leases", "batch_job_of_lease"]


class BatchLeases(JobList):
    """Leases as jobs for schedulers that do not know leases."""

    warnings: tuple[Finding, ...] = ()
    work: LeaseWorkload | None = None
    """The workload of leases that it was made from."""

    def __init__(self, leases: Sequence[Lease], name: str, *, hosts: int = 0, path: str = "") -> None:
        jobs = [batch_job_of_lease(lease, name) for lease in leases]
        super().__init__(name, jobs, {job.profile.id: job.profile for job in jobs}, hosts=hosts, path=path)
        self.asks = asks_of_leases(leases, name)
        self.lost = [f"{ask.count} {ask.reason}" for ask in self.asks if "of each host" not in ask.reason]
        """What these jobs do not say, in words."""


def as_batch(work: LeaseJobs) -> BatchLeases:
    """A workload of leases for schedulers that do not know leases."""
    made = BatchLeases([*work.leases.values()], work.name, hosts=work.hosts, path=work.path)
    made.warnings, made.work = work.warnings, work.work
    return made


def asks_of(work: LeaseJobs) -> tuple[Ask, ...]:
    """What a workload of leases asks of a scheduler."""
    return asks_of_leases(work.leases.values(), work.name)


def batch_job_of_lease(lease: Lease, name: str) -> Job:
    """A lease as a batch job.

    Its duration is the walltime, an exact start the earliest, and what its nodes have are amounts of each host (of
    nodes that differ, the most).
    """
    job = job_of_lease(lease, name)
    delay = job.profile.delay if isinstance(job.profile, DelayProfile) else inf
    start = lease.start if isinstance(lease.start, int | float) else 0.0
    return msgspec.structs.replace(
        job,
        request=Request(hosts=lease.numnodes, amounts=_amounts(lease.nodes)),
        submission_time=float(max(job.submission_time, start)),
        # A job that lasts exactly as long as its walltime counts as killed: put the limit just behind its end.
        walltime=float(lease.duration) if lease.duration > delay else nextafter(delay, inf),
    )


def _amounts(groups: Sequence[NodeSet]) -> tuple[tuple[str, float], ...]:
    most: dict[str, float] = {}
    for group in groups:
        for name, amount in {"cores": group.total(CPU) / 100, **amounts_of(group)}.items():
            most[name] = max(most.get(name, 0.0), amount)
    return tuple((name, amount) for name, amount in most.items() if amount)


def asks_of_leases(leases: Iterable[Lease], name: str) -> tuple[Ask, ...]:
    """What leases ask of a scheduler."""
    asks = Asks()
    for lease in leases:
        place = f"{name}!{lease.id}"
        kind = lease.kind
        if kind in {LeaseKind.RESERVATION, LeaseKind.DEADLINE}:
            asks.note("exact starts", "leases start at a given time, jobs then or later", place)
        elif kind is LeaseKind.IMMEDIATE:
            asks.note("exact starts", "leases start at once or never, as jobs they may wait", place)
        if kind is LeaseKind.DEADLINE:
            asks.note("deadlines", "leases have a deadline", place)
        if lease.preemptible:
            asks.note("preemptability", "leases may be preempted", place)
        if lease.software is not None:
            asks.note("disk images", "leases need a disk image", place)
        if len(lease.nodes) > 1:
            asks.note("other resources", "leases have nodes that differ, as jobs all like the largest", place)
        for resource, _ in _amounts(lease.nodes):
            reason = f"leases ask for {resource} of each host"
            asks.note(ability_of_amount(resource), reason, place, resource=resource)
    return asks.found()
