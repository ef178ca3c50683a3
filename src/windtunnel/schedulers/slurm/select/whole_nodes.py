"""select/linear: where a job starts, now or in a future, each node its own (§5.5)."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.linear import has_mate, jobs_beside, linear_cpus, linear_pick, linear_usable
from windtunnel.schedulers.slurm.select.linear_tree import pick_below_switches
from windtunnel.schedulers.slurm.select.switches import SwitchTree

__all__ = ["WholeNodes"]


@mypyc_attr(allow_interpreted_subclasses=True)
class WholeNodes:
    """Picks whole nodes on one cluster; ``memory``: whether memory is counted."""

    def __init__(self, cluster: Cluster, memory: bool, tree: SwitchTree | None) -> None:
        self.cluster = cluster
        self.memory = memory
        self.tree = tree

    def now(self, record: Record, among: int, held: Occupancy, by_switches: bool) -> Picked | None:
        """Where a job starts now: on the lightest nodes that suffice, each sort of nodes added for itself.

        Where jobs may share, all sorts of a weight are added together; as few jobs as can be are on a node, and a job
        is put on just the nodes of another rather than beside several.
        """
        demand = record.demand
        most = jobs_beside(record)
        apart = not most and self.tree is None and not self.cluster.site.preempt.type
        groups = self.cluster.by_sort if apart else self.cluster.by_weight
        here = [group & among for group in groups if group & among]
        together = 0
        for place, inside in enumerate(here, 1):
            together |= inside
            if together.bit_count() < max(demand.min_nodes, demand.requested_nodes) and place < len(here):
                continue
            for beside in range(most + 1):
                nodes = linear_usable(self.cluster, record, together, held, self.memory, beside)
                mate = has_mate(record, nodes, held) if beside and len(nodes) >= demand.min_nodes else 0
                if mate:
                    return Picked(mate, {node: self.cluster.cpus[node] for node in bits(mate)})
                placed = self.pick(record, nodes, record.job.named, by_switches)
                if placed is not None:
                    return placed
        return None

    def pick(self, record: Record, nodes: list[int], required: int, by_switches: bool) -> Picked | None:
        """The nodes that a job would have of some, the required ones among them."""
        if required & ~mask_of(nodes):
            return None
        if self.tree is not None and by_switches:
            demand = record.demand
            cpus = {node: linear_cpus(self.cluster, demand, node) for node in nodes}
            picked = pick_below_switches(self.tree, demand, cpus, required)
        else:
            picked = linear_pick(self.cluster, record, nodes, required)
        if picked is None:
            return None
        return Picked(picked, {node: self.cluster.cpus[node] for node in bits(picked)})
