"""Which GPUs of a node a job gets where they are bound to sockets: those beside its cores first (§5.7)."""

from collections.abc import Iterator, Mapping

from windtunnel.schedulers.slurm.jobs.counted_gpus import tasks_with_gpus
from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import lowest
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy

__all__ = ["bound_gpus"]


def bound_gpus(
    cluster: Cluster, held: Occupancy, demand: Demand, placed: Picked, cores: Mapping[int, int]
) -> dict[int, int]:
    """Of each such node the indices of the GPUs that a job gets with these cores."""
    nodes = [node for node in sorted(cores) if cluster.bound.at(node)]
    if demand.gpus_per_task and not demand.gpus_on_node():
        tasks = tasks_with_gpus(demand, placed)
        return {node: _of_tasks(cluster, held, demand, node, cores[node], tasks[node]) for node in nodes}
    if demand.gpus_on_node():
        kind = next(one.type for one in demand.gres if one.name == "gpu")
        count = demand.gpus_on_node()
        return {node: _of_node(cluster, held, node, cores[node], kind, count) for node in nodes}
    return _of_job(cluster, held, demand, nodes, cores) if demand.gpus_per_job else {}


def _free(cluster: Cluster, held: Occupancy, node: int, kind: str) -> tuple[int, list[int]]:
    return cluster.bound.of_sockets(node, held.free_gres(node, "gpu", kind))


def _of_node(cluster: Cluster, held: Occupancy, node: int, cores: int, kind: str, count: int) -> int:
    """One of each socket that the job uses, then others of these, then any."""
    loose, bound = _free(cluster, held, node, kind)
    used = [own for own, socket in zip(bound, cluster.sockets[node], strict=True) if socket & cores]
    others = [own for own, socket in zip(bound, cluster.sockets[node], strict=True) if not socket & cores]
    found = 0
    for own in (loose, *used):
        if found.bit_count() < count:
            found |= own & -own
    return _filled(found, (loose, *used, *others), count)


def _filled(found: int, groups: tuple[int, ...], count: int) -> int:
    """So many in all: the first of each group in turn."""
    for own in groups:
        found |= lowest(own & ~found, max(0, count - found.bit_count()))
    return found


def _of_tasks(cluster: Cluster, held: Occupancy, demand: Demand, node: int, cores: int, tasks: int) -> int:
    """For each socket those of the tasks on its cores, and of those before it that went without; then any."""
    loose, bound = _free(cluster, held, node, demand.gpu_type)
    each = demand.gpus_per_task
    found = before = 0
    for own, here in zip(bound, _tasks_of_sockets(cluster, demand, node, cores, tasks), strict=True):
        before += here
        if here:
            found = _filled(found, (own,), before * each)
    return _filled(found, (loose, *bound), tasks * each)


def _tasks_of_sockets(cluster: Cluster, demand: Demand, node: int, cores: int, tasks: int) -> Iterator[int]:
    """As many tasks on each socket as its cores have threads, the first ones first."""
    on_core = demand.tasks_per_core or cluster.threads[node]
    for socket in cluster.sockets[node]:
        here = min(tasks, (socket & cores).bit_count() * on_core)
        tasks -= here
        yield here


def _of_job(
    cluster: Cluster, held: Occupancy, demand: Demand, nodes: list[int], cores: Mapping[int, int]
) -> dict[int, int]:
    """Of each node those beside its cores, but one is left for each later node; then what lacks of any socket."""
    found: dict[int, int] = {}
    left = demand.gpus_per_job
    beside = demand.most_per_gpu or demand.tasks_per_gpu * demand.cpus_per_task
    for place, node in enumerate(nodes):
        loose, bound = _free(cluster, held, node, demand.gpu_type)
        most = left - (len(nodes) - place - 1)
        if beside:
            most = min(most, cores[node].bit_count() * cluster.threads[node] // beside)
        near = [own for own, socket in zip(bound, cluster.sockets[node], strict=True) if socket & cores[node]]
        mine = _filled(0, (loose, *near), most)
        if not mine:
            mine = lowest(next((own for own in bound if own), 0), 1)
        found[node] = mine
        left -= mine.bit_count()
    for node in nodes if left > 0 else ():
        loose, bound = _free(cluster, held, node, demand.gpu_type)
        mine = _filled(found[node], (loose, *bound), found[node].bit_count() + left)
        left -= (mine & ~found[node]).bit_count()
        found[node] = mine
    return found
