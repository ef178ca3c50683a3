"""Sites and requests for who has no Slurm: hosts become nodes of one partition, jobs ask for what they request."""

from math import ceil, isinf
from typing import Final

from msgspec.structs import replace

from windtunnel.model import Job, Platform
from windtunnel.model.slurm import GresAsk, GresItem, JobAsk, Partition, SlurmNode, SlurmSite

__all__ = ["ask_of", "site_of"]

_MIB: Final = 1024 * 1024


def site_of(platform: Platform) -> SlurmSite:
    """The Slurm site of a platform, or one made of its hosts: one partition of all, Slurm's defaults."""
    if isinstance(platform.site, SlurmSite):
        return platform.site
    nodes = []
    for host in platform.hosts:
        gpus = int(host.resources.get("gpus", 0))
        nodes.append(
            SlurmNode(
                name=host.name,
                cpus=host.cores,
                cores_per_socket=host.cores,
                memory=max(1, int(host.resources.get("memory", 0) // _MIB)),
                gres=(GresItem(name="gpu", count=gpus),) if gpus else (),
                state="IDLE",
            )
        )
    return SlurmSite(name=platform.name, nodes=tuple(nodes), partitions=(Partition(name="all", default=True),))


def ask_of(job: Job, site: SlurmSite) -> JobAsk:
    """What a job asks a Slurm for: as its log says, or as its request and walltime come to."""
    limit = None if isinf(job.walltime) else max(1, ceil(job.walltime / 60))
    ask = job.ask
    if ask is not None:
        minutes = limit if ask.time_limit is None else ask.time_limit
        known = tuple(name for name in ask.partitions if site.partition(name) is not None)
        waits = tuple(replace(one, job=f"{job.workload}!{one.job}") if one.job else one for one in ask.dependencies)
        return replace(
            ask,
            partitions=known,
            dependencies=waits,
            array=None,
            held=False,
            time_limit=minutes,
        )
    request = job.request
    amounts = dict(request.amounts)
    cores = ceil(amounts.get("cores", 0.0))
    gpus = int(amounts.get("gpus", 0))
    counted = bool(request.processors)
    tasks = request.processors if counted else cores * request.hosts
    return JobAsk(
        name=job.name,
        user=job.user,
        account=job.group,
        partitions=(job.queue,) if job.queue and site.partition(job.queue) is not None else (),
        time_limit=limit,
        min_nodes=None if counted else request.hosts,
        max_nodes=None if counted else request.hosts,
        tasks=tasks or None,
        tasks_per_node=cores if cores and not counted else None,
        memory_per_node=max(1, ceil(amounts["memory"] / _MIB)) if "memory" in amounts else None,
        exclusive=not tasks,
        gres_per_node=(GresAsk(name="gpu", count=gpus),) if gpus else (),
    )
