"""Generic resources of a whole request, as they are tracked before any node is looked at (§7.2)."""

from collections.abc import Iterator, Mapping

from windtunnel.model.slurm import GresAsk, JobAsk, SlurmSite
from windtunnel.schedulers.slurm.jobs.asked_tasks import asked_gpus

__all__ = ["asked_gres", "gres_names", "typed_only"]


def typed_only(site: SlurmSite) -> dict[str, str]:
    """Of generic resources that are tracked by type alone, the type as which those without one count: the first."""
    found: dict[str, str] = {}
    for name in site.tracked:
        whole = name.partition(":")[0]
        if name != whole and whole not in site.tracked:
            found.setdefault(whole, name)
    return found


def gres_names(name: str, kind: str, stand_ins: Mapping[str, str]) -> tuple[str, ...]:
    """The TRES as which generic resources count: in all, and by type; or by type alone if nothing else is tracked."""
    whole = f"gres/{name}"
    own = f"{whole}:{kind}" if kind else stand_ins.get(whole, "")
    if whole in stand_ins:
        return (own,)
    return (whole, own) if own else (whole,)


def asked_gres(ask: JobAsk, nodes: int, tasks: int, stand_ins: Mapping[str, str]) -> dict[str, int]:
    """The TRES of what a job asks for, on so many nodes and for so many tasks.

    Of what is asked of each node, socket and task and of the whole job, the most counts. Types count besides, and
    ``stand_ins`` for what has none.
    """
    most: dict[tuple[str, str], int] = {}
    for one, times in _entries(ask, nodes, tasks):
        sort = (one.name, one.type)
        most[sort] = max(most.get(sort, 0), one.count * times)
    if not ask.gres_per_job and (gpus := asked_gpus(ask)):
        most["gpu", ""] = gpus  # those of --ntasks-per-gpu
    found: dict[str, int] = {}
    for (name, kind), count in most.items():
        for key in gres_names(name, kind, stand_ins):
            found[key] = count + (0 if ":" in key else found.get(key, 0))
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
