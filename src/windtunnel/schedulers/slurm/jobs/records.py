"""A waiting job in one of its partitions: what it asks for there, and which nodes it may use (§2.1)."""

from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import OverSubscribe, SlurmSite
from windtunnel.schedulers.slurm.jobs.demand import Demand, time_limit
from windtunnel.schedulers.slurm.jobs.priority import Lasting
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.features import Constraint
from windtunnel.schedulers.slurm.nodes.nodesets import union
from windtunnel.schedulers.slurm.nodes.partition_table import PartitionTable

if TYPE_CHECKING:
    from windtunnel.schedulers.slurm.jobs.pending import PendingJob

__all__ = ["Record"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Record:
    """A pending job in one of its partitions (§2.1)."""

    __slots__ = (
        "attracted",
        "candidates",
        "constraint",
        "counts",
        "demand",
        "job",
        "kind",
        "lasting",
        "liking",
        "liking_apart",
        "limit",
        "listed",
        "magnetic",
        "mask",
        "narrow",
        "node_refusal",
        "plain",
        "priority",
        "refusal",
        "sized",
        "sort",
        "table",
        "tested_minutes",
        "too_large",
        "too_small",
    )

    def __init__(self, job: "PendingJob", table: PartitionTable, cluster: Cluster) -> None:
        self.job = job
        self.table = table
        self.demand = Demand(job.ask, table.partition, cluster.site, table.first, job.qos)
        self.limit = time_limit(job.ask, table.partition) if job.default_time is None else job.default_time
        """Minutes."""
        self.tested_minutes = -1
        """While backfill tests it with its least time: that; limits reckon with it. -1: with its limit."""
        self.priority = 0
        self.lasting: Lasting | None = None
        """What does not change of the priority; None: not asked for yet."""
        self.sized = 0
        """The CPUs that were found for the job when that was worked out."""
        self.constraint = job.constraint
        """What it asks of the features of its nodes."""
        self.counts = job.constraint.counts
        """Sets of nodes from which so many each are needed."""
        self.candidates = table.mask & ~job.excluded & self._described(cluster)
        """The nodes it may use but for features."""
        self.mask = self.candidates & job.constraint.base
        """The nodes it may use at all."""
        self.narrow = self.mask != table.mask
        """Whether these are not all of the partition's."""
        self.too_small = self._below_tasks(cluster)
        """Nodes that backfill leaves out for their CPUs or memory, also where memory is not selected."""
        self.too_large = 0
        """Nodes that give nothing to the job as it wants them alone: plans look at whoever is there all the same."""
        self.kind = -1
        """The selector's number for all that are placed alike; -1: not asked for yet."""
        self.sort = 0
        """Backfill's number for all that start alike; -1: free CPUs do not tell whether they do; 0: not asked for."""
        self.plain = -1
        """Whether it asks for nothing but CPUs, memory for each of them, and nodes (1, 0); -1: not asked for yet."""
        self.refusal: str | None = ""
        """Why the partition takes no such job (None: it does); empty: not asked for yet."""
        self.magnetic = ""
        """The reservation that takes the job though it asks for none."""
        self.listed = ""
        """Of several reservations that the job asks for the one that this is about."""
        self.attracted: dict[str, Record] = {}
        """The same in such reservations, by their names."""
        self.liking: Record | None = None
        """The same on the nodes that the job prefers (``--prefer``)."""
        self.liking_apart = False
        """Whether that has another place in the queue at hand."""
        self.node_refusal: str | None = ""
        """Why limits let it have too few nodes (None: they do not); empty: not asked for yet."""

    def leave_large_nodes(self) -> None:
        """Nodes with more CPUs than MaxCPUsPerNode give nothing to jobs that ask to have them alone.

        Nor to those for which OverSubscribe=EXCLUSIVE does; ExclusiveUser does not count.
        """
        most, demand = self.table.partition.max_cpus_per_node, self.demand
        if most is None or self.table.by_nodes or not (demand.exclusive or self.job.ask.exclusive_user):
            return
        for record in self.forms:
            record.too_large |= record.mask & self.table.beyond_most
            record.candidates &= ~self.table.beyond_most
            record.mask &= ~self.table.beyond_most
            record.narrow = record.mask != self.table.mask

    @property
    def forms(self) -> tuple["Record", ...]:
        """The job here, and the same on the nodes that it prefers."""
        return (self,) if self.liking is None else (self, self.liking)

    def look_afresh(self) -> None:
        """What it asks for has changed."""
        self.kind = self.plain = -1
        self.sort = 0

    @property
    def by_whole_nodes(self) -> bool:
        """Whether the partition gives jobs whole nodes, whatever they ask for."""
        part = self.table.partition
        forced = part.over_subscribe is OverSubscribe.FORCE and part.share_count > 1
        return part.over_subscribe is OverSubscribe.EXCLUSIVE or (self.table.by_nodes and not forced)

    @property
    def charged_qos(self) -> tuple[str, ...]:
        """The QOS whose usage grows while it runs: its own, and its partition's."""
        found = [one.name for one in (self.job.qos, self.table.qos) if one is not None]
        return tuple(dict.fromkeys(found))

    def _described(self, cluster: Cluster) -> int:
        """The nodes whose description is not below what the job asks of one."""
        demand, ask = self.demand, self.job.ask
        memory = demand.memory_per_cpu or demand.memory_per_node or 0
        shape = (ask.sockets_per_node or 0, ask.cores_per_socket or 0, ask.threads_per_core or 0)
        return cluster.described_with(memory, *shape) if memory or any(shape) else -1

    def _below_tasks(self, cluster: Cluster) -> int:
        """The nodes described with fewer CPUs than the job needs of a node, or less memory for these (§4.3)."""
        each, least = self.demand.memory_per_cpu or 0, self.demand.least_cpus
        return self.table.mask & ~cluster.described_with(each * least, 0, 0, 0, least) if least > 1 else 0

    def as_preferred(self, preference: Constraint, site: SlurmSite) -> "Record":
        """The same job with the features that it prefers in place of those that it asks for."""
        demand = self.demand
        other = self.part(site, demand.min_nodes, demand.requested_nodes, demand.max_nodes)
        other.constraint, other.counts = preference, preference.counts
        other.mask = self.candidates & preference.base & union(preference.alternatives)
        other.narrow = other.mask != self.table.mask
        return other

    def within(self, reservation: str, site: SlurmSite) -> "Record":
        """The same job in one of several reservations that it asks for, or in one that takes it."""
        other = self.attracted.get(reservation)
        if other is None:
            demand = self.demand
            other = self.part(site, demand.min_nodes, demand.requested_nodes, demand.max_nodes)
            other.counts = self.counts
            if self.job.reservations:
                other.listed = reservation
            else:
                other.magnetic = reservation
            self.attracted[reservation] = other
        other.priority, other.refusal, other.liking = self.priority, self.refusal, self.liking
        return other

    @property
    def within_bounds(self) -> bool:
        """Whether a job is not too large or long for its partition, as far as it says so itself."""
        part, demand, most = self.table.partition, self.demand, self.table.partition.max_nodes
        if demand.asked_cpus > self.table.cpus or demand.least_asked > self.table.size:
            return False
        if most is not None and not demand.lifts_most and max(demand.least_asked, demand.most_looked_for) > most:
            return False
        return part.max_time is None or self.limit <= part.max_time or self.job.lifts_time

    def part(self, site: SlurmSite, least: int, wanted: int, most: int, cpus: int = 0) -> "Record":
        """The same job when only so many nodes are looked for, and so many CPUs (0: all of its own)."""
        other = Record.__new__(Record)
        other.job, other.table, other.limit, other.mask = self.job, self.table, self.limit, self.mask
        other.candidates, other.magnetic, other.attracted = self.candidates, self.magnetic, {}
        other.listed = self.listed
        other.tested_minutes, other.liking_apart = -1, False
        other.too_small, other.too_large = self.too_small, self.too_large
        other.constraint = self.constraint
        other.counts, other.node_refusal, other.narrow = (), self.node_refusal, self.narrow
        other.priority, other.kind, other.refusal = self.priority, -1, self.refusal
        other.plain, other.sort, other.liking, other.lasting, other.sized = -1, 0, None, None, 0
        other.demand = demand = Demand(self.job.ask, self.table.partition, site, self.table.first, self.job.qos)
        demand.min_nodes, demand.requested_nodes, demand.max_nodes = least, wanted, most
        demand.exclusive = self.demand.exclusive
        if cpus:
            demand.cpus = cpus
            if demand.tasks_per_node:
                demand.tasks = demand.tasks_per_node * least
        return other
