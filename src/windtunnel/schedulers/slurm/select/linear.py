"""select/linear: whole nodes (§5.5)."""

from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.runs import Run, runs_of

__all__ = ["ANY", "has_mate", "jobs_beside", "linear_cpus", "linear_pick", "linear_usable", "oversubscribes"]

ANY: Final = -1
"""Whatever runs on the nodes, and whatever memory they have: whether a job could ever run."""


def linear_usable(
    cluster: Cluster, record: Record, nodes: int, held: Occupancy, memory: bool, beside: int
) -> list[int]:
    """The nodes that a job could have with at most so many jobs ``beside`` it, none of them alone on its node."""
    demand = record.demand
    found = []
    whole = cluster.memory[(nodes & -nodes).bit_length() - 1] if nodes else 0
    """What a job that asks for no memory needs of every node: all that the first of them has."""
    for node in bits(nodes if beside == ANY else nodes & ~held.exclusive):
        if cluster.cpus[node] < max(demand.min_cpus_per_node, (demand.tasks_per_node or 1) * demand.cpus_per_task):
            continue
        own = cluster.memory[node]
        if beside == ANY:
            if memory and max(demand.memory_per_node or 0, demand.memory_per_cpu or 0) > own:
                continue
        elif held.jobs[node] > beside:
            continue
        elif memory:
            asked = demand.memory_per_node or (demand.memory_per_cpu or 0) * cluster.cpus[node] or whole
            if asked > own - held.memory[node]:
                continue
        found.append(node)
    return found


def jobs_beside(record: Record) -> int:
    """How many jobs may run on a node of this partition beside one like this."""
    demand = record.demand
    return record.table.partition.share_count - 1 if demand.over_subscribe and not demand.alone else 0


def oversubscribes(record: Record, linear: bool) -> bool:
    """Whether a job lets others on what it has; for whole nodes ``FORCE:1`` does not say so, but the job may."""
    demand = record.demand
    if linear and demand.forced and not demand.shares_cores:
        return record.job.ask.over_subscribe
    return demand.over_subscribe and not demand.alone


def has_mate(record: Record, nodes: list[int], held: Occupancy) -> int:
    """The nodes of a running job that uses as many as are wanted, all of them usable; 0 without one.

    Jobs that share are put on just the nodes of another rather than beside parts of several.
    """
    demand, usable = record.demand, mask_of(nodes)
    for other in sorted(held.holdings.values(), key=lambda one: one.order):
        if other.nodes.bit_count() != demand.requested_nodes or sum(other.cpus.values()) < demand.cpus:
            continue
        if not other.nodes & ~usable and not record.job.named & ~other.nodes:
            return other.nodes
    return 0


def linear_cpus(cluster: Cluster, demand: Demand, node: int) -> int:
    """The CPUs of a node that count: no more than its tasks use."""
    most = demand.tasks_per_node * demand.cpus_per_task
    return min(cluster.cpus[node], most) if most else cluster.cpus[node]


def linear_pick(cluster: Cluster, record: Record, nodes: list[int], taken: int = 0) -> int | None:
    """Pick whole nodes from runs of consecutive ones; None when they do not suffice.

    ``taken`` are nodes that the job names.
    """
    if len(nodes) < record.demand.min_nodes:
        return None
    return _Pick(cluster, record, taken).go(nodes)


@mypyc_attr(allow_interpreted_subclasses=True)
class _Pick:
    """One selection, with what the job still needs."""

    def __init__(self, cluster: Cluster, record: Record, named: int) -> None:
        demand = record.demand
        self.cluster, self.demand = cluster, demand
        self.contiguous = record.job.ask.contiguous
        self.named = named
        self.picked = 0
        self.nodes = max(demand.min_nodes, demand.requested_nodes)
        self.slack = max(0, demand.requested_nodes - demand.min_nodes)
        self.most_nodes = demand.max_nodes
        self.cpus = demand.cpus
        for node in bits(named):
            self._take(node)

    def go(self, nodes: list[int]) -> int | None:
        counts = {node: linear_cpus(self.cluster, self.demand, node) for node in nodes}
        lowest = min(counts.values(), default=0)
        if max(counts.values(), default=0) != lowest and self.cpus > lowest * self.nodes:
            self._largest_first(counts)
        else:
            self._by_runs(runs_of(counts, None, set(bits(self.named))))
        return self.picked if self.cpus <= 0 and self.nodes - self.slack <= 0 else None

    @property
    def _done(self) -> bool:
        return self.most_nodes <= 0 or (self.nodes <= 0 and self.cpus <= 0)

    def _take(self, node: int) -> None:
        self.picked |= 1 << node
        self.nodes -= 1
        self.most_nodes -= 1
        self.cpus -= linear_cpus(self.cluster, self.demand, node)

    def _largest_first(self, counts: dict[int, int]) -> None:
        """Unlike nodes, and the smallest of them would not do: those with most CPUs, the last of equal ones."""
        for node in sorted(counts, key=lambda node: (-counts[node], -node)):
            if self._done:
                return
            if not self.picked >> node & 1:
                self._take(node)

    def _by_runs(self, runs: list[Run]) -> None:
        if self.contiguous and self.named:
            holding = [run for run in runs if run.named >= 0]
            runs = holding if len(holding) == 1 else []
        while runs and not self._done:
            run = self._choose(runs)
            runs.remove(run)
            if self.contiguous and not self._suffices(run):
                return
            up = [node for node in run.others if node > run.named]
            for node in (*up, *(node for node in reversed(run.others) if node < run.named)):
                if self._done:
                    break
                self._take(node)
            if self.contiguous:
                return

    def _suffices(self, run: Run) -> bool:
        return run.cpus >= self.cpus and len(run.others) >= self.nodes - self.slack

    def _choose(self, runs: list[Run]) -> Run:
        """One with named nodes, or the smallest run that suffices, else the largest."""
        best = runs[0]
        for run in runs[1:]:
            enough = self._suffices(run)
            if (
                (best.named < 0 <= run.named)
                or (enough and (not self._suffices(best) or run.cpus < best.cpus))
                or (not enough and run.cpus > best.cpus)
            ):
                best = run
        return best
