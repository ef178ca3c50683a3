"""Jobs as leases, and platforms as sites of leases: how the lease manager meets the rest of Windtunnel.

A host of the platform stands for a node: 100 percent of CPU are one core. A job stands for a lease.
"""

from math import isinf
from typing import Final

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.leases.planner.ticks import TICKS
from windtunnel.model import Job, Platform
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseSite, NodeSet
from windtunnel.model.lease_jobs import lease_in
from windtunnel.model.lease_platform import kinds_of

__all__ = ["lease_of", "site_of"]

PLENTY: Final = 1 << 40
"""More memory (MB) than any lease asks for."""


def site_of(platform: Platform) -> LeaseSite:
    """The site a platform was made from, or one that has its cores (as CPU), its memory (plenty where it says
    nothing of it), and whatever else its hosts have.
    """
    if isinstance(platform.site, LeaseSite):
        return platform.site
    groups: list[NodeSet] = []
    for host in platform.hosts:
        amounts = {CPU: (100 * host.cores,), MEMORY: (PLENTY,)}
        amounts |= {kind: (amount,) for kind, amount in kinds_of(host.resources).items()}
        if groups and groups[-1].amounts == amounts:
            groups[-1] = NodeSet(groups[-1].count + 1, amounts)
        else:
            groups.append(NodeSet(1, amounts))
    kinds = dict.fromkeys([CPU, MEMORY, *(kind for group in groups for kind in group.amounts)])
    return LeaseSite(tuple(kinds), tuple(groups))


def lease_of(job: Job, site: LeaseSite) -> Lease:
    """The lease a job stands for: the one in its extra data, or a best-effort lease of whole hosts, without number.

    Raises:
        UsageError: the job is not a lease, and has no walltime, or hosts differ so that "whole hosts" says nothing.
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
    return Lease(nodes=(whole,), duration=max(job.walltime, 1 / TICKS))  # in no time it would hold its hosts for none
