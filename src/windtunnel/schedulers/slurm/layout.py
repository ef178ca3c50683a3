"""How many CPUs of each chosen node a job keeps once its tasks are laid out (§5.4)."""

from windtunnel.schedulers.slurm.demand import Demand

__all__ = ["lay_out"]


def lay_out(demand: Demand, taken: dict[int, int], usable: dict[int, int]) -> dict[int, int]:
    """CPUs of each node: whole tasks where they were taken; tasks that fit nowhere crowd on the first nodes.

    ``taken`` are the CPUs by which the nodes were chosen, ``usable`` those that are free there.
    """
    each = demand.cpus_per_task
    nodes = sorted(taken)
    if demand.tasks_per_node:
        left = demand.tasks
        found = {}
        for node in nodes:
            here = max(1, min(demand.tasks_per_node, left))
            left -= here
            found[node] = min(here * each, usable[node])
        return found
    if each == 1:
        return dict(taken)
    tasks = {node: max(1, taken[node] // each) for node in nodes}
    left = demand.tasks - sum(tasks.values())
    while left > 0:
        for node in nodes:
            if left > 0:
                tasks[node] += 1
                left -= 1
    return {node: min(usable[node], tasks[node] * each) for node in nodes}
