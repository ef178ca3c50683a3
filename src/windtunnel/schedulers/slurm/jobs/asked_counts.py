"""Nodes, tasks and generic resources that a job asks for, as sbatch and slurmctld count them (§5.3, §5.7)."""

from math import ceil
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import GresAsk, JobAsk, Partition, SlurmSite
from windtunnel.schedulers.slurm.jobs.asked_gres import asked_gres, typed_only
from windtunnel.schedulers.slurm.jobs.asked_tasks import asked_gpus, asked_tasks, named_nodes, nodes_of_gpus

__all__ = ["AskedCounts"]

_MANY: Final = 10**9


@mypyc_attr(allow_interpreted_subclasses=True)
class AskedCounts:
    """What a request counts, before anything is said of CPUs and memory."""

    __slots__ = (
        "_nodes_of_tasks",
        "asks_gres",
        "counted_nodes",
        "cpus_beside_gpu",
        "cpus_of_gpus",
        "cpus_per_gpu",
        "cpus_per_task",
        "floor_of_gpus",
        "gpu_type",
        "gpus_per_job",
        "gpus_per_socket",
        "gpus_per_task",
        "gres",
        "least_asked",
        "max_nodes",
        "min_nodes",
        "most_asked",
        "most_looked_for",
        "most_per_gpu",
        "nodes_given",
        "own_most",
        "tasks",
        "tasks_given",
        "tasks_per_gpu",
        "tasks_per_node",
        "tracked_gres",
        "typed_only",
    )

    def __init__(self, ask: JobAsk, partition: Partition, site: SlurmSite) -> None:
        self.min_nodes: int = 1
        self.least_asked: int = 1
        self.max_nodes: int = _MANY
        self.tasks: int = 1
        self.nodes_given: bool = ask.min_nodes is not None
        self._count_nodes(ask)
        self._fix_nodes(nodes_of_gpus(ask))
        self.own_most = self.max_nodes if self.most_asked else 0
        """The most nodes that its request leaves it, whatever partitions and limits do; 0: any number."""
        self.most_looked_for = self.most_asked
        """The same, and of a job that is spread as many as it has tasks, unless nodes follow from them."""
        if ask.spread and not (self.nodes_given or self.tasks_per_node):
            self.most_looked_for = min(self.tasks, len(site.nodes))
        self.cpus_per_task: int = ask.cpus_per_task or 1
        self._count_gres(ask, partition, site)

    def _count_nodes(self, ask: JobAsk) -> None:
        """Nodes and tasks: -N more than -n is cut to it, and --ntasks-per-node makes nodes of tasks."""
        nodes, tasks, per_node = ask.min_nodes, asked_tasks(ask), ask.tasks_per_node
        self.tasks_given = tasks is not None or per_node is not None
        self.tasks_per_node = per_node or 0
        low = nodes or 1
        self.tasks = tasks if tasks is not None else per_node * low if per_node else low
        if nodes is not None and ask.tasks is not None and low > ask.tasks:
            low = ask.tasks
        high = (ask.max_nodes or nodes) if nodes is not None else None
        if high is not None and ask.tasks is not None:
            high = min(high, ask.tasks)  # sbatch leaves no more
        self.max_nodes = _MANY if high is None else high
        self.most_asked = high or 0
        """The most nodes it asks for; 0: it says nothing of them."""
        if nodes is not None and tasks is not None:
            self.max_nodes = min(self.max_nodes, max(tasks, low))
        self.least_asked = max(low, named_nodes(ask))
        """The least nodes it asks for, whatever its tasks make of it: what partitions look at."""
        if per_node and tasks is not None and nodes is None:
            low = ceil(tasks / per_node)
            self.max_nodes = max(self.max_nodes, low)
        self.counted_nodes = self.min_nodes = max(low, named_nodes(ask))
        """The nodes for which it counts while it waits."""
        self.max_nodes = max(self.max_nodes, self.min_nodes)
        self._nodes_of_tasks = ceil(tasks / per_node) if per_node and tasks is not None else 1

    def _fix_nodes(self, nodes: int) -> None:
        """GPUs in all, and so many on each node, make nodes, and where nothing is said of tasks one on each."""
        if not nodes:
            return
        self.nodes_given = True
        self.min_nodes = self.max_nodes = self.counted_nodes = self.least_asked = self.most_asked = nodes
        if not self.tasks_given:
            self.tasks = nodes

    def _hold_tasks(self) -> None:
        """Nodes that --ntasks-per-node makes of tasks are looked for also where -N says less; too many: none do."""
        if self.counted_nodes <= self.max_nodes < self._nodes_of_tasks:
            self.min_nodes = _MANY
        else:
            self.min_nodes = max(self.min_nodes, self._nodes_of_tasks)

    def _count_gres(self, ask: JobAsk, partition: Partition, site: SlurmSite) -> None:
        """Generic resources on each node, and GPUs of the whole job (§5.7)."""
        per_node = ask.gres_per_node
        self.most_per_gpu = ask.cpus_per_gpu or 0
        """The CPUs of a node that count for each of its GPUs; 0: all, as DefCpuPerGPU says only how many it takes."""
        self.gpus_per_job = self.gpus_per_task = self.cpus_per_gpu = self.cpus_of_gpus = 0
        self.gpus_per_socket = sum(one.count for one in ask.gres_per_socket if one.name == "gpu")
        kinds = {one.type for one in (*ask.gres_per_socket, *ask.gres_per_job, *ask.gres_per_task)}
        self.gpu_type = next(iter(kinds)) if len(kinds) == 1 else ""
        """Of the GPUs of the whole job, of tasks or of sockets, if all are of one type."""
        self.floor_of_gpus = 0
        """The CPUs of a node that its GPUs take at least."""
        self.gres: tuple[GresAsk, ...] = per_node
        in_all = asked_gpus(ask)
        self.tasks_per_gpu = ask.tasks_per_gpu or 0
        self.cpus_beside_gpu = self.tasks_per_gpu * self.cpus_per_task
        """The CPUs that a node has to have for each of its GPUs."""
        self.asks_gres = bool(per_node or in_all or ask.gres_per_task or self.gpus_per_socket)
        """Whether it asks for generic resources at all."""
        self.typed_only: dict[str, str] = typed_only(site) if self.asks_gres else {}
        """As what generic resources without a type count."""
        self.tracked_gres: dict[str, int] = {}
        """Generic resources of the whole request, by the names of TRES."""
        if not self.asks_gres:
            return
        self.tracked_gres = asked_gres(ask, self.min_nodes, self.tasks, self.typed_only)
        self.gpus_per_job = 0 if nodes_of_gpus(ask) else in_all  # those of each node say it all
        self.gpus_per_task = sum(one.count for one in ask.gres_per_task)
        self.gpus_per_job += self.gpus_per_task * self.tasks
        defaults = {**site.job_defaults, **partition.job_defaults}
        per_gpu = ask.cpus_per_gpu or (defaults.get("DefCpuPerGPU") if ask.cpus_per_task is None else None)
        gpus = self.gpus_per_job or sum(one.count for one in per_node if one.name == "gpu") * self.min_nodes
        self.cpus_per_gpu = per_gpu if per_gpu and (gpus or self.gpus_per_socket) else 0
        self.cpus_of_gpus = self.cpus_per_gpu * gpus
        self.cpus_beside_gpu = self.most_per_gpu or self.cpus_beside_gpu or self.cpus_per_gpu
        if self.gpus_per_task and ask.cpus_per_task is None:
            self.cpus_per_task = max(1, self.gpus_per_task * self.cpus_per_gpu)
        on_node = self.gpus_on_node() or self.gpus_per_socket * (ask.sockets_per_node or 1)
        if not on_node:
            on_node = self.gpus_per_task * self.tasks_per_node if self.gpus_per_task else 1
        self.floor_of_gpus = self.cpus_per_gpu * on_node

    def gpus_on_node(self) -> int:
        """GPUs asked of each node; 0 where they are counted for the whole job."""
        return sum(one.count for one in self.gres if one.name == "gpu")
