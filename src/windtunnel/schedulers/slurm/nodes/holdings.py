"""What one running job holds: node by node, or in parts of nodes that are alike (§5.2)."""

from collections.abc import Mapping, Sequence

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.nodesets import bits

__all__ = ["Holding", "Part"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Part:
    """Nodes of one sort of which a job holds the same: so many CPUs, these cores, so much memory."""

    __slots__ = ("cores", "cpus", "memory", "nodes")

    def __init__(self, nodes: int, cpus: int, cores: int, memory: int) -> None:
        self.nodes = nodes
        self.cpus = cpus
        self.cores = cores
        self.memory = memory


@mypyc_attr(allow_interpreted_subclasses=True)
class Holding:
    """What a running job holds: node by node, or in parts of nodes that are alike."""

    __slots__ = (
        "_cores",
        "_cpus",
        "_memory",
        "alike",
        "blocks",
        "end",
        "exclusive",
        "frees",
        "gres",
        "job",
        "leaving",
        "limit",
        "nodes",
        "numbered",
        "order",
        "oversubscribes",
        "partition",
        "parts",
        "runs",
        "shares",
        "total",
        "typed",
        "user",
    )

    def __init__(
        self,
        job: str,
        nodes: int,
        end: int,
        *,
        cpus: Mapping[int, int] | None = None,
        cores: Mapping[int, int] | None = None,
        memory: Mapping[int, int] | None = None,
        alike: Sequence[Part] = (),
        gres: Mapping[int, Mapping[str, int]] | None = None,
        exclusive: bool = False,
        shares: bool = False,
        oversubscribes: bool | None = None,
        partition: str = "",
        user: str = "",
        limit: int = 0,
        typed: Mapping[int, Mapping[str, int]] | None = None,
    ) -> None:
        self.job = job
        self.nodes = nodes
        self.end = end
        """When it ends for planning: start and time limit (§1)."""
        self.limit = limit
        """That limit, in minutes."""
        self.typed = typed or {}
        """Of its generic resources those of types that it asked for, on nodes where these are counted apart."""
        self.leaving = False
        """Whether the job has been ended for another, and only its nodes are not yet free."""
        self._cpus = cpus
        self._cores = cores
        self._memory = memory
        self.alike = alike
        """Where these say all: the parts."""
        self.numbered = True
        """Whether these are the very cores; if not, only as many (:meth:`~.Occupancy.settle`)."""
        self.gres: Mapping[int, Mapping[str, int]] = gres or {}
        """Of each node the set of indices of each generic resource."""
        self.exclusive = exclusive
        self.shares = shares
        """Whether others may use the same cores: by OverSubscribe, or as one of them is suspended."""
        self.oversubscribes = shares if oversubscribes is None else oversubscribes
        """Whether it is by OverSubscribe."""
        self.partition = partition
        self.user = user
        self.parts: tuple[tuple[int, int, int], ...] | None = None
        """CPUs, memory, and the nodes on which it holds so much; worked out when first asked for."""
        self.runs: list[tuple[int, list[int]]] | None = None
        """CPUs, and the runs of nodes on which it holds so many; as late."""
        self.total = -1
        """CPUs in all; as late."""
        self.blocks = -1
        """Where its nodes are (:func:`~.nodesets.blocks_of`); as late."""
        self.frees: tuple[tuple[int, int], ...] | None = None
        """The CPUs that it leaves of a node at the most, and the nodes where that is so; as late."""
        self.order = 0
        """The job's place in Slurm's list of jobs, which decides among those that end together."""

    def renumber(self, parts: Sequence[Part]) -> None:
        """These are the very cores that it holds."""
        self.alike = parts
        self._cores = None
        self.frees = None
        self.numbered = True

    @property
    def cpus(self) -> Mapping[int, int]:
        """CPUs of each node."""
        if self._cpus is None:
            self._cpus = {node: part.cpus for part in self.alike for node in bits(part.nodes)}
        return self._cpus

    @property
    def cores(self) -> Mapping[int, int]:
        """Of each node the set of its cores."""
        if self._cores is None:
            self._cores = {node: part.cores for part in self.alike for node in bits(part.nodes)}
        return self._cores

    @property
    def memory(self) -> Mapping[int, int]:
        """Of each node so much memory (MB)."""
        if self._memory is None:
            self._memory = {node: part.memory for part in self.alike for node in bits(part.nodes) if part.memory}
        return self._memory
