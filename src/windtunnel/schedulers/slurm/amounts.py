"""What a start takes of each host, in the terms of platforms."""

from collections.abc import Sequence
from typing import Final

from windtunnel.model import Job
from windtunnel.schedulers.slurm.jobs import RunningJob
from windtunnel.schedulers.slurm.nodesets import bits
from windtunnel.vocabulary import Mirror

__all__ = ["amounts_of"]

_MIB: Final = 1024 * 1024
_NAMES: Final = {"gpu": "gpus"}
"""Generic resources that platforms call otherwise."""


def amounts_of(site: Mirror, parts: Sequence[RunningJob], job: Job) -> dict[int, dict[str, float]]:
    """What a job takes of each host, as far as the host has it: cores, memory (bytes), generic resources.

    A heterogeneous job takes what all its components take; no two of them share a host.
    """
    found: dict[int, dict[str, float]] = {}
    for one in parts:
        for node in bits(one.holding.nodes):
            found[node] = _of_node(site, one, job, node)
    return found


def _of_node(site: Mirror, running: RunningJob, job: Job, node: int) -> dict[str, float]:
    held, host = running.holding, site.hosts[node]
    whole = held.exclusive
    taken = {"cores": float(host.cores if whole else min(host.cores, held.cpus.get(node, 0)))}
    if "memory" in host.resources:
        most = host.resources["memory"]
        memory = most if whole else min(most, float(held.memory.get(node, 0) * _MIB))
        if memory:
            taken["memory"] = memory
    for name, indices in held.gres.get(node, {}).items():
        known = _NAMES.get(name, name)
        if known in host.resources:
            taken[known] = float(indices.bit_count())
    for name, amount in job.request.amounts:
        if name in host.resources and name not in taken:
            taken[name] = amount
    return taken
