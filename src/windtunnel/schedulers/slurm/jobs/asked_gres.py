"""Generic resources of a whole request, as they are tracked before any node is looked at (§7.2)."""

from collections.abc import Iterator

from windtunnel.model.slurm import GresAsk, JobAsk
from windtunnel.schedulers.slurm.jobs.asked_tasks import asked_gpus

__all__ = ["asked_gres"]


def asked_gres(ask: JobAsk, nodes: int, tasks: int) -> dict[str, int]:
    """The TRES of what a job asks for, on so many nodes and for so many tasks.

    Of what is asked of each node, socket and task and of the whole job, the most counts. Types count besides.
    """
    most: dict[tuple[str, str], int] = {}
    for one, times in _entries(ask, nodes, tasks):
        key = (one.name, one.type)
        most[key] = max(most.get(key, 0), one.count * times)
    if not ask.gres_per_job and (gpus := asked_gpus(ask)):
        most["gpu", ""] = gpus  # those of --ntasks-per-gpu
    found: dict[str, int] = {}
    for (name, kind), count in most.items():
        found[f"gres/{name}"] = found.get(f"gres/{name}", 0) + count
        if kind:
            found[f"gres/{name}:{kind}"] = count
    return found


def _entries(ask: JobAsk, nodes: int, tasks: int) -> Iterator[tuple[GresAsk, int]]:
    """What is asked for, and how often."""
    for one in ask.gres_per_job:
        yield one, 1
    for one in ask.gres_per_node:
        yield one, nodes
    for one in ask.gres_per_socket:
        yield one, nodes * (ask.sockets_per_node or 1)
    for one in ask.gres_per_task:
        yield one, tasks
