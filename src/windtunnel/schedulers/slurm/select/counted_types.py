"""Generic resources of types that Slurm counts apart: gres.conf gives them a type and a count, but no files (§4.4).

That is so on nodes of one type, whose daemons were seen to know the devices without it. Where a node has several, the
daemons that were recorded told them apart, and all of it comes back.

Slurm 22.05 counts what jobs that ask for such a type on each node have of it, and never takes it back: in a test of
what will be they have it for good, as was recorded; jobs that have whole nodes have all of it. What others have that
ask for no type, or for a number in all, is not counted.
"""

from collections.abc import Mapping

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of

__all__ = ["counted_apart"]


def counted_apart(
    cluster: Cluster, demand: Demand, gres: Mapping[int, Mapping[str, int]] | None
) -> dict[int, dict[str, int]]:
    """What stays of the generic resources that a job has of each node: as many of a type as it asked for there."""
    found: dict[int, dict[str, int]] = {}
    if not gres or not cluster.counts_types:
        return found
    asks = [(ask.name, ask.type, ask.count) for ask in demand.gres if ask.type]
    for node, own in gres.items():
        if demand.exclusive:
            found[node] = {name: mine for name, mine in own.items() if cluster.counted[name] >> node & 1}
            continue
        for name, kind, count in asks:
            if cluster.counted[name] >> node & 1:
                mine = own.get(name, 0) & cluster.gres_indices(node, name, kind)
                kept = mask_of(list(bits(mine))[:count])
                here = found.setdefault(node, {})
                here[name] = here.get(name, 0) | kept
    return found
