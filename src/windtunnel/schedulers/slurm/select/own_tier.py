"""Where partitions of several tiers share cores: first beside jobs of other tiers alone (§5.2).

Seen in the recording tiers-apart.
"""

from collections.abc import Callable

from windtunnel.model.slurm import OverSubscribe
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.tiers import Ways
from windtunnel.schedulers.slurm.select.fit import BENEATH

__all__ = ["in_own_tier", "only_idle"]


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


def only_idle(cluster: Cluster, record: Record) -> bool:
    """Whether only idle nodes are candidates: nobody is suspended for jobs of partitions that give whole nodes."""
    if cluster.suspends and record.table.partition.over_subscribe is OverSubscribe.EXCLUSIVE:
        return True
    demand = record.demand  # where jobs make room for others nodes in use are candidates
    return demand.starts_alone and not demand.alone and not cluster.site.preempt.type
