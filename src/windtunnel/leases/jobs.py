"""Jobs as leases, and platforms as sites of leases: how the lease manager and the rest of Windtunnel meet.

A host of the platform stands for a node: 100 percent of CPU are one core. A job stands for a lease.
"""

from math import isinf

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.model import Job, Platform
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseSite, NodeSet
from windtunnel.model.lease_jobs import lease_in
from windtunnel.model.lease_platform import MEGABYTE

__all__ = ["lease_of", "site_of"]


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


def lease_of(job: Job, site: LeaseSite) -> Lease:
    """The lease a job stands for: the one in its extra data, or a best-effort lease of whole hosts, without number.

    Raises:
        UsageError: the job is no lease, and has no walltime, or hosts differ so that "whole hosts" says nothing.
    """
    try:
        lease = lease_in(job)
    except msgspec.DecodeError as error:
        raise UsageError(f"job {job.id}: its extra data hold no lease: {error}") from error
    if lease is not None:
        return lease
    if isinf(job.walltime) or job.walltime <= 0:
        raise UsageError(
            f"job {job.id} has no walltime: leases need a duration", "give it one, or run without leases"
        )
    if len({group.amounts.get(CPU) for group in site.nodes}) > 1:
        raise UsageError(f"job {job.id} asks for whole hosts, but the hosts of this site differ in CPU")
    whole = NodeSet(job.request.hosts, {CPU: site.nodes[0].amounts[CPU]})
    return Lease(nodes=(whole,), duration=job.walltime)
