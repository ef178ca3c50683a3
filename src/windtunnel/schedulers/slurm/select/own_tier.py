"""Where partitions of several tiers share cores: first beside jobs of other tiers alone (§5.2).

Seen in the recording tiers-apart.
"""

from collections.abc import Callable

from windtunnel.model.slurm import OverSubscribe
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.nodes.tiers import Ways
from windtunnel.schedulers.slurm.select.node_fit import BENEATH

__all__ = ["in_own_tier", "suspendable"]


def in_own_tier(select: Callable[[int], Picked | None], ways: Ways) -> Picked | None:
    """A placement on cores that no job of its tier has, and as few of lower ones as can be; ``select``: in a way.

    None: that fails even where those of all other tiers are left out of account.
    """
    found: Picked | None = None
    for place in range(len(ways.tried)):
        placed = select(BENEATH - place)
        if placed is None:
            break
        placed.row = BENEATH - place
        found = placed
    return found


def suspendable(cluster: Cluster, held: Occupancy, record: Record, nodes: int) -> int:
    """The nodes on which a job may start: idle ones, and those where jobs are suspended or make room for it.

    Partitions that give whole nodes have nobody suspended for their jobs, nor are these suspended for others.
    """
    demand, whole = record.demand, OverSubscribe.EXCLUSIVE
    alone = demand.starts_alone and not demand.alone and not cluster.site.preempt.type
    if alone or (cluster.suspends and record.table.partition.over_subscribe is whole):
        return nodes & ~held.used
    if not cluster.suspends:
        return nodes
    given = {one.name for one in cluster.site.partitions if one.over_subscribe is whole}
    used = nodes & held.used if given else 0
    for node in bits(used):
        if any(held.holdings[job].partition in given for job in held.on_node[node]):
            nodes &= ~(1 << node)
    return nodes
