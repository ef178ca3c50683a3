"""A partition as the core looks things up in it: its nodes as a set, and what they have."""

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import Partition, Qos, SlurmNode, SlurmSite
from windtunnel.schedulers.slurm.nodes.nodesets import mask_of

__all__ = ["PartitionTable"]


@mypyc_attr(allow_interpreted_subclasses=True)
class PartitionTable:
    """A partition with its nodes as a set."""

    __slots__ = (
        "beyond_most",
        "by_nodes",
        "cpus",
        "first",
        "mask",
        "name",
        "partition",
        "qos",
        "size",
        "tier",
        "tres",
    )

    def __init__(self, partition: Partition, site: SlurmSite, qos: Qos | None) -> None:
        self.partition = partition
        self.name = partition.name
        self.tier = partition.priority_tier
        own = None if partition.nodes is None else frozenset(partition.nodes)
        inside = [(i, node) for i, node in enumerate(site.nodes) if own is None or node.name in own]
        self.mask = mask_of(i for i, _ in inside)
        self.size = len(inside)
        self.first = inside[0][1] if inside else None
        """Its first node: what jobs may have of a node is worked out with it."""
        self.qos = qos
        most = partition.max_cpus_per_node
        self.cpus = sum(node.cpus for _, node in inside)
        if most is not None:
            self.cpus = min(self.cpus, most * len(inside))
        """The CPUs that jobs may have of it."""
        self.beyond_most = 0 if most is None else mask_of(i for i, node in inside if node.cpus > most)
        """The nodes that have more CPUs than that."""
        self.by_nodes = site.select.type == "linear"
        """Whether all jobs have whole nodes."""
        self.tres = _tres_of([node for _, node in inside], site)
        """What it has, and all licences, for they belong to nobody."""


def _tres_of(nodes: list[SlurmNode], site: SlurmSite) -> dict[str, float]:
    """TRES of a partition with some nodes."""
    found: dict[str, float] = {
        "cpu": sum(node.cpus - node.cores_reserved * node.threads_per_core for node in nodes),
        "mem": sum(node.memory for node in nodes),
        "node": len(nodes),
    }
    for node in nodes:
        for item in node.gres:
            for key in (f"gres/{item.name}", f"gres/{item.name}:{item.type}"):
                found[key] = found.get(key, 0) + item.count
    for name, count in site.licences.items():
        found[f"license/{name}"] = count
    return found
