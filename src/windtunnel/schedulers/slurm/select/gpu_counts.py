"""How many GPUs a job gets of each node, and where there are enough for each socket (§5.7).

Of GPUs of the whole job every node gives what it has, in the order of nodes, but one is left for each later node. Of
GPUs for each socket (``--gpus-per-socket``) Slurm 22.05 knows of which socket one is only where gres.conf says so.
Otherwise all GPUs of a node serve any of its sockets, and a job gets its GPUs once for every core instead of every
socket; where a node has not so many, it gets none at all. All this was recorded.
"""

from collections.abc import Mapping

from windtunnel.schedulers.slurm.jobs.asked_gres import gres_names
from windtunnel.schedulers.slurm.jobs.counted_gpus import tasks_with_gpus
from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy

__all__ = ["gpus_beyond", "gpus_for_cores", "gpus_for_cpus", "gpus_of_job", "socket_cpus"]


def gpus_for_cpus(demand: Demand, free: int, cpus: int) -> int:
    """The GPUs of a node, of those that are free, for which a job has CPUs there; 0: too few."""
    if free < demand.gpus_on_sockets:
        return 0
    if not demand.cpus_beside_gpu:
        return free
    most = cpus // demand.cpus_beside_gpu
    if most < (free if demand.exclusive else max(demand.gpus_on_sockets, demand.gpus_per_socket)):
        return 0
    return min(free, most)


def socket_cpus(demand: Demand, sockets: int, cpus: int, of_tasks: int) -> int:
    """The CPUs of a node that count if each of its usable sockets has CPUs for its GPUs; 0: there are too few.

    ``of_tasks``: those that tasks use.
    """
    if not of_tasks or not demand.cpus_per_gpu:
        return of_tasks
    if cpus < demand.floor_of_gpus:
        return 0
    count = max(of_tasks, demand.gpus_per_socket * sockets * demand.cpus_per_gpu)
    return count if count <= cpus else 0


def gpus_of_job(cluster: Cluster, demand: Demand, placed: Picked, held: Occupancy) -> dict[int, int]:
    """Of each node the GPUs that a job gets which asks for them in all, or for each task.

    Where more are left for later nodes than there are, Slurm gives all that a node has if it only counts them.
    """
    found: dict[int, int] = {}
    left, nodes = demand.gpus_per_job, len(placed.cpus)
    tasks = tasks_with_gpus(demand, placed) if demand.gpus_per_task else found
    for node in sorted(placed.cpus) if left else ():
        nodes -= 1
        most = left - nodes
        if demand.gpus_per_task:
            most = tasks[node] * demand.gpus_per_task
        free = held.free_gres(node, "gpu", demand.gpu_type).bit_count()
        found[node] = free if most < 0 and cluster.counts_gpus(node) else max(0, min(most, free))
        left -= found[node]
    return found


def gpus_beyond(demand: Demand, gres: Mapping[int, Mapping[str, int]]) -> dict[str, float]:
    """The TRES of GPUs of a job that has got more than it asked for in all, or others for its sockets.

    ``gres``: what it has of each node.
    """
    if not (demand.gpus_per_job or demand.gpus_per_socket) or demand.exclusive:
        return {}
    count = sum([own.get("gpu", 0).bit_count() for own in gres.values()])
    if count <= demand.gpus_per_job and not demand.gpus_per_socket:
        return {}
    return dict.fromkeys(gres_names("gpu", demand.gpu_type, demand.typed_only), float(count))


def gpus_for_cores(cluster: Cluster, demand: Demand, node: int, cores: int, free: int) -> int:
    """How many of the free GPUs of a node a job gets that has these cores."""
    if cluster.places_gpus(node):
        sockets = sum(1 for socket in cluster.sockets[node] if socket & cores)
        return min(free, demand.gpus_per_socket * sockets)
    count = demand.gpus_per_socket * cores.bit_count()
    return count if count <= free else 0
