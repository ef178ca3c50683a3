"""Tables of what is held of each node, and what is asked about single ones (§5.2)."""

from collections.abc import Sequence

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import bits, lowest
from windtunnel.schedulers.slurm.nodes.rows import Rows

__all__ = ["OnNodes"]


@mypyc_attr(allow_interpreted_subclasses=True)
class OnNodes:
    """What is on the nodes of a cluster, by their numbers."""

    __slots__ = (
        "cluster",
        "cores",
        "cpus",
        "exclusive",
        "full",
        "gres",
        "holdings",
        "idle",
        "jobs",
        "memory",
        "on_node",
        "rows",
        "several",
        "typed",
        "used",
    )

    def __init__(self, cluster: Cluster, idle: Sequence[int] | None = None) -> None:
        self.cluster = cluster
        self.cpus = [0] * cluster.size
        self.cores = [0] * cluster.size
        """Busy cores, as sets."""
        self.memory = [0] * cluster.size
        self.jobs = [0] * cluster.size
        self.gres: dict[str, list[int]] = {name: [0] * cluster.size for name in cluster.gres_names}
        typed = cluster.gres_names if cluster.counts_types else []
        self.typed: dict[str, list[int]] = {name: [0] * cluster.size for name in typed}
        """Of those what jobs asked for by a type that is counted apart; no table where none is."""
        self.exclusive = 0
        """Nodes that belong to one job."""
        self.used = 0
        """Nodes with any job."""
        self.several = 0
        """Nodes that may have more than one."""
        self.idle = [cluster.free_of(node, 0, 0) for node in range(cluster.size)] if idle is None else list(idle)
        """CPUs of each node that nobody has."""
        self.full = 0
        """Nodes of which no core, or CPU where CPUs are counted, is free."""
        self.holdings: dict[str, Holding] = {}
        self.on_node: list[tuple[str, ...]] = [()] * cluster.size
        """The jobs of each node."""
        self.rows = Rows(cluster.rows)
        """Of jobs that may share cores those that have theirs apart."""

    def beside(self, node: int, partition: str, row: int, beneath: frozenset[str]) -> int:
        """The cores of a node that a job must leave to others.

        Of the sharing jobs of its partition those of one row count (``row`` < 0: all); of partitions beneath none.
        """
        taken = 0
        for job in self.on_node[node]:
            held = self.holdings[job]
            shared = row >= 0 and held.shares and held.partition == partition
            other_row = shared and not self.rows.has(partition, row, held)
            if not other_row and held.partition not in beneath:
                taken |= held.cores.get(node, 0)
        return taken

    def used_above(self, nodes: int, beneath: frozenset[str]) -> int:
        """Of some nodes those with a job that is of no partition beneath."""
        found = 0
        for node in bits(nodes & self.used):
            if any(self.holdings[job].partition not in beneath for job in self.on_node[node]):
                found |= 1 << node
        return found

    def unshared(self, node: int) -> int:
        """The cores of a node taken by jobs that share with nobody."""
        taken = 0
        for job in self.on_node[node]:
            held = self.holdings[job]
            if not held.shares:
                taken |= held.cores.get(node, 0)
        return taken

    def of_partition(self, node: int, partition: str, taken: int) -> int:
        """The CPUs of a node that jobs of a partition hold: all those of their cores (part_core_map).

        Only of cores ``taken``: those that a job may share with others count for it alone.
        """
        cores = 0
        for job in self.on_node[node]:
            if self.holdings[job].partition == partition:
                cores |= self.holdings[job].cores.get(node, 0)
        return (cores & taken).bit_count() * self.cluster.threads[node]

    def free_gres(self, node: int, name: str, kind: str = "") -> int:
        """The indices of a generic resource of a node that nobody has, of one type or any."""
        if name not in self.gres:
            return 0
        free = self.cluster.gres_indices(node, name, kind) & ~self.gres[name][node]
        return self._left_of_types(node, name, kind, free) if self.typed and free else free

    def _left_of_types(self, node: int, name: str, kind: str, free: int) -> int:
        """As many of what is free as the types have left that are counted apart (§4.4)."""
        cluster = self.cluster
        if not cluster.counted[name] >> node & 1:
            return free
        found = 0
        for one in [kind] if kind else cluster.gres_types[name]:
            own = cluster.gres_indices(node, name, one)
            found |= lowest(free & own, (own & ~self.typed[name][node]).bit_count())
        return found

    def of_others(self, node: int, user: str) -> bool:
        """Whether a node holds a job of another user."""
        return any(self.holdings[job].user != user for job in self.on_node[node])
