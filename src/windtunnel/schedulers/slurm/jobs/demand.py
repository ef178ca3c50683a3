"""What a job asks for in numbers, as sbatch and slurmctld work it out before any node is looked at (§5.2, §5.3)."""

from collections.abc import Mapping
from math import ceil
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import JobAsk, OverSubscribe, Partition, Qos, SlurmNode, SlurmSite
from windtunnel.schedulers.slurm.jobs.asked_memory import AskedMemory

__all__ = ["Demand", "time_limit"]

_YEAR: Final = 365 * 24 * 60


def time_limit(ask: JobAsk, partition: Partition) -> int:
    """Minutes for which a job is planned: its own limit, else the partition's, else a year (§1)."""
    for limit in (ask.time_limit, partition.default_time, partition.max_time):
        if limit is not None:
            return limit
    return _YEAR


@mypyc_attr(allow_interpreted_subclasses=True)
class Demand(AskedMemory):
    """A job's request in one partition, defaults of partition and site applied."""

    __slots__ = (
        "billing_weights",
        "cores_per_socket",
        "exclusive_user",
        "few_nodes",
        "forced",
        "gpus_alone",
        "gpus_on_sockets",
        "least_there",
        "licences",
        "lifts_least",
        "lifts_most",
        "of_sockets",
        "one_node",
        "one_thread",
        "over_subscribe",
        "plain_shape",
        "requested_nodes",
        "shares_cores",
        "sockets_per_node",
        "tasks_of_core",
        "tasks_per_core",
        "tasks_per_socket",
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
        super().__init__(ask, partition, site, first)
        self.licences = ask.licences
        self.billing_weights: Mapping[str, float] = partition.billing_weights
        """What its priority reckons with: in all partitions that it names those of the first."""
        sharing = partition.over_subscribe
        self.shares_cores = partition.share_count > 1
        self.forced: bool = sharing is OverSubscribe.FORCE
        """Whether it shares what it has, even whole nodes."""
        self.tasks_per_socket = ask.tasks_per_socket
        alone = "CR_ONE_TASK_PER_CORE" in site.select.flags
        by_gpus = alone and self.floor_of_gpus > 0  # all threads count where CPUs follow from GPUs
        self.tasks_per_core = (1 if alone else None) if ask.tasks_per_core is None else ask.tasks_per_core
        several = self.tasks_per_core or 0
        self.least_there = several if several > 1 and not by_gpus and not self.asks_gres else 0
        """CPUs that have to be free on a node at all: as many as it wants tasks of a core."""
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
            self.counted_nodes = max(self.counted_nodes, partition.min_nodes)
            self.least_asked = max(self.least_asked, partition.min_nodes)
        if site.select.type != "linear":
            self._hold_tasks()
        self.few_nodes: bool = ask.use_min_nodes
        self._request_nodes()
        plain = not (
            self.gpus_per_job
            or self.exclusive_user
            or self.one_thread
            or self.tasks_per_core
            or self.least_there
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
        """How many nodes are looked for: of a range the most, otherwise the least, whatever tasks make of that."""
        self.requested_nodes = self.max_nodes if self.nodes_given and not self.few_nodes else self.least_asked

    def bound(self, most: int) -> None:
        """No more than so many nodes are looked for."""
        self.max_nodes = min(self.max_nodes, most)
        self._request_nodes()

    def _sockets_known(self) -> int:
        """The sockets of a node that are known to be used: by ``--ntasks-per-socket``; one where nothing is known."""
        low = max(1, self.counted_nodes)
        if not self.tasks_per_socket or max(self.cpus, self.tasks * self.cpus_per_task) // low <= 1:
            return 1
        return ceil(self.tasks // low / self.tasks_per_socket)

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
            self.least_there,
            self.cores_per_socket,
            self.sockets_per_node,
            self.one_thread,
            self.min_cpus_per_node,
            self.exclusive,
            self.exclusive_user,
            self.over_subscribe,
        )
