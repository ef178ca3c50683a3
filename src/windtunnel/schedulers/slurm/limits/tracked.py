"""What jobs take, or would take, in trackable resources: as limits, accounts and priorities count it (§6.1, §7.3)."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.asked_gres import gres_names, typed_only
from windtunnel.schedulers.slurm.jobs.counted_gpus import gpus_counted
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.tracked import tres_of
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.shares.usage import billing

__all__ = ["Tracked"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Tracked:
    """TRES of jobs, with what they cost (``billing``)."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.site = cluster.site
        self.typed_only = typed_only(cluster.site)
        """Generic resources that are tracked by type alone."""
        self._placed: tuple[Record | None, Picked | None] = (None, None)
        self._asked_for: dict[str, float] = {}
        """The placement that was last asked for, and what it takes."""

    def placed(self, record: Record, placed: Picked) -> dict[str, float]:
        """What a job takes with a placement; all CPUs of nodes it has alone."""
        if placed is not self._placed[1] or record is not self._placed[0]:  # it is asked by limits, and at the start
            self._placed = (record, placed)
            self._asked_for = self._tres_of(record, placed)
        return self._asked_for

    def _tres_of(self, record: Record, placed: Picked) -> dict[str, float]:
        tres = tres_of(record.demand, placed.nodes.bit_count(), placed.total)
        record.job.last_cpus, record.job.last_nodes = placed.total, placed.nodes.bit_count()
        if record.demand.gpus_per_socket:
            record.job.last_gpus = gpus_counted(self.cluster, record.demand, placed)
            tres |= self._for_sockets(record)
        elif record.demand.gpus_per_task and record.demand.gpus_per_job:
            count = gpus_counted(self.cluster, record.demand, placed)
            tres |= dict.fromkeys(gres_names("gpu", record.demand.gpu_type, record.demand.typed_only), count)
        if not self.site.select.memory:
            tres.pop("mem", None)  # nobody gives it out
        elif record.demand.whole_memory:
            tres["mem"] = self.cluster.memory_of(placed.nodes)
        elif record.demand.one_thread and record.demand.memory_per_cpu is not None:
            counted = [self.cluster.cpus_with_memory(node, cpus, True) for node, cpus in placed.cpus.items()]
            tres["mem"] = record.demand.memory_per_cpu * sum(counted)
        if record.demand.exclusive:
            tres |= self.cluster.gres_on(placed.nodes)
            for name in self.typed_only:
                tres.pop(name, None)
        return self.billed(record, tres)

    def planned(self, record: Record, placed: Picked) -> dict[str, float]:
        """What a job is taken to have in a plan: the memory that it asks for."""
        record.job.last_cpus, record.job.last_nodes = placed.total, placed.nodes.bit_count()
        return self.asked(record, placed.nodes.bit_count(), placed.total)

    def asked(self, record: Record, nodes: int | None = None, cpus: int | None = None) -> dict[str, float]:
        """What a job asks for while it has no nodes; or on so many of them, with so many CPUs."""
        return self.billed(record, tres_of(record.demand, nodes, cpus) | self._for_sockets(record))

    def _for_sockets(self, record: Record) -> dict[str, float]:
        """The GPUs with which a job counts that asks for some for each socket, once it has had a place."""
        count, demand = record.job.last_gpus, record.demand
        return {} if count is None else dict.fromkeys(gres_names("gpu", demand.gpu_type, demand.typed_only), count)

    def submitted(self, record: Record) -> dict[str, float]:
        """What a job asks for when it is submitted: in all its partitions it costs what it does in the first.

        What MaxMemPerCPU makes of it is not known yet (_validate_min_mem_partition).
        """
        per_cpu, _, cpus, _ = record.demand.asked
        tres = tres_of(record.demand, cpus=cpus)
        if per_cpu is not None:
            tres["mem"] = per_cpu * cpus
        cost = billing(tres, record.demand.billing_weights, "MAX_TRES" in self.site.priority.flags)
        return tres | {"billing": int(cost)}

    def billed(self, record: Record, tres: dict[str, float]) -> dict[str, float]:
        """TRES with what they cost in a partition (``billing``), without fractions."""
        return tres | {"billing": int(self.cost(record, tres))}

    def cost(self, record: Record, tres: dict[str, float]) -> float:
        """What TRES cost in a partition per second."""
        weights = record.table.partition.billing_weights
        return billing(tres, weights, "MAX_TRES" in self.site.priority.flags)
