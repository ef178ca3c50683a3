"""What of each node jobs could use that ask for CPUs, memory and GPUs in the plainest way: most jobs (§5.2)."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.nodes.weights import NodeWeights

__all__ = ["PlainFit", "in_steps", "in_whole_cores", "of_tasks", "task_bounds"]


@mypyc_attr(allow_interpreted_subclasses=True)
class PlainFit:
    """Counts what such jobs could use on the nodes of one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        select = cluster.site.select
        self.memory = select.memory
        self.turns = "GANG" in cluster.site.preempt.mode
        """Whether jobs that have the same cores take turns: then even those that want whole nodes do."""
        self.by_core = select.counts in ("CORE", "SOCKET")
        self.by_socket = select.counts == "SOCKET"
        self.steps = [self._step(node) for node in range(cluster.size)]
        """CPUs of each node that are given up together where there is too little memory for all."""
        kinds: dict[tuple[int, int, int, float], int] = {}
        described = zip(cluster.cpus, cluster.cores, cluster.threads, cluster.memory, strict=True)
        self.sorts = [kinds.setdefault(one, len(kinds)) for one in described]
        """Of each node the number of its sort: those of one have as many CPUs, cores, threads, and memory."""
        self.nodes_of_sorts = [0] * len(kinds)
        """The nodes of each sort."""
        for node, sort in enumerate(self.sorts):
            self.nodes_of_sorts[sort] |= 1 << node
        self.gpu_nodes = cluster.gres_nodes.get("gpu", 0)
        self.bound = cluster.bound.nodes
        """Nodes with GPUs that are bound to sockets."""
        self.gpus_with_cpus: dict[int, int] = {}
        """Of such nodes the GPUs for which one selection has found CPUs (:mod:`~.gpu_cores`)."""
        self.near_cpus: dict[int, int] = {}
        """At its first try the CPUs of the sockets of which it has left any core."""
        self.weights = NodeWeights(cluster)
        """Tests of GPU jobs leave traces on them."""
        self.least_memory = True
        """Whether a node has to have memory for the least CPUs of a job: nobody asks whether it ever could."""

    def _step(self, node: int) -> int:
        """A socket, a core or a CPU."""
        threads = self.cluster.threads[node]
        if self.by_socket:
            return self.cluster.sockets[node][0].bit_count() * threads
        return threads if self.by_core else 1

    def of_plain_tasks(self, demand: Demand, nodes: int, held: Occupancy) -> dict[int, int]:
        """The CPUs of each node that a job could use which asks for CPUs and memory alone: most jobs do."""
        idle, memory, taken = held.idle, self.cluster.memory, held.memory
        per_task = demand.cpus_per_task
        least = demand.least_tasks * per_task
        need = max(least, demand.min_cpus_per_node, 1)
        each, few = demand.memory_per_cpu, demand.least_cpus if self.least_memory else 0
        whole = demand.memory_per_node
        found = {}
        for node in bits(nodes):
            free = idle[node]
            if free < need:
                continue
            if self.memory:
                left = memory[node] - taken[node]
                if each is None:
                    if (whole or memory[node]) > left:
                        continue
                else:
                    if each > 0 and free * each > left:
                        if each * few > left:
                            continue
                        free = in_steps(free, int(left // each), self.steps[node])
                    if per_task > 1:
                        free -= free % per_task
                    if free < least:
                        continue
            found[node] = free
        return found

    def of_gpu_tasks(self, demand: Demand, nodes: int, held: Occupancy) -> dict[int, int]:
        """The same for jobs that ask each node for GPUs as well: most of those that ask for GPUs."""
        free_of, memory, taken, exclusive = held.idle, self.cluster.memory, held.memory, held.exclusive
        if "gpu" not in held.gres:
            return {}
        own, busy = self.cluster.gres_sets("gpu"), held.gres["gpu"]
        gpus = demand.gres[0].count
        each, whole = demand.memory_per_cpu, demand.memory_per_node
        least, step = demand.least_cpus, demand.cpus_per_task
        needed = demand.least_tasks * step
        need = max(needed, demand.min_cpus_per_node, 1)
        found: dict[int, int] = {}
        traced: list[int] = []
        for node in bits(nodes):
            left = memory[node] - taken[node]
            if self.memory and (each * least if each is not None else whole or memory[node]) > left:
                continue
            if (own[node] & ~busy[node]).bit_count() < gpus or (held.typed and self.free_gpus(node, held) < gpus):
                continue
            traced.append(node)
            free = free_of[node]
            if free < need:
                continue
            if self.memory and each is not None:
                if each > 0 and free * each > left:
                    free = in_steps(free, int(left // each), self.steps[node])
                if step > 1:
                    free -= free % step
                if free < needed:
                    continue
            if exclusive and exclusive >> node & 1:
                continue
            free = of_tasks(demand, len(self.cluster.sockets[node]), free)
            if free > 0:
                found[node] = free
        self.weights.count_gpus(traced, gpus)
        return found

    def free_gpus(self, node: int, held: Occupancy, kind: str = "") -> int:
        """GPUs of a node that nobody has, of one type or any."""
        return held.free_gres(node, "gpu", kind).bit_count()


def task_bounds(demand: Demand, sockets: int, tasks: int) -> tuple[int, int]:
    """How many tasks a node has to hold at least, and how many it can hold at most: none (0) if these are fewer.

    ``sockets``: as many as the node has; ``tasks``: for so many there are CPUs.
    """
    least, most = 1, tasks
    if demand.tasks_per_node:
        least = most = demand.tasks_per_node
    elif demand.tasks_per_socket:
        least, most = demand.tasks_per_socket, demand.tasks_per_socket * sockets
    elif demand.tasks_of_core:
        least = demand.tasks_of_core
    elif demand.tasks_per_gpu:
        least = most = demand.tasks // max(1, demand.min_nodes)
    elif demand.tasks_given and demand.own_most == 1:
        least = most = demand.tasks
    elif demand.tasks_given and (demand.tasks == 1 or demand.tasks == demand.min_nodes == demand.max_nodes):
        most = 1
    elif demand.gpus_per_task and not demand.tasks_given:
        most = 1  # of a job that gives nodes alone there is one on each
    return least, min(most, tasks) if tasks >= least else 0


def of_tasks(demand: Demand, sockets: int, free: int, gpus: int = 0, beside: bool = False) -> int:
    """Of jobs with generic resources, no more CPUs of a node count than its tasks, or its GPUs, use; tasks are whole.

    ``sockets``: as many as the node has; ``gpus``: those of its GPUs that are free; ``beside``: with the CPUs of GPUs
    that have tasks, also where those are not counted.
    """
    each = demand.cpus_per_task
    tasks = free // each
    least, most = task_bounds(demand, sockets, tasks)
    if demand.gpus_per_task:
        most = min(most, gpus // demand.gpus_per_task)
    if most < least:
        return 0
    tasks = most
    if not demand.cpus_beside_gpu or demand.gpus_per_socket:
        return tasks * each
    count = max(tasks * each, _gpus_taken(demand, tasks, free, gpus) * demand.cpus_beside_gpu)
    if count > free:
        return 0
    return count if demand.cpus_per_gpu or beside else tasks * each


def _gpus_taken(demand: Demand, tasks: int, free: int, gpus: int) -> int:
    """For how many of the free GPUs of a node CPUs count there."""
    if demand.gres:
        return demand.gpus_on_node()
    if demand.gpus_per_task:
        return demand.gpus_per_task * tasks
    return min(gpus, demand.gpus_per_job, free // demand.cpus_beside_gpu)


def in_steps(free: int, most: int, step: int) -> int:
    """So many CPUs at most, of those that are free, given up step by step."""
    return free if free <= most else max(0, free - -(-(free - most) // step) * step)


def in_whole_cores(cpus: int, threads: int) -> int:
    """The CPUs of the cores that so many CPUs are on."""
    return -(-cpus // threads) * threads
