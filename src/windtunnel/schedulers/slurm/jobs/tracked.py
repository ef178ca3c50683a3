"""Trackable resources (TRES) of a request: what limits, fair share and priorities count (§6.1, §7.2)."""

from math import ceil

from windtunnel.schedulers.slurm.jobs.asked_gres import gres_names
from windtunnel.schedulers.slurm.jobs.demand import Demand

__all__ = ["tres_of"]


def tres_of(demand: Demand, nodes: int | None = None, cpus: int | None = None) -> dict[str, float]:
    """TRES of the whole request as it waits, or of so many nodes and CPUs; memory in MB."""
    count = demand.counted_nodes if nodes is None else nodes
    taken = demand.cpus if cpus is None else cpus
    found: dict[str, float] = {"cpu": taken, "node": count}
    for name, number in demand.licences.items():
        found[f"license/{name}"] = number
    memory = _memory(demand, count, taken)
    if memory is not None:
        found["mem"] = memory
    if nodes is None:
        return found | demand.tracked_gres
    for one in demand.gres:
        for key in gres_names(one.name, one.type, demand.typed_only):
            found[key] = one.count * count + (0 if ":" in key else found.get(key, 0))
    gpus = demand.gpus_per_job or demand.gpus_per_socket * _sockets(demand, count)
    for key in gres_names("gpu", demand.gpu_type, demand.typed_only) if gpus else ():
        found[key] = gpus + (0 if ":" in key else found.get(key, 0))
    return found


def _memory(demand: Demand, nodes: int, cpus: int) -> int | None:
    if demand.memory_per_cpu is not None:
        return demand.memory_per_cpu * cpus
    on_node = demand.memory_per_node or demand.node_memory
    if on_node:
        return on_node * nodes
    if demand.memory_per_gpu is not None:
        return demand.memory_per_gpu * (demand.gpus_per_job or demand.gpus_on_node() * nodes)
    return None


def _sockets(demand: Demand, nodes: int) -> int:
    """For how many sockets GPUs are counted: of so many nodes, or for its tasks."""
    if demand.sockets_per_node:
        return nodes * demand.sockets_per_node
    return ceil(demand.tasks / demand.tasks_per_socket) if demand.tasks_per_socket else 1
