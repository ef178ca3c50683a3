"""Leases as jobs, and sites of leases as platforms: how the lease manager and the rest of Windtunnel meet.

A host of the platform stands for a node: 100 percent of CPU are one core. A job stands for a lease.
"""

from collections.abc import Iterable, Mapping
from math import isinf

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.leases.reservations import TICKS, VirtualMachines, bits
from windtunnel.leases.space import ResourceSpace, Vector
from windtunnel.model import Host, HostSet, Job, Platform
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseSite, LeaseWorkload, NodeSet
from windtunnel.model.lease_jobs import LeaseJobs, job_of_lease, lease_in

__all__ = ["WORKLOAD", "allocation", "job_of", "lease_of", "platform_of", "site_of", "workload_of"]

WORKLOAD = "leases"
"""The part of the job ids before ``!``."""
MEGABYTE = 10**6


def platform_of(site: LeaseSite, name: str = "leases") -> Platform:
    """A platform with one host per node of a site, and no network."""
    hosts: list[Host] = []
    for group in site.nodes:
        further = {kind: group.total(kind) for kind in group.amounts if kind not in {CPU, MEMORY}}
        resources = {"memory": float(group.total(MEMORY) * MEGABYTE), **{k: float(v) for k, v in further.items()}}
        cores = max(1, round(group.total(CPU) / 100))
        for _ in range(group.count):
            hosts.append(Host(id=len(hosts), name=f"node{len(hosts) + 1}", cores=cores, resources=resources))
    return Platform(name=name, hosts=tuple(hosts), site=site)


def site_of(platform: Platform) -> LeaseSite:
    """The site a platform was made from, or one that has its cores (as CPU) and memory (MB; plenty if not said)."""
    if isinstance(platform.site, LeaseSite):
        return platform.site
    groups: list[NodeSet] = []
    for host in platform.hosts:
        memory = host.resources.get("memory")
        amount = 1 << 40 if memory is None else int(memory // MEGABYTE)
        amounts = {CPU: (100 * host.cores,), MEMORY: (amount,)}
        if groups and groups[-1].amounts == amounts:
            groups[-1] = NodeSet(groups[-1].count + 1, amounts)
        else:
            groups.append(NodeSet(1, amounts))
    return LeaseSite((CPU, MEMORY), tuple(groups))


def job_of(lease: Lease) -> Job:
    """A lease as a job that lasts as long as the lease really runs."""
    return job_of_lease(lease, WORKLOAD)


def workload_of(work: LeaseWorkload, path: str = "") -> LeaseJobs:
    """A workload of leases as a workload of jobs."""
    return LeaseJobs(work.leases, WORKLOAD, hosts=0 if work.site is None else work.site.numnodes, path=path)


def lease_of(job: Job, number: int, submit: float, site: LeaseSite) -> Lease:
    """The lease a job stands for: the one in its extra data, or a best-effort lease of whole hosts.

    ``number`` is the id of the lease, ``submit`` (s) its submission as announced. How long it will really run is not
    taken over: a scheduler does not know.

    Raises:
        UsageError: the job is no lease, and has no walltime, or hosts differ so that "whole hosts" says nothing.
    """
    try:
        lease = lease_in(job)
    except msgspec.DecodeError as error:
        raise UsageError(f"job {job.id}: its extra data hold no lease: {error}") from error
    if lease is not None:
        return msgspec.structs.replace(lease, id=number, submit=submit, real_duration=None)
    if isinf(job.walltime) or job.walltime <= 0:
        raise UsageError(
            f"job {job.id} has no walltime: leases need a duration", "give it one, or run without leases"
        )
    if len({group.amounts.get(CPU) for group in site.nodes}) > 1:
        raise UsageError(f"job {job.id} asks for whole hosts, but the hosts of this site differ in CPU")
    whole = NodeSet(job.request.hosts, {CPU: site.nodes[0].amounts[CPU]})
    return Lease(id=number, submit=submit, nodes=(whole,), duration=job.walltime)


def allocation(
    vm: VirtualMachines, space: ResourceSpace, capacities: Mapping[int, Vector]
) -> tuple[HostSet, dict[int, dict[str, float]] | None]:
    """The hosts of machines and, where they do not take all the CPU of each of them, the cores they take."""
    taken = {bit: space.cpu(amount) for amount, nodes in vm.parts for bit in bits(nodes)}
    hosts = HostSet(taken)
    if all(cpu >= space.cpu(capacities[bit]) for bit, cpu in taken.items()):
        return hosts, None
    return hosts, {bit: {"cores": cpu / 100} for bit, cpu in taken.items()}


def capacities_of(site: LeaseSite, space: ResourceSpace) -> dict[int, Vector]:
    """The capacity of each node, by bit."""
    found: dict[int, Vector] = {}
    for group in site.nodes:
        capacity = space.capacity(group.amounts)
        found |= dict.fromkeys(range(len(found), len(found) + group.count), capacity)
    return found


def seconds(ticks: int | None) -> float | None:
    """Ticks as seconds."""
    return None if ticks is None else ticks / TICKS


def hosts_text(bits_of: Iterable[int]) -> str:
    """Nodes by their numbers from 1, as ranges: ``1-4 7``."""
    return str(HostSet(bit + 1 for bit in bits_of))
