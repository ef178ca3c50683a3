"""How many CPUs of each chosen node a job keeps once its tasks are laid out (§5.4)."""

from collections.abc import Sequence

from windtunnel.schedulers.slurm.jobs.demand import Demand

__all__ = ["lay_out"]


def lay_out(demand: Demand, taken: dict[int, int], threads: Sequence[int]) -> dict[int, int]:
    """CPUs of each node: tasks go round the nodes one by one, of nodes with threads as many as fill a core.

    ``taken`` are the CPUs by which the nodes were chosen. Tasks that fit nowhere crowd on all nodes in turn.
    """
    each = demand.cpus_per_task
    nodes = sorted(taken)
    tasks = _tasks(demand, len(nodes))
    most = demand.tasks_per_node or tasks
    found = {node: min(each, taken[node]) for node in nodes[:tasks]}
    counts = dict.fromkeys(found, 1)
    tasks -= len(found)
    for node, own in list(found.items()):  # first the threads of cores that are taken already
        for _ in range(own % threads[node] // each):
            if tasks > 0 and taken[node] - found[node] >= each and counts[node] < most:
                tasks -= 1
                counts[node] += 1
                found[node] += each
    crowded = all(found[node] >= taken[node] for node in found)
    while tasks > 0:
        before = tasks
        for node in nodes[: len(found)]:
            for _ in range(max(threads[node] // each, 1)):
                room = taken[node] - found[node] >= each and counts[node] < most
                if tasks <= 0 or not (room or crowded):
                    break
                tasks -= 1
                counts[node] += 1
                found[node] = min(taken[node], found[node] + each)
        crowded = crowded or tasks == before
    return {node: found.get(node, 0) for node in nodes}


def _tasks(demand: Demand, nodes: int) -> int:
    """How many tasks are laid out: one for each CPU that is asked for, or for as many as one task uses."""
    per_node = demand.tasks_per_node
    if demand.cpus_per_task > 1 and per_node:
        return per_node * nodes
    on_each = nodes * demand.floor_of_gpus if demand.gpus_on_node() or demand.gpus_per_socket else 0
    of_gpus = max(demand.cpus_of_gpus, on_each)
    cpus = max(demand.cpus, nodes * max(per_node, 1), nodes * demand.least_cpus, of_gpus)
    return max(1, cpus // demand.cpus_per_task)
