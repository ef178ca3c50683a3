"""What a job asks for in numbers, as sbatch and slurmctld work it out before any node is looked at (§5.2, §5.3)."""

from collections.abc import Mapping
from math import ceil
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import GresAsk, JobAsk, OverSubscribe, Partition, Qos, SlurmNode, SlurmSite
from windtunnel.schedulers.slurm.jobs.asked_gres import asked_gres, typed_only
from windtunnel.schedulers.slurm.jobs.asked_tasks import asked_gpus, asked_tasks, cpus_of_tasks, named_nodes

__all__ = ["Demand", "time_limit"]

_MANY: Final = 10**9
_YEAR: Final = 365 * 24 * 60


def time_limit(ask: JobAsk, partition: Partition) -> int:
    """Minutes for which a job is planned: its own limit, else the partition's, else a year (§1)."""
    for limit in (ask.time_limit, partition.default_time, partition.max_time):
        if limit is not None:
            return limit
    return _YEAR


@mypyc_attr(allow_interpreted_subclasses=True)
class Demand:
    """A job's request in one partition, defaults of partition and site applied."""

    __slots__ = (
        "asked",
        "asked_cpus",
        "asks_gres",
        "billing_weights",
        "cores_per_socket",
        "cpus",
        "cpus_beside_gpu",
        "cpus_of_gpus",
        "cpus_per_gpu",
        "cpus_per_task",
        "exclusive",
        "exclusive_user",
        "few_nodes",
        "floor_of_gpus",
        "forced",
        "gpu_type",
        "gpus_alone",
        "gpus_on_sockets",
        "gpus_per_job",
        "gpus_per_socket",
        "gpus_per_task",
        "gres",
        "least_asked",
        "least_cpus",
        "licences",
        "lifts_least",
        "lifts_most",
        "max_nodes",
        "memory_per_cpu",
        "memory_per_gpu",
        "memory_per_node",
        "min_cpus_per_node",
        "min_nodes",
        "most_asked",
        "most_looked_for",
        "most_per_gpu",
        "node_memory",
        "nodes_given",
        "of_sockets",
        "one_node",
        "one_thread",
        "over_subscribe",
        "own_most",
        "plain_shape",
        "requested_nodes",
        "shares_cores",
        "sockets_per_node",
        "tasks",
        "tasks_given",
        "tasks_of_core",
        "tasks_per_core",
        "tasks_per_gpu",
        "tasks_per_node",
        "tasks_per_socket",
        "too_much_memory",
        "tracked_gres",
        "typed_only",
        "whole_memory",
    )

    def __init__(
        self,
        ask: JobAsk,
        partition: Partition,
        site: SlurmSite,
        first: SlurmNode | None = None,
        qos: Qos | None = None,
    ) -> None:
        """``first``: the first node of the partition; ``qos``: the job's own."""
        self.min_nodes: int = 1
        self.least_asked: int = 1
        self.max_nodes: int = _MANY
        self.tasks: int = 1
        self.nodes_given: bool = ask.min_nodes is not None
        self._count_nodes(ask)
        self.own_most = self.max_nodes if self.most_asked else 0
        """The most nodes that its request leaves it, whatever partitions and limits do; 0: any number."""
        self.most_looked_for = self.most_asked
        """The same, and of a job that is spread as many as it has tasks, unless nodes follow from them."""
        if ask.spread and not (self.nodes_given or self.tasks_per_node):
            self.most_looked_for = min(self.tasks, len(site.nodes))
        self.cpus_per_task: int = ask.cpus_per_task or 1
        self._count_gres(ask, partition, site)
        self.licences = ask.licences
        self.billing_weights: Mapping[str, float] = partition.billing_weights
        """What its priority reckons with: in all partitions that it names those of the first."""
        self.cpus = max(cpus_of_tasks(ask, self.tasks), self.min_nodes)
        """CPUs in all (NumCPUs of the pending job)."""
        self.min_cpus_per_node = ask.min_cpus_per_node or 0
        sharing = partition.over_subscribe
        self.exclusive = ask.exclusive or sharing is OverSubscribe.EXCLUSIVE
        self.shares_cores = partition.share_count > 1
        self.forced: bool = sharing is OverSubscribe.FORCE
        """Whether it shares what it has, even whole nodes."""
        self._count_memory(ask, partition, site)
        self.node_memory = first.memory if first is not None and self.whole_memory else 0
        """Of a job that asks for none: that of a node, as it is counted until it starts."""
        self._limit_memory(partition, site, first)
        self.tasks_per_socket = ask.tasks_per_socket
        alone = "CR_ONE_TASK_PER_CORE" in site.select.flags
        by_gpus = alone and self.floor_of_gpus > 0  # all threads count where CPUs follow from GPUs
        self.tasks_per_core = (1 if alone else None) if ask.tasks_per_core is None else ask.tasks_per_core
        self.tasks_of_core = (self.tasks_per_core or 0) if self.asks_gres else 0
        """How many tasks a core holds for one with generic resources; 0: nothing is said of it."""
        if by_gpus:
            self.tasks_per_core = 0
        if self.tasks_per_core and self.tasks_per_core > 1:
            threads = max([node.threads_per_core for node in site.nodes], default=1)
            if self.tasks_per_core * self.cpus_per_task >= threads:
                self.tasks_per_core = 0  # no core holds more anyway
        self.cores_per_socket = ask.cores_per_socket
        self.sockets_per_node = ask.sockets_per_node
        self.of_sockets = bool(self.cores_per_socket or self.sockets_per_node or self.tasks_per_socket)
        """Whether it says anything of sockets."""
        self.gpus_on_sockets = self.gpus_per_socket * self._sockets_known()
        """The GPUs that a node has to have for its sockets."""
        self.one_thread = ask.threads_per_core == 1 and not by_gpus
        on_node = 1 if ask.tasks == 1 else max(1, self.tasks_per_node)  # a single task gets no CPUs for others
        self.least_cpus = max(1, self.min_cpus_per_node, self.asked[1] * on_node)
        """CPUs that are taken of each node at least; MaxMemPerCPU raises none of tasks that are counted."""
        self.exclusive_user: bool = ask.exclusive_user or partition.exclusive_user
        self.over_subscribe = sharing is OverSubscribe.FORCE or (sharing is OverSubscribe.YES and ask.over_subscribe)
        self.lifts_most = qos is not None and qos.has("PartitionMaxNodes")
        """Whether its QOS lets it have more nodes than the partition does, if it says how many."""
        self.lifts_least = qos is not None and qos.has("PartitionMinNodes")
        """Whether its QOS lets it have fewer."""
        if partition.max_nodes is not None and not (self.lifts_most and self.most_asked):
            self.max_nodes = min(self.max_nodes, partition.max_nodes)
        self.one_node = self.own_most == 1
        """Whether it allows one node only: those are left out at once on which its tasks do not fit all."""
        if not (self.lifts_least and 0 < self.most_asked < partition.min_nodes):
            self.min_nodes = max(self.min_nodes, partition.min_nodes)
            self.least_asked = max(self.least_asked, partition.min_nodes)
        self.few_nodes: bool = ask.use_min_nodes
        self._request_nodes()
        plain = not (
            self.gpus_per_job
            or self.exclusive_user
            or self.one_thread
            or self.tasks_per_core
            or self.tasks_of_core
            or self.of_sockets
            or self.cpus_beside_gpu
            or self.gpus_per_task
            or self.gpus_per_socket
        )
        self.plain_shape = plain and not self.gres
        """Whether a node's free CPUs and memory say what the job could use of it."""
        one = self.gres[0] if len(self.gres) == 1 else None
        self.gpus_alone = plain and one is not None and one.name == "gpu" and not one.type and one.count > 0
        """Whether its free GPUs, of whatever type, do besides."""

    @property
    def alone(self) -> bool:
        """Whether nobody else may be on its nodes."""
        return self.exclusive and not self.forced

    @property
    def starts_alone(self) -> bool:
        """Whether it starts on nodes only that nobody has: plans of FORCE:1 do not know of that."""
        return self.exclusive and not (self.forced and self.shares_cores)

    @property
    def least_tasks(self) -> int:
        """The tasks that have to find room on a node."""
        return self.tasks_per_node or (self.tasks if self.one_node and self.tasks_given else 1)

    def _request_nodes(self) -> None:
        """How many nodes are looked for: of a range the most, otherwise the least."""
        self.requested_nodes = self.max_nodes if self.nodes_given and not self.few_nodes else self.min_nodes

    def bound(self, most: int) -> None:
        """No more than so many nodes are looked for."""
        self.max_nodes = min(self.max_nodes, most)
        self._request_nodes()

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
        self.min_nodes = max(low, named_nodes(ask))
        self.max_nodes = max(self.max_nodes, self.min_nodes)

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
        self.gpus_per_job = in_all
        self.gpus_per_task = sum(one.count for one in ask.gres_per_task)
        self.gpus_per_job += self.gpus_per_task * self.tasks
        defaults = {**site.job_defaults, **partition.job_defaults}
        per_gpu = ask.cpus_per_gpu or (defaults.get("DefCpuPerGPU") if ask.cpus_per_task is None else None)
        gpus = self.gpus_per_job or sum(one.count for one in per_node if one.name == "gpu") * self.min_nodes
        self.cpus_per_gpu = per_gpu if per_gpu and (gpus or self.gpus_per_socket) else 0
        self.cpus_of_gpus = self.cpus_per_gpu * gpus
        self.cpus_beside_gpu = self.cpus_per_gpu or self.cpus_beside_gpu
        if self.gpus_per_task and ask.cpus_per_task is None:
            self.cpus_per_task = max(1, self.gpus_per_task * self.cpus_per_gpu)
        on_node = self.gpus_on_node() or self.gpus_per_socket * (ask.sockets_per_node or 1)
        if not on_node:
            on_node = self.gpus_per_task * self.tasks_per_node if self.gpus_per_task else 1
        self.floor_of_gpus = self.cpus_per_gpu * on_node

    def _sockets_known(self) -> int:
        """The sockets of a node that are known to be used: by ``--ntasks-per-socket``; one where nothing is known."""
        low = max(1, self.min_nodes)
        if not self.tasks_per_socket or max(self.cpus, self.tasks * self.cpus_per_task) // low <= 1:
            return 1
        return ceil(self.tasks // low / self.tasks_per_socket)

    def _count_memory(self, ask: JobAsk, partition: Partition, site: SlurmSite) -> None:
        """Memory for each node or CPU; neither asked nor defaulted: all of a node's (§5.2)."""
        self.memory_per_node: int | None = ask.memory_per_node
        self.memory_per_cpu: int | None = ask.memory_per_cpu
        if self.memory_per_node is None and self.memory_per_cpu is None and ask.memory_per_gpu is None:
            for per_cpu, per_node in (
                (partition.default_memory_per_cpu, partition.default_memory_per_node),
                (site.default_memory_per_cpu, site.default_memory_per_node),
            ):
                if per_cpu is not None or per_node is not None:
                    self.memory_per_cpu, self.memory_per_node = per_cpu, None if per_cpu is not None else per_node
                    break
        gpus = self.gpus_per_job or (self.gpus_on_node() if self.gres else 0)
        self.memory_per_gpu: int | None = ask.memory_per_gpu
        """MB for each GPU of a node."""
        if self.memory_per_gpu is None and gpus and self.memory_per_cpu is None and self.memory_per_node is None:
            self.memory_per_gpu = partition.job_defaults.get("DefMemPerGPU", site.job_defaults.get("DefMemPerGPU"))
        self.whole_memory = not self.memory_per_node and self.memory_per_cpu is None and self.memory_per_gpu is None

    def _limit_memory(self, partition: Partition, site: SlurmSite, first: SlurmNode | None) -> None:
        """Too much memory for each CPU is had by more CPUs (MaxMemPerCPU); what exceeds MaxMemPerNode is refused."""
        self.asked = (self.memory_per_cpu, self.cpus_per_task, self.cpus, self.min_cpus_per_node)
        """What MaxMemPerCPU raises, as it was asked for."""
        per_cpu, per_node = partition.max_memory_per_cpu, partition.max_memory_per_node
        if per_cpu is None and per_node is None:
            per_cpu, per_node = site.max_memory_per_cpu, site.max_memory_per_node
        self.asked_cpus = self.cpus
        self.too_much_memory = False
        """Whether its memory exceeds the limit of a node."""
        if not (per_cpu or per_node):
            return
        on_node = self.node_memory or self.memory_per_node  # whatever other nodes have
        if per_cpu and self.memory_per_cpu is not None and self.memory_per_cpu > per_cpu:
            times = ceil(self.memory_per_cpu / per_cpu)
            self.memory_per_cpu = ceil(self.memory_per_cpu / times)
            self.cpus_per_task *= times
            self.cpus = max(self.cpus, self.tasks * self.cpus_per_task)
            if not self.tasks_given:
                self.min_cpus_per_node = self.cpus_per_task
        elif per_cpu and on_node and self.min_cpus_per_node < ceil(on_node / per_cpu):
            self.min_cpus_per_node = ceil(on_node / per_cpu)
            if self.tasks_per_node:
                self.cpus_per_task = ceil(self.min_cpus_per_node / self.tasks_per_node)
        if per_node:
            alone = self.exclusive or site.select.type == "linear"
            cpus = first.cpus if alone and first is not None else self._cpus_on_node()
            self.too_much_memory = (on_node or (self.memory_per_cpu or 0) * cpus) > per_node

    def _cpus_on_node(self) -> int:
        """The CPUs of one node for which memory is counted."""
        tasks = max(1, self.tasks_per_node)
        if self.tasks_given and not self.tasks_per_node and self.most_asked:
            tasks = ceil(self.tasks / self.most_asked)
        return max(tasks * self.cpus_per_task, self.min_cpus_per_node)

    @property
    def raised(self) -> bool:
        """Whether it needs more CPUs, for so much memory, than it asks for."""
        return self.asked != (self.memory_per_cpu, self.cpus_per_task, self.cpus, self.min_cpus_per_node)

    def as_asked(self) -> None:
        """Forget that more CPUs are needed for so much memory: nobody knows that at submission."""
        self.memory_per_cpu, self.cpus_per_task, self.cpus, self.min_cpus_per_node = self.asked
        self.least_cpus = max(1, self.min_cpus_per_node, self.cpus_per_task * max(1, self.tasks_per_node))

    def signature(self) -> tuple[object, ...]:
        """All but memory that selection looks at."""
        return (
            self.min_nodes,
            self.max_nodes,
            self.requested_nodes,
            self.nodes_given,
            self.tasks,
            self.tasks_given,
            self.cpus,
            self.cpus_per_task,
            self.cpus_per_gpu,
            self.cpus_of_gpus,
            self.tasks_per_gpu,
            self.most_per_gpu,
            self.gpus_per_job,
            self.gpus_per_task,
            self.gpus_per_socket,
            self.gpu_type,
            tuple((one.name, one.type, one.count) for one in self.gres),
            self.tasks_per_node,
            self.tasks_per_socket,
            self.tasks_per_core,
            self.cores_per_socket,
            self.sockets_per_node,
            self.one_thread,
            self.min_cpus_per_node,
            self.exclusive,
            self.exclusive_user,
            self.over_subscribe,
        )

    def gpus_on_node(self) -> int:
        """GPUs asked of each node; 0 where they are counted for the whole job."""
        return sum(one.count for one in self.gres if one.name == "gpu")
