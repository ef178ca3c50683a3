"""What leases have of their hosts, from what each of their nodes asked for: their jobs say at most how many cores."""

from collections.abc import Mapping, Sequence
from math import inf

from windtunnel.model import HostSet, JobRecord
from windtunnel.model.lease import CPU, NodeSet
from windtunnel.model.lease_jobs import lease_in
from windtunnel.model.lease_platform import amounts_of

__all__ = ["groups_of", "requested_text", "shares", "shares_of"]

_ROUNDING = 1e-6
_MOST_NODES = 1 << 20
"""Of a lease that is read back: each is looked at."""


def requested_text(groups: Sequence[NodeSet]) -> str:
    """What nodes ask for, as text: ``2 CPU:100,Memory:512|1 CPU:50,Memory:256``."""
    return "|".join(
        [f"{group.count} " + ",".join([f"{kind}:{group.total(kind)}" for kind in group.amounts]) for group in groups]
    )


def groups_of(text: str) -> tuple[NodeSet, ...]:
    """Nodes from their text.

    Raises:
        ValueError: it is none, or the nodes are more than any lease has.
    """
    groups = []
    left = _MOST_NODES
    for part in filter(None, text.split("|")):
        count, _, rest = part.partition(" ")
        pairs = (item.rpartition(":") for item in rest.split(",") if item)
        group = NodeSet(int(count), {kind: (int(amount),) for kind, _, amount in pairs})
        left -= group.count
        if group.count < 1 or left < 0:
            raise ValueError(f"{part!r:.60} is not what nodes of a lease ask for")
        groups.append(group)
    return tuple(groups)


def shares_of(record: JobRecord) -> Mapping[int, Mapping[str, float]] | None:
    """What a running job has of its hosts, by its lease if it is one; None: all of them."""
    lease = lease_in(record.job)
    return record.amounts if lease is None else shares(lease.nodes, record.hosts, record.amounts)


def shares(
    groups: Sequence[NodeSet], hosts: HostSet, amounts: Mapping[int, Mapping[str, float]] | None
) -> dict[int, dict[str, float]]:
    """What a lease has of each of its hosts. ``amounts``: the cores it has of each, where nodes may share a host."""
    nodes = [_of_node(group) for group in groups for _ in range(group.count)]
    found = {}
    for host in hosts:
        cores = None if amounts is None else amounts.get(host, {}).get("cores")
        found[host] = _of_host(nodes, cores)
    return found


def _of_node(group: NodeSet) -> dict[str, float]:
    return {"cores": group.total(CPU) / 100, **amounts_of(group)}


def _of_host(nodes: list[dict[str, float]], cores: float | None) -> dict[str, float]:
    """Take the nodes that are on a host: the next ones that make so many cores (None: one of them)."""
    taken: dict[str, float] = {}
    left = inf if cores is None else cores
    for node in list(nodes):
        if node["cores"] > left + _ROUNDING:
            continue
        nodes.remove(node)
        left -= node["cores"]
        for name, amount in node.items():
            taken[name] = taken.get(name, 0.0) + amount
        if cores is None or left <= _ROUNDING:
            break
    return taken
