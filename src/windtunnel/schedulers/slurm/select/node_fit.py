"""What of one node a job could use: CPUs, memory and generic resources (§5.2, §5.7)."""

from math import ceil
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.core_layout import open_cores
from windtunnel.schedulers.slurm.select.free_sockets import free_in_sockets
from windtunnel.schedulers.slurm.select.gpu_cores import GpuCores, binds, most_gpus
from windtunnel.schedulers.slurm.select.gpu_counts import gpus_for_cpus, socket_cpus
from windtunnel.schedulers.slurm.select.gres_fit import GresFit
from windtunnel.schedulers.slurm.select.plain_fit import in_steps, in_whole_cores, of_tasks

__all__ = ["BENEATH", "EMPTY", "IDLE", "NodeFit", "left_of_most"]

IDLE: Final = -1
EMPTY: Final = -2
BENEATH: Final = -3
"""In place of a row of jobs that share; from the last one on downwards, the ways of :class:`~.tiers.Ways`."""
_NOBODY: Final[frozenset[str]] = frozenset()


@mypyc_attr(allow_interpreted_subclasses=True)
class NodeFit(GresFit):
    """Counts usable CPUs on single nodes of one cluster."""

    def _on_node(self, record: Record, node: int, held: Occupancy, row: int, near: bool) -> int:
        demand = record.demand
        beneath = self.beneath(record, row)
        in_use = row > EMPTY and held.jobs[node] and not beneath
        if demand.exclusive and in_use and (row < 0 or (demand.alone and not self.turns)):
            return 0
        if demand.exclusive_user and held.jobs[node] and held.of_others(node, record.job.user):
            return 0
        asks_gres = demand.asks_gres
        if asks_gres and not (self._has_room(demand, node, held) and self._has_gres(demand, node, held)):
            return 0
        if row > EMPTY and held.exclusive >> node & 1 and (not beneath or held.used_above(1 << node, beneath)):
            return 0
        free = self.free_cpus(record, node, held, row)
        if free <= 0 or (demand.exclusive and row >= 0 and free < self._left_by_others(record, node, held)):
            return 0
        if demand.of_sockets:
            free = min(free, self._of_sockets(record, node, held, row))
        if free < demand.least_there:
            return 0
        of_cores, free = free, self._by_shape(demand, node, free)
        if demand.one_thread or not self.cluster.threads[node] < demand.cpus_per_task:
            of_cores = free
        most, beyond = record.table.partition.max_cpus_per_node, 0
        if most is not None:  # so many count, whatever threads of their cores the job uses
            used = held.of_partition(node, record.table.name, self._taken(record, node, held, row))
            beyond = max(0, free - left_of_most(demand, most - used))
            free -= beyond
        if max(of_cores, free + beyond) < demand.min_cpus_per_node and not demand.tasks_per_socket:
            return 0  # MaxCPUsPerNode does not count here, nor GPUs for each task, nor threads that tasks leave over
        per_task = demand.cpus_per_task
        if demand.gpus_per_task:
            whole = self.by_socket or demand.exclusive
            if whole and self.memory and not self._with_memory(demand, node, held, free):
                return 0  # for no whole socket, or not for all CPUs
            free = min(free, self.free_gpus(node, held, demand.gpu_type) // demand.gpus_per_task * per_task)
        least = demand.least_tasks * per_task
        if free < max(least, demand.cpus_beside_gpu * demand.gpus_on_node(), demand.cpus_beside_gpu):
            return 0
        if demand.exclusive and demand.cpus_per_gpu and free < demand.cpus_per_gpu * self.free_gpus(node, held):
            return 0  # it gets all of its GPUs
        gpus = self.free_gpus(node, held, demand.gpu_type) if demand.cpus_beside_gpu or demand.gpus_per_task else 0
        if gpus and demand.cpus_beside_gpu and not (demand.gres or demand.gpus_per_task or demand.exclusive):
            self.weights.count_gpus((node,), min(gpus, demand.gpus_per_job, free // demand.cpus_beside_gpu))
        if self.memory:  # which is looked at after GPUs
            if self.least_memory and demand.memory_per_cpu is not None and not self._has_room(demand, node, held):
                return 0
            free = self._with_memory(demand, node, held, free)
            if free < max(least, (demand.tasks_per_socket or 0) * per_task):
                return 0
        if demand.gpus_per_socket:
            return self._of_socket_gpus(record, node, held, row, free)
        if not asks_gres:
            return free
        if self.bound >> node & 1 and binds(demand):
            return self._beside_gpus(record, node, held, row, free, near)
        if demand.tasks_per_gpu:  # GPUs count as cores are kept for them, of which tasks may use fewer
            threads = self.cluster.threads[node]
            kept = in_whole_cores(of_tasks(demand, len(self.cluster.sockets[node]), free, gpus, True), threads)
            self.gpus_with_cpus[node] = min(kept, free) // demand.cpus_beside_gpu
        return of_tasks(demand, len(self.cluster.sockets[node]), free, gpus)

    def _left_by_others(self, record: Record, node: int, held: Occupancy) -> int:
        """What a job has to get of a node that it wants whole: all that partitions leave which never make room."""
        others = self.cluster.untouched.get(record.table.name, _NOBODY)
        if not others:
            return self.cluster.cpus[node]
        taken = 0
        for job in held.on_node[node]:
            if held.holdings[job].partition in others:
                taken |= held.holdings[job].cores.get(node, 0)
        return (self.cluster.core_masks[node] & ~taken).bit_count() * self.cluster.threads[node]

    def _of_socket_gpus(self, record: Record, node: int, held: Occupancy, row: int, free: int) -> int:
        """The CPUs of a node that a job could use whose sockets have GPUs each; leaves its trace on the weight."""
        demand = record.demand
        gpus = gpus_for_cpus(demand, self.free_gpus(node, held, demand.gpu_type), free)
        if not gpus:
            return 0
        self.weights.count_gpus((node,), gpus)
        busy = self._taken(record, node, held, row)
        sockets = sum(1 for socket in self.cluster.sockets[node] if socket & ~busy)
        return socket_cpus(demand, sockets, free, of_tasks(demand, len(self.cluster.sockets[node]), free))

    def _beside_gpus(
        self, record: Record, node: int, held: Occupancy, row: int, free: int, near: bool
    ) -> int:
        """The CPUs of a node whose GPUs are bound to sockets that a job could use; leaves its trace on the weight."""
        demand, threads = record.demand, self.cluster.threads[node]
        busy = self._taken(record, node, held, row)
        if self.by_socket and row == IDLE:
            sockets = free_in_sockets(self.cluster, held, node, record.table.name)
        else:
            sockets = [socket & ~busy for socket in self.cluster.sockets[node]]
        if demand.of_sockets:
            sockets = open_cores(demand, sockets, threads)
        kind = next((one.type for one in demand.gres if one.name == "gpu"), demand.gpu_type)
        loose, bound = self.cluster.bound.of_sockets(node, held.free_gres(node, "gpu", kind))
        counts = [gpus.bit_count() for gpus in bound]
        cores = sum([socket.bit_count() for socket in sockets])
        most = most_gpus(demand, cores, threads, self.gpus_with_memory(demand, node, held))
        beside = loose.bit_count() + sum([own for own, socket in zip(counts, sockets, strict=True) if socket])
        self.weights.count_gpus((node,), min(beside, most or beside))
        share = GpuCores(demand, sockets, free, threads, near)
        share.gpus = self.gpus_with_cpus.get(node, -1)
        share.narrow(loose.bit_count(), counts, most)
        if share.gpus >= 0:
            self.gpus_with_cpus[node] = share.gpus
        if near:
            left = [own for own, socket in zip(self.cluster.sockets[node], share.sockets, strict=True) if socket]
            self.near_cpus[node] = sum([own.bit_count() for own in left]) * threads
        return share.cpus

    def free_cpus(self, record: Record, node: int, held: Occupancy, row: int) -> int:
        """CPUs of a node that the job could have, whatever memory it wants (``row`` as in `usable`)."""
        cluster = self.cluster
        if row == IDLE:
            busy = held.cores[node]
            if self.by_socket:
                free = free_in_sockets(cluster, held, node, record.table.name)
                return sum([socket.bit_count() for socket in free]) * cluster.threads[node]
            return cluster.free_of(node, busy, held.cpus[node])
        busy = self._taken(record, node, held, row)
        return (cluster.core_masks[node] & ~busy).bit_count() * cluster.threads[node]

    def _taken(self, record: Record, node: int, held: Occupancy, row: int) -> int:
        """Cores of a node that the job could not have."""
        if row == EMPTY:
            return 0
        if row == IDLE:
            return held.cores[node]
        name = record.table.name
        over = self.cluster.overlooked[name] if row >= 0 else self.beneath(record, row)
        return held.beside(node, name, row, over)

    def beneath(self, record: Record, row: int) -> frozenset[str]:
        """The partitions whose jobs are suspended for a job: they count only while idle cores are looked for."""
        if row in (IDLE, EMPTY):
            return _NOBODY
        if row <= BENEATH:
            return self.cluster.ways[record.table.name].tried[BENEATH - row]
        return self.cluster.gives_way.get(record.table.name, _NOBODY)

    def _unblocking(self, record: Record, row: int) -> frozenset[str]:
        """The partitions whose jobs do not keep a node from one that wants it whole: it gets the other cores."""
        beneath = self.beneath(record, row)
        if row > BENEATH:
            return beneath
        ways = self.cluster.ways[record.table.name]
        return beneath if BENEATH - row == len(ways.tried) - 1 else beneath | ways.untouched

    def _of_sockets(self, record: Record, node: int, held: Occupancy, row: int) -> int:
        """The free CPUs of sockets: none of sockets with too few, nor of cores beyond their tasks (§5.2)."""
        demand, cluster = record.demand, self.cluster
        busy, threads = self._taken(record, node, held, row), cluster.threads[node]
        least = max(1, demand.cores_per_socket or 1)
        if self.by_socket and row == IDLE:
            free = free_in_sockets(cluster, held, node, record.table.name)
        else:
            free = [socket & ~busy for socket in cluster.sockets[node]]
        sockets = [socket.bit_count() for socket in free]
        sockets = [cores for cores in sockets if cores >= least]
        if len(sockets) < (demand.sockets_per_node or 1):
            return 0
        if demand.tasks_per_socket:
            each, usable = demand.tasks_per_socket * demand.cpus_per_task, 1 if demand.one_thread else threads
            if demand.tasks_per_core:
                usable = min(usable, demand.tasks_per_core * demand.cpus_per_task)
            if sum(sockets) * usable < max(each, demand.min_cpus_per_node):
                return 0
            most = ceil(each / usable)
            sockets = [min(most, cores) for cores in sockets]
        return sum(sockets) * threads

    def _with_memory(self, demand: Demand, node: int, held: Occupancy, free: int) -> int:
        """CPUs for which there is memory; nothing asked: the node's whole memory (§5.2)."""
        left = self.cluster.memory[node] - held.memory[node]
        if demand.memory_per_gpu is not None:
            return free if demand.memory_per_gpu * max(1, demand.gpus_on_node()) <= left else 0
        if demand.memory_per_cpu is not None:
            each = demand.memory_per_cpu
            if demand.exclusive and each * free > left:
                return 0
            if each > 0 and self._of_whole_cores(demand):
                free = min(free, int(left // (each * self.cluster.threads[node])))
            elif each > 0:
                step = 1 if demand.one_thread else self.steps[node]
                if demand.tasks_per_core:
                    step = min(step, demand.tasks_per_core * demand.cpus_per_task)
                free = in_steps(free, int(left // each), step)
            if demand.cpus_per_task > 1:
                free -= free % demand.cpus_per_task
            return free
        asked = demand.memory_per_node or self.cluster.memory[node]
        return free if asked <= left else 0

    def _of_whole_cores(self, demand: Demand) -> bool:
        """Whether each CPU that counts is one of a core, all threads of which need memory."""
        single = (demand.tasks_per_core or demand.tasks_of_core) == 1 and demand.cpus_per_task == 1
        return single and (self.by_core or self.by_socket)

    def cores_for(self, node: int, cpus: int) -> int:
        """Cores it takes for so many CPUs."""
        return ceil(cpus / self.cluster.threads[node])


def left_of_most(demand: Demand, left: int) -> int:
    """What MaxCPUsPerNode leaves of a node: a single CPU is none for tasks that need several, or share cores."""
    several = max(demand.cpus_per_task, demand.tasks_per_core or 0, demand.tasks_per_socket or 0)
    return 0 if left == 1 < several else left
