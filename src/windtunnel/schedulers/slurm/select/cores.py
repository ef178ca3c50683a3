"""Which cores and which indices of generic resources a job gets on its nodes (§5.4, §5.7)."""

from collections.abc import Callable
from typing import Final

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.holdings import Part
from windtunnel.schedulers.slurm.nodes.nodesets import bits, lowest
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.core_layout import (
    cores_of,
    fullest_trimmed,
    open_cores,
    pick_cores,
    whole_sockets,
    without_avoided,
)
from windtunnel.schedulers.slurm.select.free_sockets import free_in_sockets
from windtunnel.schedulers.slurm.select.gpu_cores import GpuCores, binds, most_gpus
from windtunnel.schedulers.slurm.select.gpu_counts import gpus_for_cores
from windtunnel.schedulers.slurm.select.node_fit import BENEATH, IDLE, left_of_most
from windtunnel.schedulers.slurm.select.plain_fit import of_tasks

__all__ = ["count_alike", "take_alike", "take_cores", "take_gres"]

_BLOCK: Final = "CR_CORE_DEFAULT_DIST_BLOCK"
_NO_END: Final = 1 << 30


def take_cores(cluster: Cluster, held: Occupancy, placed: Picked, record: Record, shares: bool) -> dict[int, int]:
    """Of each node the set of its cores: cyclically over sockets, or one socket after another; by nodes, all."""
    if cluster.site.select.type == "linear":
        return {node: cluster.core_masks[node] for node in placed.cpus}
    found = {}
    demand = record.demand
    socket_counts = cluster.site.select.counts == "SOCKET"
    block = _blockwise(cluster)
    most = record.table.partition.max_cpus_per_node if demand.asks_gres else None
    for node, cpus in placed.cpus.items():
        busy = held.cores[node]
        if shares and placed.row != IDLE:
            name = record.table.name
            over = cluster.overlooked[name] if placed.row >= 0 else cluster.ways[name].tried[BENEATH - placed.row]
            busy = held.beside(node, name, placed.row, over)
        free = cluster.core_masks[node] & ~busy
        gpus = held.free_gres(node, "gpu", demand.gpu_type).bit_count() if demand.asks_gres else 0
        room = _NO_END
        if demand.asks_gres and demand.memory_per_cpu and cluster.site.select.memory:
            room = (cluster.memory[node] - held.memory[node]) // demand.memory_per_cpu
        if most is not None:
            room = min(room, left_of_most(demand, most - held.of_partition(node, record.table.name, busy)))
        if placed.again:
            room = min(room, placed.again.get(node, room))
        bound = cluster.bound.at(node) and binds(demand)
        beside = _beside_gpus(cluster, held, demand, node, free, room, placed.near) if bound else None
        if socket_counts:
            cores = -(-cpus // cluster.threads[node])
            laid_out = placed.laid_out.get(node, 0) if placed.laid_out else 0
            if shares and placed.row != IDLE:
                sockets = [socket if not socket & ~free else 0 for socket in cluster.sockets[node]]
            else:
                sockets = free_in_sockets(cluster, held, node, record.table.name)
            found[node] = _sockets(cluster, demand, node, sockets, cores, gpus, room, beside, laid_out, block)
        else:
            whole = _with_threads(cluster, demand, node, cpus)
            laid_out = placed.laid_out.get(node, 0) if placed.laid_out else 0
            found[node] = _cores_of(cluster, demand, node, free, whole, block, gpus, room, laid_out, beside)
    return found


def take_alike(
    cluster: Cluster, held: Occupancy, placed: Picked, demand: Demand, memory_of: Callable[[int, int], int]
) -> list[Part]:
    """The same in parts: of jobs without generic resources that share no cores, where whole sockets are not counted.

    ``memory_of``: the memory of a job on a node with so many CPUs (MB).
    """
    block = _blockwise(cluster)
    found: list[Part] = []
    for cpus, nodes in placed.parts:
        fresh = nodes & ~held.used
        for sort in cluster.alike if fresh else ():
            alike = fresh & sort
            if alike:
                node = (alike & -alike).bit_length() - 1
                cores = _cores_of(cluster, demand, node, cluster.core_masks[node], cpus, block)
                found.append(Part(alike, cpus, cores, memory_of(node, cpus)))
        for node in bits(nodes & held.used):
            free = cluster.core_masks[node] & ~held.cores[node]
            cores = _cores_of(cluster, demand, node, free, cpus, block)
            found.append(Part(1 << node, cpus, cores, memory_of(node, cpus)))
    return found


def count_alike(cluster: Cluster, placed: Picked, memory_of: Callable[[int, int], int]) -> list[Part]:
    """The same where any core is as good as another: as many as it takes; which ones, nobody has to know yet."""
    found: list[Part] = []
    for cpus, nodes in placed.parts:
        for sort in cluster.alike:
            alike = nodes & sort
            if alike:
                node = (alike & -alike).bit_length() - 1
                cores = (1 << -(-cpus // cluster.threads[node])) - 1
                found.append(Part(alike, cpus, cores & cluster.core_masks[node], memory_of(node, cpus)))
    return found


def _blockwise(cluster: Cluster) -> bool:
    select = cluster.site.select
    return select.counts == "CPU" or _BLOCK in select.flags


def _cores_of(
    cluster: Cluster,
    demand: Demand,
    node: int,
    free: int,
    cpus: int,
    block: bool,
    gpus: int = 0,
    room: int = _NO_END,
    laid_out: int = 0,
    beside: list[int] | None = None,
) -> int:
    """``beside``: the cores of each socket that are left to a job beside its GPUs (:mod:`~.gpu_cores`)."""
    threads = cluster.threads[node]
    count = -(-cpus // threads)
    if count >= free.bit_count():
        return free
    sockets = [socket & free for socket in cluster.sockets[node]]
    if demand.of_sockets:
        sockets = open_cores(demand, sockets, threads)
    if beside is not None and sum([socket.bit_count() for socket in beside]) >= count:
        sockets = beside
    elif demand.asks_gres:
        sockets = _for_gres(cluster, demand, node, sockets, count, gpus, room)
    return pick_cores(demand, sockets, count, threads, block, laid_out)


def _beside_gpus(
    cluster: Cluster, held: Occupancy, demand: Demand, node: int, free: int, room: int, near: bool
) -> list[int]:
    """The free cores of each socket that selection has left to a job with GPUs; ``room`` as in `_for_gres`."""
    threads = cluster.threads[node]
    sockets = [socket & free for socket in cluster.sockets[node]]
    if demand.of_sockets:
        sockets = open_cores(demand, sockets, threads)
    cores = sum([socket.bit_count() for socket in sockets])
    cpus = min(room, cores * threads)
    if demand.memory_per_cpu and cluster.site.select.memory:
        cpus -= cpus % demand.cpus_per_task
    kind = next((one.type for one in demand.gres if one.name == "gpu"), demand.gpu_type)
    loose, bound = cluster.bound.of_sockets(node, held.free_gres(node, "gpu", kind))
    most = most_gpus(demand, cores, threads, 0)
    counts = [gpus.bit_count() for gpus in bound]
    return GpuCores(demand, sockets, cpus, threads, near).narrow(loose.bit_count(), counts, most).sockets


def _with_threads(cluster: Cluster, demand: Demand, node: int, cpus: int) -> int:
    """The CPUs of the cores that are taken for some: where CPUs are counted, threads left idle are not among them."""
    threads = cluster.threads[node]
    if threads == 1 or cluster.site.select.counts != "CPU" or not (demand.one_thread or demand.tasks_per_core):
        return cpus
    each = 1 if demand.one_thread else (demand.tasks_per_core or 1) * demand.cpus_per_task
    return -(-cpus // each) * -(-each // threads) * threads


def _sockets(
    cluster: Cluster,
    demand: Demand,
    node: int,
    sockets: list[int],
    count: int,
    gpus: int,
    room: int,
    beside: list[int] | None,
    laid_out: int,
    block: bool,
) -> int:
    """As many whole free ``sockets`` as hold so many cores: nobody else gets their rest.

    ``laid_out``: the CPUs of tasks (0: they make no difference, as they do where ``--ntasks-per-socket`` leaves out
    sockets, and with GPUs).
    """
    left = sockets if beside is None else beside
    if beside is None and demand.asks_gres and not demand.tasks_per_socket:
        threads = cluster.threads[node]
        left = open_cores(demand, sockets, threads) if demand.of_sockets else sockets
        left = _for_gres(cluster, demand, node, left, max(1, cores_of(demand, laid_out, threads)), gpus, room)
        if laid_out and not demand.exclusive:
            return whole_sockets(demand, sockets, left, laid_out, threads, block)
    if laid_out and demand.tasks_per_socket:
        threads = cluster.threads[node]
        left = without_avoided(demand, open_cores(demand, left, threads), laid_out, threads)
    taken = 0
    for socket, _ in sorted(zip(sockets, left, strict=True), key=lambda pair: not pair[1]):
        if taken.bit_count() < count:
            taken |= socket
    return taken


def _for_gres(
    cluster: Cluster, demand: Demand, node: int, sockets: list[int], count: int, gpus: int, room: int
) -> list[int]:
    """The cores of sockets that are left to a job with generic resources: no more than its tasks can use.

    ``room``: the CPUs for which there is memory, which MaxCPUsPerNode leaves, and that counted when its nodes were
    chosen.
    """
    threads = cluster.threads[node]
    if demand.tasks_of_core and not (demand.tasks_per_node or demand.tasks_per_socket):
        if not demand.gpus_per_task:
            return sockets  # as many tasks as there are cores could run there
        limited = demand.cpus_beside_gpu or demand.cpus_per_gpu  # else all GPUs count, whatever the job gets
        tasks = (min(gpus, demand.gpus_per_job) if limited else gpus) // demand.gpus_per_task
        return fullest_trimmed(sockets, max(count, tasks * -(-demand.cpus_per_task // threads)))
    free = min(room, sum([socket.bit_count() for socket in sockets]) * threads)
    cpus = of_tasks(demand, len(sockets), free, gpus, beside=True)
    if demand.gpus_per_socket:  # whichever of its sockets the job will have
        cpus = max(cpus, demand.gpus_per_socket * sum(map(bool, sockets)) * demand.cpus_beside_gpu)
    return fullest_trimmed(sockets, max(count, -(-cpus // threads)))


def take_gres(
    cluster: Cluster,
    held: Occupancy,
    demand: Demand,
    cores: dict[int, int],
    gpus: dict[int, int],
    bound: dict[int, int],
) -> dict[int, dict[str, int]]:
    """Of each node the lowest free indices of what is asked for.

    ``cores``: those the job gets of each node; ``gpus``: as many of its GPUs in all; ``bound``: which ones where they
    are bound to sockets.
    """
    found: dict[int, dict[str, int]] = {}
    for node, own_cores in cores.items():
        own: dict[str, int] = {}
        for ask in demand.gres:
            free = held.free_gres(node, ask.name, ask.type) & ~own.get(ask.name, 0)
            own[ask.name] = own.get(ask.name, 0) | lowest(free, ask.count)
        extra = gpus.get(node, 0)
        if extra:
            own["gpu"] = lowest(held.free_gres(node, "gpu", demand.gpu_type), extra)
        if demand.gpus_per_socket:
            free = held.free_gres(node, "gpu", demand.gpu_type)
            own["gpu"] = lowest(free, gpus_for_cores(cluster, demand, node, own_cores, free.bit_count()))
        if node in bound:
            own["gpu"] = bound[node]
        if demand.exclusive:
            for name in held.gres:
                own[name] = cluster.gres_indices(node, name)
        if own:
            found[node] = own
    return found
