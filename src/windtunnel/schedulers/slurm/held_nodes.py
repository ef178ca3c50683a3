"""The nodes of a cluster with what is held of them, and what a job that starts will hold."""

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import SlurmSite
from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import without
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.cores import count_alike, take_alike, take_cores, take_gres
from windtunnel.schedulers.slurm.select.counted_types import counted_apart
from windtunnel.schedulers.slurm.select.earliest import Selector
from windtunnel.schedulers.slurm.select.gpu_cores import binds
from windtunnel.schedulers.slurm.select.gpu_counts import gpus_of_job
from windtunnel.schedulers.slurm.select.gpu_indices import bound_gpus
from windtunnel.schedulers.slurm.select.linear import oversubscribes

__all__ = ["HeldNodes"]


@mypyc_attr(allow_interpreted_subclasses=True)
class HeldNodes:
    """What is held of the nodes, which of them are there, and who picks among them."""

    def __init__(self, site: SlurmSite) -> None:
        self.site = site
        self.cluster = Cluster(site)
        self.selector = Selector(self.cluster)
        self._late = self.selector.masks is not None and self.cluster.cores_alike
        self.occupancy = Occupancy(self.cluster, late=self._late)
        """What is held; who asks about nodes one by one settles it first, or takes :attr:`held`."""
        self.unusable = self.cluster.unusable
        """Nodes that are down or drained."""
        self.completing = 0
        """Nodes on which a job is ending."""

    @property
    def held(self) -> Occupancy:
        """What is held, node by node."""
        self.occupancy.settle()
        return self.occupancy

    @property
    def in_use(self) -> int:
        """The nodes on which any job runs."""
        masks = self.selector.masks
        return self.held.used if masks is None else without(self.cluster.all, masks.idle())

    @property
    def up(self) -> int:
        """The nodes on which jobs may start."""
        return without(self.cluster.all, self.unusable)

    def holding_of(self, key: str, record: Record, placed: Picked, start: int, limit: int) -> Holding:
        """What a job will hold, down to cores and indices of generic resources."""
        demand = record.demand
        cluster = self.cluster
        asked = oversubscribes(record, self.selector.linear)
        shares = self.shares_cores(record, asked)
        alone = demand.starts_alone and not (demand.forced and cluster.rows_by_qos)  # another row may be beneath
        exclusive = alone or (self.selector.linear and not asked)
        if placed.parts and not shares and not self.gres_for(demand) and self.site.select.counts != "SOCKET":
            late = self._late

            def memory_of(node: int, cpus: int) -> int:
                return self._memory(demand, node, cpus, 0)

            if late:
                parts = count_alike(cluster, placed, memory_of)
            else:
                parts = take_alike(cluster, self.held, placed, demand, memory_of)
            holding = Holding(
                key,
                placed.nodes,
                start + limit * 60,
                alike=parts,
                exclusive=exclusive,
                partition=record.table.name,
                user=record.job.user,
                limit=limit,
            )
            holding.numbered = not late
            return holding
        cores = take_cores(cluster, self.held, placed, record, shares)
        memory, whole = {}, self.site.select.counts == "SOCKET"
        gpus = gpus_of_job(cluster, demand, placed, self.held)
        bound = bound_gpus(cluster, self.held, demand, placed, cores) if cluster.bound.nodes and binds(demand) else {}
        if demand.gpus_per_job:
            gpus.update({node: own.bit_count() for node, own in bound.items()})
        for node, cpus in placed.cpus.items() if self.site.select.memory else ():
            own = cores[node].bit_count() * cluster.threads[node]  # of sockets with GPUs perhaps not all
            memory[node] = self._memory(demand, node, min(cpus, own) if whole else cpus, gpus.get(node, 0))
        gres = take_gres(cluster, self.held, demand, cores, gpus, bound)
        return Holding(
            key,
            placed.nodes,
            start + limit * 60,
            cpus=placed.cpus,
            cores=cores,
            memory=memory,
            gres=gres,
            exclusive=exclusive,
            shares=shares,
            oversubscribes=asked,
            partition=record.table.name,
            user=record.job.user,
            limit=limit,
            typed=counted_apart(cluster, demand, gres),
        )

    def shares_cores(self, record: Record, asked: bool) -> bool:
        """Whether others may have a job's cores as well: where jobs take turns, whether it ``asked`` or not."""
        several = record.table.partition.share_count > 1 or not self.selector.linear  # also those of other partitions
        turns = self.selector.fit.turns and several
        return asked or turns or self.cluster.holds_on

    def gres_for(self, demand: Demand) -> bool:
        """Whether a job gets generic resources of its nodes."""
        return bool(demand.asks_gres or (demand.exclusive and self.occupancy.gres))

    def _memory(self, demand: Demand, node: int, cpus: int, gpus: int) -> int:
        """The memory (MB) of a node that goes with so many CPUs, and GPUs beyond those a job asks of each node."""
        if not self.site.select.memory:
            return 0
        if demand.memory_per_cpu is not None:
            return demand.memory_per_cpu * self.cluster.cpus_with_memory(node, cpus, demand.one_thread)
        if demand.memory_per_gpu is not None:
            return demand.memory_per_gpu * (demand.gpus_on_node() + gpus)
        return demand.memory_per_node or self.cluster.memory[node]
