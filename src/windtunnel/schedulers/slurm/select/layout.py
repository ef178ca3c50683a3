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
    steps = {node: max(threads[node] // each, 1) for node in found}
    while tasks > 0:
        if not crowded:
            room = {node: min((taken[node] - own) // each, most - counts[node]) for node, own in found.items()}
            tasks -= _whole_rounds(room, steps, tasks, each, found, counts)
        before = tasks
        for node, step in steps.items():
            for _ in range(step):
                if tasks <= 0 or not (crowded or (taken[node] - found[node] >= each and counts[node] < most)):
                    break
                tasks -= 1
                counts[node] += 1
                found[node] = min(taken[node], found[node] + each)
        crowded = crowded or tasks == before
    return {node: found.get(node, 0) for node in nodes}


def _whole_rounds(
    room: dict[int, int], steps: dict[int, int], tasks: int, each: int, found: dict[int, int], counts: dict[int, int]
) -> int:
    """Lay out the tasks of all rounds in which no node runs out of ``room`` at once; how many those are."""
    open_nodes = [node for node, left in room.items() if left > 0]
    if not open_nodes:
        return 0
    rounds = min([room[node] // steps[node] for node in open_nodes])
    rounds = min(rounds, tasks // sum([steps[node] for node in open_nodes]))
    laid_out = 0
    for node in open_nodes if rounds else ():
        more = rounds * steps[node]
        counts[node] += more
        found[node] += more * each
        laid_out += more
    return laid_out


def _tasks(demand: Demand, nodes: int) -> int:
    """How many tasks are laid out: one for each CPU that is asked for, or for as many as one task uses."""
    per_node = demand.tasks_per_node
    if demand.cpus_per_task > 1 and per_node:
        return per_node * nodes
    on_each = nodes * demand.floor_of_gpus if demand.gpus_on_node() or demand.gpus_per_socket else 0
    of_gpus = max(demand.cpus_of_gpus, on_each)
    cpus = max(demand.cpus, nodes * max(per_node, 1), nodes * demand.least_cpus, of_gpus)
    return max(1, cpus // demand.cpus_per_task)
