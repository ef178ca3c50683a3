"""select/linear with topology/tree: the lowest switch that suffices, and its leaves with the fewest CPUs (§5.6)."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of
from windtunnel.schedulers.slurm.select.switches import SwitchTree

__all__ = ["pick_below_switches"]


def pick_below_switches(tree: SwitchTree, demand: Demand, cpus: dict[int, int], named: int) -> int | None:
    """Pick whole nodes from those usable, with their CPUs; None when they do not suffice."""
    reach = _lowest(tree, demand, cpus, named)
    if reach is None or named.bit_count() > demand.max_nodes:
        return None
    pick = _Pick(demand, cpus, named)
    leaves = [leaf.nodes & mask_of(cpus) for leaf in tree.leaves]
    leaves = [leaf for leaf in leaves if leaf and not leaf & ~reach]
    for leaf in leaves:
        if leaf & named:
            pick.take(leaf)
    left = [leaf for leaf in leaves if not leaf & named]
    while left and not pick.done:
        leaf = min(left, key=pick.cpus_of)
        left.remove(leaf)
        pick.take(leaf)
    return pick.nodes if pick.enough else None


def _lowest(tree: SwitchTree, demand: Demand, cpus: dict[int, int], named: int) -> int | None:
    """The usable nodes below the lowest switch that has enough, of equal ones that with the fewest nodes."""
    usable = mask_of(cpus)
    found: tuple[int, int, int] | None = None
    for switch in tree.switches:
        inside = switch.nodes & usable
        count = 0 if named & ~inside else inside.bit_count()
        if count < demand.min_nodes or sum(cpus[node] for node in bits(inside)) < demand.cpus:
            continue
        if found is None or (switch.level, count) < found[:2]:
            found = (switch.level, count, inside)
    return None if found is None else found[2]


@mypyc_attr(allow_interpreted_subclasses=True)
class _Pick:
    """The nodes taken, and what is needed still."""

    def __init__(self, demand: Demand, cpus: dict[int, int], named: int) -> None:
        self._least, self._most = demand.min_nodes, demand.max_nodes
        self._wanted = max(demand.min_nodes, demand.requested_nodes)
        self._cpus = cpus
        self.nodes = named
        self._lacking = demand.cpus - self.cpus_of(named)

    @property
    def done(self) -> bool:
        """Whether nothing more is taken: enough nodes and CPUs, or one node too many."""
        count = self.nodes.bit_count()
        return count > self._most or (count >= self._wanted and self._lacking <= 0)

    @property
    def enough(self) -> bool:
        """Whether what was taken does."""
        return self._least <= self.nodes.bit_count() <= self._most and self._lacking <= 0

    def cpus_of(self, nodes: int) -> int:
        """The CPUs of some usable nodes."""
        return sum(self._cpus[node] for node in bits(nodes))

    def take(self, leaf: int) -> None:
        """The nodes of a leaf in their order, as far as they are needed."""
        for node in bits(leaf & ~self.nodes):
            if self.done:
                return
            self.nodes |= 1 << node
            self._lacking -= self._cpus[node]
