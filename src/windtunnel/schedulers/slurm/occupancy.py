"""What is taken on nodes, and by which jobs (§5.2)."""

from collections.abc import Mapping

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.cluster import Cluster
from windtunnel.schedulers.slurm.nodesets import bits, mask_of

__all__ = ["Holding", "Occupancy"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Holding:
    """What a running job holds."""

    __slots__ = (
        "cores",
        "cpus",
        "end",
        "exclusive",
        "gres",
        "job",
        "memory",
        "nodes",
        "order",
        "partition",
        "parts",
        "row",
        "shares",
        "user",
    )

    def __init__(
        self,
        job: str,
        nodes: int,
        end: int,
        *,
        cpus: Mapping[int, int],
        cores: Mapping[int, int],
        memory: Mapping[int, int],
        gres: Mapping[int, Mapping[str, int]] | None = None,
        exclusive: bool = False,
        shares: bool = False,
        partition: str = "",
        user: str = "",
        row: int = 0,
    ) -> None:
        self.job = job
        self.nodes = nodes
        self.end = end
        """When it ends for planning: start and time limit (§1)."""
        self.cpus = cpus
        self.cores = cores
        """Of each node the set of its cores."""
        self.memory = memory
        self.gres: Mapping[int, Mapping[str, int]] = gres or {}
        """Of each node the set of indices of each generic resource."""
        self.exclusive = exclusive
        self.shares = shares
        """Whether others may use the same cores (OverSubscribe)."""
        self.partition = partition
        self.user = user
        self.parts: tuple[tuple[int, int], ...] | None = None
        """CPUs, and the nodes on which it holds so many; worked out when first asked for."""
        self.order = 0
        """The job's place in Slurm's list of jobs, which decides among those that end together."""
        self.row = row
        """Among jobs that share: those of one row have cores of their own."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Occupancy:
    """All that is held, summed up node by node."""

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
        "used",
    )

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.cpus = [0] * cluster.size
        self.cores = [0] * cluster.size
        """Busy cores, as sets."""
        self.memory = [0] * cluster.size
        self.jobs = [0] * cluster.size
        self.gres: dict[str, list[int]] = {name: [0] * cluster.size for name in cluster.gres_names}
        self.exclusive = 0
        """Nodes that belong to one job."""
        self.used = 0
        """Nodes with any job."""
        self.idle = [cluster.free_of(node, 0, 0) for node in range(cluster.size)]
        """CPUs of each node that nobody has."""
        self.full = 0
        """Nodes of which no core, or CPU where CPUs are counted, is free."""
        self.holdings: dict[str, Holding] = {}
        self.on_node: list[tuple[str, ...]] = [()] * cluster.size
        """The jobs of each node."""

    def copy(self) -> "Occupancy":
        """The same, to be changed apart."""
        other = Occupancy(self.cluster)
        other.cpus = self.cpus[:]
        other.cores = self.cores[:]
        other.memory = self.memory[:]
        other.jobs = self.jobs[:]
        other.gres = {name: table[:] for name, table in self.gres.items()}
        other.exclusive = self.exclusive
        other.used = self.used
        other.idle = self.idle[:]
        other.full = self.full
        other.holdings = dict(self.holdings)
        other.on_node = self.on_node[:]
        return other

    def empty(self) -> "Occupancy":
        """The same cluster without jobs."""
        return Occupancy(self.cluster)

    def add(self, held: Holding) -> None:
        """A job takes what it holds."""
        self.holdings[held.job] = held
        for node in bits(held.nodes):
            self.jobs[node] += 1
            self.on_node[node] = (*self.on_node[node], held.job)
            self.memory[node] += held.memory.get(node, 0)
            if not held.shares:
                self.cpus[node] += held.cpus.get(node, 0)
                self.cores[node] |= held.cores.get(node, 0)
            for name, indices in held.gres.get(node, {}).items():
                self.gres[name][node] |= indices
        if held.exclusive:
            self.exclusive |= held.nodes
        if held.shares:
            self._sum_shared(held.nodes)
        self.used |= held.nodes
        self._find_full(held.nodes)

    def remove(self, held: Holding) -> None:
        """A job gives back what it holds."""
        del self.holdings[held.job]
        for node in bits(held.nodes):
            self.jobs[node] -= 1
            self.on_node[node] = tuple(job for job in self.on_node[node] if job != held.job)
            self.memory[node] -= held.memory.get(node, 0)
            if not held.shares:
                self.cpus[node] -= held.cpus.get(node, 0)
                self.cores[node] &= ~held.cores.get(node, 0)
            for name, indices in held.gres.get(node, {}).items():
                self.gres[name][node] &= ~indices
        if held.exclusive:
            self.exclusive &= ~held.nodes
        if held.shares:
            self._sum_shared(held.nodes)
        self.used &= ~mask_of(node for node in bits(held.nodes) if not self.jobs[node])
        self._find_full(held.nodes)

    def _find_full(self, nodes: int) -> None:
        """What is free on some nodes, and which of them have nothing free."""
        cluster, idle = self.cluster, self.idle
        full = 0
        for node in bits(nodes):
            left = idle[node] = cluster.free_of(node, self.cores[node], self.cpus[node])
            if left <= 0:
                full |= 1 << node
        self.full = self.full & ~nodes | full

    def in_row(self, node: int, partition: str, row: int) -> int:
        """The cores of a node taken in one row of a partition's sharing jobs."""
        taken = 0
        for job in self.on_node[node]:
            held = self.holdings[job]
            if held.shares and held.partition == partition and held.row == row:
                taken |= held.cores.get(node, 0)
        return taken

    def unshared(self, node: int) -> int:
        """The cores of a node taken by jobs that share with nobody."""
        taken = 0
        for job in self.on_node[node]:
            held = self.holdings[job]
            if not held.shares:
                taken |= held.cores.get(node, 0)
        return taken

    def of_partition(self, node: int, partition: str) -> int:
        """The CPUs of a node that jobs of a partition hold."""
        return sum(
            self.holdings[job].cpus.get(node, 0)
            for job in self.on_node[node]
            if self.holdings[job].partition == partition
        )

    def of_others(self, node: int, user: str) -> bool:
        """Whether a node holds a job of another user."""
        return any(self.holdings[job].user != user for job in self.on_node[node])

    def _sum_shared(self, nodes: int) -> None:
        """Cores that are shared are busy once, however many jobs use them."""
        for node in bits(nodes):
            taken = 0
            threads = self.cluster.threads[node]
            own = 0
            for job in self.on_node[node]:
                held = self.holdings[job]
                taken |= held.cores.get(node, 0)
                own += 0 if held.shares else held.cpus.get(node, 0)
            shared = (taken & ~self.unshared(node)).bit_count() * threads
            self.cores[node] = taken
            self.cpus[node] = own + shared
