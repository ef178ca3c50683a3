"""What of each node a job could use, of many nodes at once (§5.2, §5.7)."""

from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.node_fit import EMPTY, IDLE, NodeFit

__all__ = ["Fit"]

_MOST_KINDS: Final = 2_000
_MOST_KNOWN: Final = 5_000


@mypyc_attr(allow_interpreted_subclasses=True)
class Fit(NodeFit):
    """Counts usable CPUs on the nodes of one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._known: dict[tuple[int, ...], dict[tuple[int, int, int, float], int]] = {}
        """What jobs of each kind could use of nodes, as far as somebody has asked."""
        self._trial = Occupancy(cluster)
        """For single nodes of which something is taken."""

    def usable(
        self,
        record: Record,
        nodes: int,
        held: Occupancy,
        row: int = -1,
        near: bool = False,
        again: bool = False,
    ) -> dict[int, int]:
        """The CPUs of each node that the job could use; nodes it cannot use are left out.

        Of jobs that share, ``row`` is the row of jobs beside which it would run. `IDLE`: only idle cores; `BENEATH`:
        also those of jobs that are suspended for it, in this way or (the numbers below) a later one; `EMPTY`: all,
        whoever has them. ``near``: only beside its GPUs (:mod:`~.gpu_cores`); ``again``: after that has failed.
        """
        if not again:
            self.gpus_with_cpus.clear()
        if self.bound:
            self.near_cpus.clear()
        nodes = self._worth_a_look(record, nodes, held, row)
        demand = record.demand
        if row == IDLE and not (self.by_socket or demand.exclusive) and demand.memory_per_gpu is None:
            if demand.plain_shape and record.table.partition.max_cpus_per_node is None:
                return self.of_plain_tasks(demand, nodes, held)
            if demand.gpus_alone and not self.bound and record.table.partition.max_cpus_per_node is None:
                return self.of_gpu_tasks(demand, nodes, held)
        if self.says_it_all(record, row):
            return self._of_nodes_alike(record, nodes, held, row)
        found = {}
        for node in bits(nodes):
            count = self._on_node(record, node, held, row, near)
            if count > 0:
                found[node] = count
        return found

    def says_it_all(self, record: Record, row: int) -> bool:
        """Whether a node's sort, and what is taken of its CPUs and memory, tell what a job could use of it."""
        demand = record.demand
        if row not in (IDLE, EMPTY) or self.by_socket or demand.asks_gres:
            return False
        return not (demand.exclusive_user or demand.of_sockets) and record.table.partition.max_cpus_per_node is None

    def _of_nodes_alike(self, record: Record, nodes: int, held: Occupancy, row: int) -> dict[int, int]:
        """What a job could use of each node, looked at once for all that are alike."""
        of_sort, sorts = [0] * len(self.nodes_of_sorts), self.sorts
        for sort, alike in enumerate(self.nodes_of_sorts):
            idle = nodes & alike & ~held.used
            if idle:
                of_sort[sort] = self._on_node(record, (idle & -idle).bit_length() - 1, held, row, False)
                if of_sort[sort] <= 0:
                    nodes ^= idle
        found = {node: of_sort[sorts[node]] for node in bits(nodes)}
        cpus, cores, memory = held.cpus, held.cores, held.memory
        known = self.known_counts(record, row)
        for node in bits(nodes & held.used):
            key = (sorts[node], cores[node].bit_count(), cpus[node], memory[node])
            count = known.get(key)
            if count is None:
                count = known[key] = self._on_node(record, node, held, row, False)
            if count > 0:
                found[node] = count
            else:
                del found[node]
        return found

    def known_counts(self, record: Record, row: int = IDLE) -> dict[tuple[int, int, int, float], int]:
        """What jobs of a kind could use of a node of each sort, of which cores, CPUs and memory are taken."""
        demand = record.demand
        if record.kind < 0 or not self.least_memory:
            return {}
        memory = (demand.memory_per_node, demand.memory_per_cpu, demand.memory_per_gpu)
        kind = (record.kind, row, *[-1 if amount is None else amount for amount in memory])
        found = self._known.get(kind)
        if found is None or len(found) > _MOST_KNOWN:
            if len(self._known) > _MOST_KINDS:
                self._known.clear()
            found = self._known[kind] = {}
        return found

    def count_known(
        self,
        record: Record,
        node: int,
        cores: int,
        cpus: int,
        memory: int,
        known: dict[tuple[int, int, int, float], int],
    ) -> int:
        """What a job could use of a node of which so many cores and CPUs, and so much memory are taken by others."""
        key = (self.sorts[node], cores, cpus, memory)
        count = known.get(key)
        if count is None:
            trial = self._trial
            trial.cores[node], trial.cpus[node], trial.memory[node] = (1 << cores) - 1, cpus, memory
            count = known[key] = self._on_node(record, node, trial, IDLE, False)
            trial.cores[node] = trial.cpus[node] = trial.memory[node] = 0
        return count

    def _worth_a_look(self, record: Record, nodes: int, held: Occupancy, row: int) -> int:
        """The nodes that are not out of the question at once."""
        demand = record.demand
        if demand.exclusive:
            if demand.asks_gres:
                self._leave_traces(demand, nodes & held.used, held)
            if row != EMPTY and (row < 0 or (demand.alone and not self.turns)):
                nodes &= ~(held.used if row == IDLE else held.used_above(nodes, self._unblocking(record, row)))
        if record.too_large:
            nodes &= ~record.too_large
        for ask in demand.gres:
            nodes &= self.cluster.gres_nodes.get(ask.name, 0)
        if demand.gpus_per_job or demand.gpus_per_socket:
            nodes &= self.cluster.gres_nodes.get("gpu", 0)
        if row == IDLE and not demand.asks_gres:  # those leave traces also on nodes that are full
            nodes &= ~(held.full | held.exclusive)
        if self.cluster.open and nodes & held.used:
            nodes &= ~self._of_other_kinds(record, nodes & held.used, held)
        return nodes

    def _of_other_kinds(self, record: Record, used: int, held: Occupancy) -> int:
        """Of nodes in use those that jobs which share leave to jobs which do not, and the other way round (§5.2)."""
        own, shares = record.table.name, record.demand.over_subscribe
        others = self.cluster.sharing - {own}
        found = 0
        for other in held.holdings.values():
            if not other.oversubscribes if shares else (other.partition in others):
                found |= other.nodes
        return found & used
