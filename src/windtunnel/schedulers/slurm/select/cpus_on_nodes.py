"""The CPUs of a job on each of its nodes, once these are known: whole cores where cores are counted (§5.4)."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import mask_of
from windtunnel.schedulers.slurm.select.fit import Fit
from windtunnel.schedulers.slurm.select.layout import lay_out
from windtunnel.schedulers.slurm.select.runs import Need

__all__ = ["CpusOnNodes"]


@mypyc_attr(allow_interpreted_subclasses=True)
class CpusOnNodes:
    """The CPUs of jobs on nodes of one cluster."""

    def __init__(self, cluster: Cluster, fit: Fit) -> None:
        self.cluster = cluster
        self.fit = fit
        self.in_blocks = "CR_CORE_DEFAULT_DIST_BLOCK" in cluster.site.select.flags
        """Whether tasks fill one socket before they go on to the next."""

    def of(self, record: Record, taken: dict[int, int], usable: dict[int, int], need: Need) -> Picked:
        """CPUs of each node: all of those for jobs alone on nodes, whole cores where cores are counted (§5.4)."""
        cluster = self.cluster
        if record.demand.exclusive:
            laid_out = cpus = {node: cluster.cpus[node] for node in taken}
        else:
            laid_out = cpus = lay_out(record.demand, taken | need.beside, cluster.threads)
            cpus = {node: self._whole_cores(record, node, count, usable[node]) for node, count in cpus.items()}
            if self.fit.by_core:
                cpus = {
                    node: -(-count // cluster.threads[node]) * cluster.threads[node] for node, count in cpus.items()
                }
        placed = Picked(mask_of(taken), cpus, dict(need.taken_gpus), again=need.again)
        if record.demand.tasks_per_socket or (self.fit.by_socket and record.demand.asks_gres):
            placed.laid_out = laid_out
        return placed

    def _whole_cores(self, record: Record, node: int, count: int, usable: int) -> int:
        """The CPUs of the cores, or whole sockets, on which so many CPUs' worth of tasks are."""
        cluster, demand = self.cluster, record.demand
        threads = cluster.threads[node]
        room = usable * threads if demand.one_thread else usable
        if threads > 1 and (self.fit.by_core or self.fit.by_socket) and (demand.one_thread or demand.tasks_per_core):
            each = 1 if demand.one_thread else (demand.tasks_per_core or 1) * demand.cpus_per_task
            cores = -(-count // each) * -(-each // threads)
            count = max(count, min(room, cores * threads))
        if self.fit.by_socket:
            whole = cluster.sockets[node][0].bit_count() * threads
            together = self.in_blocks or demand.cpus_per_task > 1
            together = together or bool(demand.tasks_per_socket)  # no more sockets than they need
            most = (demand.tasks_per_socket or 0) * demand.cpus_per_task  # of a socket
            touched = -(-count // (min(whole, most or whole) if together else threads))
            count = max(count, min(room, touched * whole))
        return count
