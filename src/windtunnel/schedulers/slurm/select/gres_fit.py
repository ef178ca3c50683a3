"""Whether what a job asks of generic resources is free on a node, and the traces that such tests leave (§5.7)."""

from math import ceil

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.plain_fit import PlainFit

__all__ = ["GresFit"]


@mypyc_attr(allow_interpreted_subclasses=True)
class GresFit(PlainFit):
    """Tests nodes of one cluster for generic resources, also of jobs that are not plain."""

    def _by_shape(self, demand: Demand, node: int, free: int) -> int:
        """What threads and cores that are asked for leave (§5.2)."""
        threads = self.cluster.threads[node]
        if demand.one_thread and threads > 1:
            free //= threads
        elif demand.tasks_per_core and threads > 1:
            cores, each = free // threads, demand.cpus_per_task
            if demand.tasks_per_core == 1 and each > threads:  # threads beside the end of a task are left
                tasks, rest = divmod(cores, ceil(each / threads))
                return tasks * each + rest * threads
            free = cores * min(threads, demand.tasks_per_core * each)
        return free

    def _leave_traces(self, demand: Demand, used: int, held: Occupancy) -> None:
        """Jobs that want nodes with GPUs alone leave their traces also where others have CPUs, but no GPU (§5.7).

        Not where jobs share cores.
        """
        for node in bits(used):
            if any(held.holdings[job].oversubscribes for job in held.on_node[node]):
                continue
            if not any(table[node] for table in held.gres.values()) and self._has_room(demand, node, held):
                self._has_gres(demand, node, held)

    def _has_room(self, demand: Demand, node: int, held: Occupancy) -> bool:
        """Whether there is memory for the least that a job takes of a node: generic resources are looked at after."""
        if not self.memory or demand.memory_per_gpu is not None:
            return True
        own = self.cluster.memory[node]
        if demand.memory_per_cpu is not None:
            return demand.memory_per_cpu * demand.least_cpus <= own - held.memory[node]
        return (demand.memory_per_node or own) <= own - held.memory[node]

    def _has_gres(self, demand: Demand, node: int, held: Occupancy) -> bool:
        """Whether what is asked of each node is free there; leaves its trace on the node's weight (§5.7)."""
        gpus = 0
        for ask in demand.gres:
            if ask.name not in held.gres:
                return False
            own = self.cluster.gres_indices(node, ask.name, ask.type)
            if (own & ~held.gres[ask.name][node]).bit_count() < ask.count:
                return False
            if held.typed and held.free_gres(node, ask.name, ask.type).bit_count() < ask.count:
                return False
            if ask.name == "gpu":
                gpus += self.free_gpus(node, held) if demand.exclusive else ask.count
        if demand.gpus_per_job:
            free = self.gpus_with_memory(demand, node, held)
            if not free:
                return False
            if demand.max_nodes == 1 and free < demand.gpus_per_job:
                return False
            gpus = gpus or (free if demand.exclusive and demand.gpus_per_task else min(free, demand.gpus_per_job))
        if demand.gpus_per_socket:
            gpus = self.free_gpus(node, held, demand.gpu_type)
            if gpus < demand.gpus_on_sockets:
                return False
        if gpus and demand.cpus_beside_gpu:  # of all its CPUs, whoever has them
            most = self._by_shape(demand, node, self.cluster.cpus[node]) // demand.cpus_beside_gpu
            if most < max(1, demand.gpus_on_node(), demand.gpus_per_task, demand.gpus_per_socket):
                return False
            gpus = min(gpus, most)
        if gpus:
            self.weights.count_gpus((node,), gpus)
        return True

    def gpus_with_memory(self, demand: Demand, node: int, held: Occupancy) -> int:
        """The free GPUs of a node for which there is memory, if the job asks for memory for each."""
        free, each = self.free_gpus(node, held, demand.gpu_type), demand.memory_per_gpu
        if not (self.memory and each):
            return free
        return min(free, int((self.cluster.memory[node] - held.memory[node]) // each))

    def gpus_seen(self, demand: Demand, node: int, held: Occupancy) -> int:
        """All free GPUs of a node of the types that a job asks for, by whatever they are counted."""
        kinds = {one.type for one in demand.gres if one.name == "gpu"}
        if demand.gpus_per_job or demand.gpus_per_task or demand.gpus_per_socket:
            kinds.add(demand.gpu_type)
        if "" in kinds:
            return self.gpus_with_memory(demand, node, held)
        return sum([self.free_gpus(node, held, kind) for kind in kinds])
