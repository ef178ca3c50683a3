"""How many GPUs limits count of a placement that has them by tasks or sockets, be there so many or not (§5.7, §6)."""

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.nodes.cluster import Cluster

__all__ = ["gpus_counted", "tasks_with_gpus"]


def tasks_with_gpus(demand: Demand, placed: Picked) -> dict[int, int]:
    """Of each node the tasks that GPUs are counted for: one at least, then as many as its CPUs hold (dist_tasks).

    There are as many as it asks for, or as the CPUs hold that it wants of each node.
    """
    nodes, each = len(placed.cpus), demand.cpus_per_task
    left = max(demand.tasks, demand.cpus // each, nodes * demand.min_cpus_per_node // each)
    most = demand.tasks_per_node or left
    found: dict[int, int] = {}
    for node in sorted(placed.cpus):
        nodes -= 1
        found[node] = max(1, min(placed.cpus[node] // each, left - nodes, most))
        left -= found[node]
    return found


def gpus_counted(cluster: Cluster, demand: Demand, placed: Picked) -> float:
    """How many GPUs for each task or socket limits count of a placement: for each core, be there so many or not.

    (gres_select_filter_select_and_set, _get_sock_cnt.)
    """
    if demand.gpus_per_task:
        return float(demand.gpus_per_task * sum(tasks_with_gpus(demand, placed).values()))
    count = 0
    for node, cpus in placed.cpus.items():
        places = cluster.places_gpus(node)
        count += (demand.sockets_per_node or 1) if places else -(-cpus // cluster.threads[node])
    return float(demand.gpus_per_socket * count)
