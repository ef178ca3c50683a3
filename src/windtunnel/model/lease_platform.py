"""A site of leases as a platform: one host per node, without a network.

100 percent of CPU are one core; memory and disk, which Haizea counts in MB of 2^20 bytes (decisions.md 34), are
bytes; any other resource type keeps its name and its amount.
"""

from collections.abc import Mapping
from typing import Final

from windtunnel.model.host import Host
from windtunnel.model.lease import CPU, DISK, MEMORY, LeaseSite, NodeSet
from windtunnel.model.platform import Platform

__all__ = ["MEGABYTE", "amounts_of", "kinds_of", "platform_of_site"]

MEGABYTE: Final = 1 << 20
"""Bytes: 1024 MB of memory are 1 GB to Haizea."""

_IN_BYTES: Final = {MEMORY: "memory", DISK: "disk"}


def amounts_of(group: NodeSet) -> Mapping[str, float]:
    """What one node has, or asks for, besides CPU, as resources of a host."""
    return {
        _IN_BYTES.get(kind, kind): float(group.total(kind) * (MEGABYTE if kind in _IN_BYTES else 1))
        for kind in group.amounts
        if kind != CPU
    }


def kinds_of(resources: Mapping[str, float]) -> dict[str, int]:
    """What a host has, as amounts of a node: the other way round, in whole numbers."""
    megabytes = {name: kind for kind, name in _IN_BYTES.items()}
    return {
        megabytes.get(name, name): int(amount // (MEGABYTE if name in megabytes else 1))
        for name, amount in resources.items()
    }


def platform_of_site(site: LeaseSite, name: str = "leases", path: str = "") -> Platform:
    """The platform; a node with less than 100 percent of CPU has one core."""
    hosts: list[Host] = []
    for group in site.nodes:
        resources = {"memory": 0.0, **amounts_of(group)}
        cores = max(1, round(group.total(CPU) / 100))
        for _ in range(group.count):
            hosts.append(Host(id=len(hosts), name=f"node{len(hosts) + 1}", cores=cores, resources=resources))
    return Platform(name=name, hosts=tuple(hosts), site=site, path=path)
