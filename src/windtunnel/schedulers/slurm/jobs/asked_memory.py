"""CPUs and memory that a job asks for, and what limits of memory make of them (§5.2)."""

from math import ceil

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import JobAsk, OverSubscribe, Partition, SlurmNode, SlurmSite
from windtunnel.schedulers.slurm.jobs.asked_counts import AskedCounts
from windtunnel.schedulers.slurm.jobs.asked_tasks import cpus_of_tasks, nodes_of_gpus

__all__ = ["AskedMemory"]


@mypyc_attr(allow_interpreted_subclasses=True)
class AskedMemory(AskedCounts):
    """A request with its CPUs and memory, defaults of partition and site applied."""

    __slots__ = (
        "asked",
        "asked_cpus",
        "cpus",
        "default_memory",
        "exclusive",
        "least_cpus",
        "memory_per_cpu",
        "memory_per_gpu",
        "memory_per_node",
        "min_cpus_per_node",
        "node_memory",
        "too_much_memory",
        "too_much_of_whole",
        "whole_memory",
    )

    def __init__(self, ask: JobAsk, partition: Partition, site: SlurmSite, first: SlurmNode | None) -> None:
        """``first``: the first node of the partition."""
        super().__init__(ask, partition, site)
        self.cpus = max(cpus_of_tasks(ask, self.tasks), 0 if nodes_of_gpus(ask) else self.min_nodes)
        """CPUs in all (NumCPUs of the pending job)."""
        self.min_cpus_per_node = ask.min_cpus_per_node or 0
        self.exclusive = ask.exclusive or partition.over_subscribe is OverSubscribe.EXCLUSIVE
        self._count_memory(ask, partition, site)
        self.node_memory = first.memory if first is not None and self.whole_memory else 0
        """Of a job that asks for none: that of a node, as it is counted until it starts."""
        self._limit_memory(partition, site, first)
        on_node = 1 if ask.tasks == 1 else max(1, self.tasks_per_node)  # a single task gets no CPUs for others
        self.least_cpus = max(1, self.min_cpus_per_node, self.asked[1] * on_node)
        """CPUs that are taken of each node at least; MaxMemPerCPU raises none of tasks that are counted."""

    def _count_memory(self, ask: JobAsk, partition: Partition, site: SlurmSite) -> None:
        """Memory for each node or CPU; neither asked nor defaulted: all of a node's (§5.2)."""
        self.memory_per_node: int | None = ask.memory_per_node
        self.memory_per_cpu: int | None = ask.memory_per_cpu
        self.memory_per_gpu: int | None = ask.memory_per_gpu
        """MB for each GPU of a node."""
        self.default_memory: tuple[int | None, int | None] = (None, None)
        """For each CPU, or node, where GPUs have theirs: limits of memory look at it all the same."""
        if self.memory_per_node is None and self.memory_per_cpu is None:
            default = _default_memory(partition, site)
            if ask.memory_per_gpu is None:
                self.memory_per_cpu, self.memory_per_node = default
            else:
                self.default_memory = default
        gpus = self.gpus_per_job or (self.gpus_on_node() if self.gres else 0)
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
        """Whether its memory exceeds the limit of a node,"""
        self.too_much_of_whole = False
        """and whether it does if the job gets whole nodes."""
        if not (per_cpu or per_node):
            return
        each, on_node = self.memory_per_cpu, self.node_memory or self.memory_per_node  # whatever other nodes have
        if self.memory_per_gpu is not None:
            each, on_node = self.default_memory
            if each is None and not on_node and first is not None:
                on_node = first.memory
        if per_cpu and each is not None and each > per_cpu:
            times = ceil(each / per_cpu)
            each = ceil(each / times)
            self._raise_cpus(times)
        elif per_cpu and on_node and self._least_on_node() < ceil(on_node / per_cpu):
            self.min_cpus_per_node = ceil(on_node / per_cpu)
            if self.tasks_per_node:
                self.cpus_per_task = ceil(self.min_cpus_per_node / self.tasks_per_node)
        if per_node:
            alone = self.exclusive or site.select.type == "linear"
            of_tasks = self._cpus_on_node()
            whole = first.cpus if first is not None else of_tasks
            self.too_much_of_whole = (on_node or (each or 0) * whole) > per_node
            self.too_much_memory = self.too_much_of_whole if alone else (on_node or (each or 0) * of_tasks) > per_node

    def want_whole(self) -> None:
        """It gets whole nodes, as another of its partitions gives these."""
        self.exclusive = True
        self.too_much_memory = self.too_much_of_whole

    def _raise_cpus(self, times: int) -> None:
        """Each task has so many times the CPUs, and each of these less memory."""
        if self.memory_per_cpu is not None:
            self.memory_per_cpu = ceil(self.memory_per_cpu / times)
        self.cpus_per_task *= times
        self.cpus = max(self.cpus, self.tasks * self.cpus_per_task)
        if not self.tasks_given:
            self.min_cpus_per_node = self.cpus_per_task

    def _least_on_node(self) -> int:
        """The CPUs that it needs of each node at least: those of its tasks there, if it has several."""
        tasks = self.tasks_per_node if self.tasks > 1 else 1
        return max(self.min_cpus_per_node, self.cpus_per_task * max(1, tasks))

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

    def take_over(self, other: "AskedMemory") -> None:
        """Have the memory of another partition, and the CPUs that are needed for it."""
        self.memory_per_cpu, self.memory_per_node = other.memory_per_cpu, other.memory_per_node
        self.cpus_per_task, self.cpus, self.min_cpus_per_node = (
            other.cpus_per_task,
            other.cpus,
            other.min_cpus_per_node,
        )
        self.least_cpus = other.least_cpus


def _default_memory(partition: Partition, site: SlurmSite) -> tuple[int | None, int | None]:
    """MB for each CPU, or else for each node, that a partition or the site gives jobs which ask for none."""
    for per_cpu, per_node in (
        (partition.default_memory_per_cpu, partition.default_memory_per_node),
        (site.default_memory_per_cpu, site.default_memory_per_node),
    ):
        if per_cpu is not None:
            return per_cpu, None
        if per_node is not None:
            return None, per_node
    return None, None
