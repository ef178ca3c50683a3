"""Which jobs run, and which nodes are in use, where jobs are suspended for others (§5.3, §9).

A node whose jobs are all suspended is idle to Slurm: ``bf_busy_nodes`` takes it for one of those that are not in use.
Nor does a job keep a node from others that it wants whole while it is suspended.
"""

from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import union
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy

__all__ = ["nodes_in_use", "running_ones"]


def nodes_in_use(cluster: Cluster, held: Occupancy) -> int:
    """The nodes on which a job runs."""
    return union(one.nodes for one in running_ones(cluster, held).values()) if cluster.suspends else held.used


def running_ones(cluster: Cluster, held: Occupancy) -> dict[str, Holding]:
    """The jobs that run, by id: of those that have the same cores the ones of higher tiers, in a partition the first.

    Whose turn it is after a time slice is not asked.
    """
    lists: dict[str, list[str]] = {}
    for key, one in held.holdings.items():
        lists.setdefault(one.partition, []).append(key)
    tiers = {name: cluster.partitions[name].tier for name in lists}
    above: dict[int, int] = {}
    found: dict[str, Holding] = {}
    for tier in sorted({*tiers.values()}, reverse=True):
        own: dict[str, Holding] = {}
        for name in [name for name in lists if tiers[name] == tier]:
            taken = dict(above)
            for key in sorted(lists[name], key=lambda key: held.holdings[key].order):
                one = held.holdings[key]
                if not any(taken.get(node, 0) & cores for node, cores in one.cores.items()):
                    own[key] = one
                    _take(taken, one)
        for one in own.values():
            _take(above, one)
        found.update(own)
    return found


def _take(taken: dict[int, int], one: Holding) -> None:
    for node, cores in one.cores.items():
        taken[node] = taken.get(node, 0) | cores
