"""Which nodes are in use where jobs are suspended for others (§5.3, §9).

A node whose jobs are all suspended is idle to Slurm: ``bf_busy_nodes`` takes it for one of those that are not in use.
"""

from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy

__all__ = ["nodes_in_use"]


def nodes_in_use(cluster: Cluster, held: Occupancy) -> int:
    """The nodes on which a job runs: of those that have cores of others the ones of higher tiers."""
    if not cluster.suspends:
        return held.used
    tiers: dict[int, list[Holding]] = {}
    for one in held.holdings.values():
        tiers.setdefault(cluster.partitions[one.partition].tier, []).append(one)
    taken: dict[int, int] = {}
    found = 0
    for tier in sorted(tiers, reverse=True):
        running = [one for one in tiers[tier] if not any(taken.get(node, 0) & own for node, own in one.cores.items())]
        for one in running:
            found |= one.nodes
            for node, own in one.cores.items():
                taken[node] = taken.get(node, 0) | own
    return found
