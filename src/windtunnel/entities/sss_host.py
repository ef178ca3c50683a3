"""A host as an SSS node and back: what it has, what is used of it, what state it is in (decisions.md 21).

Amounts are whole numbers of the largest unit that loses nothing. The law: a host written and read back has the same
name, cores, resources, speed and properties that a node can carry (``opsys``, ``arch``, ``features``, ``gpu_model``).
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import floor, inf, nan
from typing import Final

import msgspec

from windtunnel.entities.sss_node import Consumable, Extension, NodeSite, SssNode
from windtunnel.entities.sss_units import DEFAULT_UNITS, UNITS, best_units, in_bytes
from windtunnel.model import Host, PowerState
from windtunnel.model.lease import CPU, DISK, MEMORY, LeaseSite, NodeSet

__all__ = ["HostUse", "IntervalUse", "host_node", "host_of_node", "nodes_of", "resource_of", "state_of"]

_IN_BYTES: Final = {"memory": "Memory", "disk": "Disk", "swap": "Swap"}
_RESOURCES: Final = {"gpus": "GPU"}
_NAMES: Final = {element: name for name, element in _IN_BYTES.items()}
_TAKEN: Final = {"cores": "Processors", **_IN_BYTES, "network": "Network"}
_WHOLE: Final = 1e-9
DEFAULT_SPEED: Final = 1e9
"""flop/s of a core where a node says nothing of it."""


class IntervalUse(msgspec.Struct, frozen=True):
    """What was used over an interval: ``average`` and ``peak`` by resource (``cores`` too), and its length (s)."""

    average: Mapping[str, float]
    peak: Mapping[str, float]
    seconds: float
    up: float = 1.0
    """The fraction of the interval in which the machine was ACTIVE."""
    drained: Mapping[str, float] = {}
    """The part of ``average`` that was used while it was not."""

    def free(self, name: str, amount: float) -> float:
        """What was free of an amount on average: all of it that nobody used while the machine was ACTIVE."""
        return max(amount * self.up - (self.average.get(name, 0.0) - self.drained.get(name, 0.0)), 0.0)


class HostUse(msgspec.Struct, frozen=True):
    """What is used of a host at an instant, by resource (``cores`` too), and its machine state."""

    used: Mapping[str, float] = {}
    state: str = "ACTIVE"
    """ACTIVE, HALT, MAINTENANCE or FAILURE; empty when it was never switched on."""
    over: IntervalUse | None = None
    """Figures over an interval, written instead of those of the instant."""


def state_of(use: HostUse) -> str:
    """The state of the node: Idle, Busy, Offline, Configured or Unknown."""
    if use.state == "ACTIVE":
        used = use.used if use.over is None else use.over.peak
        return "Busy" if any(amount > 0 for amount in used.values()) else "Idle"
    if use.state in {"HALT", "FAILURE", "MAINTENANCE"}:
        return "Offline"
    return "Unknown" if use.state else "Configured"


def nodes_of(site: object, hosts: Sequence[Host]) -> Sequence[SssNode | None]:
    """The node that each host was read from, or that says the same as a node of a site of leases; None for others."""
    if isinstance(site, LeaseSite) and site.numnodes == len(hosts):
        groups = (group for group in site.nodes for _ in range(group.count))
        return [_node_of_leases(host, group) for host, group in zip(hosts, groups, strict=True)]
    if isinstance(site, NodeSite) and len(site.nodes) == len(hosts):
        return site.nodes
    return [None] * len(hosts)


def _node_of_leases(host: Host, group: NodeSet) -> SssNode:
    """A node of a site of leases, in the units it was read in: MB."""
    amounts = [Consumable(element="Processors", value=host.cores)]
    for kind in group.amounts:
        total = group.total(kind)
        if kind in {MEMORY, DISK}:
            amounts.append(Consumable(element=_IN_BYTES[kind.lower()], value=total, units="MB"))
        elif kind != CPU:
            amounts.append(Consumable(element="Resource", name=kind, value=total))
    return SssNode(id=host.name, configured=tuple(amounts))


def host_node(host: Host, use: HostUse, given: SssNode | None = None) -> SssNode:
    """The node that describes a host in use; ``given`` is the node that it was read from.

    What was read is written back, in its units; the simulation has changed State, Available and Utilized only.
    """
    terms = _terms_of_host(host) if given is None else _terms_of_node(given)
    usable = use.state in {"ACTIVE", ""}
    used = use.used
    has = {"cores": float(host.cores), **host.resources}
    if use.over is None:
        free = {name: max(amount - used.get(name, 0.0), 0.0) if usable else 0.0 for name, amount in has.items()}
        free["cores"] = float(floor(free["cores"] + _WHOLE))  # what is used in part is used
        available = _consumables(terms, free, "Instantaneous")
        utilized = _consumables(terms, {name: used.get(name, 0.0) for name in has}, "Instantaneous", upward=True)
    else:
        left = {name: use.over.free(name, amount) for name, amount in has.items()}
        left["cores"] = float(floor(left["cores"]))
        average = {name: use.over.average.get(name, 0.0) for name in has}
        peak = {name: use.over.peak.get(name, 0.0) for name in has}
        available = _consumables(terms, left, "Average", use.over)
        utilized = (
            *_consumables(terms, average, "Average", use.over, upward=True, rated=True),
            *_consumables(terms, peak, "Max", use.over, upward=True),
        )
    if given is None:
        properties = host.properties
        given = SssNode(
            id=host.name,
            opsys=properties.get("opsys", ""),
            arch=properties.get("arch", ""),
            features=tuple(part for part in properties.get("features", "").split(",") if part),
            extensions=(Extension("Speed", repr(host.speed), "flop/s"),),
            configured=_consumables(terms, has, ""),
        )
    extensions = tuple(one for one in given.extensions if one.name != "MachineState")
    if not usable:
        extensions += (Extension("MachineState", use.state),)
    return msgspec.structs.replace(
        given, state=state_of(use), extensions=extensions, available=available, utilized=utilized
    )


class _Term(msgspec.Struct, frozen=True):
    """One line of a category: an amount of a resource, or of one kind of it."""

    resource: str
    like: Consumable
    """Element, name, type and units; units of bytes may be empty: then the largest that loses nothing."""
    after: float = 0.0
    """How much of the resource the lines before it have."""
    amount: float = inf
    """How much it has itself; infinite where it is the only line of its resource."""
    whole: float = 0.0
    """What a rate is a fraction of."""


def _terms_of_host(host: Host) -> list[_Term]:
    terms = []
    for name, whole in {"cores": float(host.cores), **host.resources}.items():
        element, kind, model, units = "Resource", "", "", "count"
        if name == "cores":
            element, units = "Processors", "processors"
        elif name in _IN_BYTES:
            element, units = _IN_BYTES[name], ""
        elif name == "network":
            element, units = "Network", "B/s"
        elif name in _RESOURCES:
            kind, model = _RESOURCES[name], host.properties.get("gpu_model", "")
        else:
            kind, _, model = name.partition(":")
        like = Consumable(element=element, value=0, units=units, name=kind, type=model)
        terms.append(_Term(name, like, whole=whole))
    return terms


def _terms_of_node(node: SssNode) -> list[_Term]:
    """The lines of a node as it was read; of several kinds of GPU the first are used first."""
    terms = []
    before: dict[str, float] = {}
    for item in node.configured or node.available:
        name = resource_of(item)
        amount = float(in_bytes(item.value, item.units)) if name in _IN_BYTES else float(item.value)
        units = (item.units or DEFAULT_UNITS) if name in _IN_BYTES else item.units
        like = msgspec.structs.replace(item, units=units, metric="", wall_duration=None, consumption_rate=None)
        terms.append(_Term(name, like, before.get(name, 0.0), amount, amount))
        before[name] = before.get(name, 0.0) + amount
    return [
        msgspec.structs.replace(term, amount=inf) if before[term.resource] == term.amount else term for term in terms
    ]


def _consumables(
    terms: Iterable[_Term],
    amounts: Mapping[str, float],
    metric: str,
    over: IntervalUse | None = None,
    *,
    upward: bool = False,
    rated: bool = False,
) -> tuple[Consumable, ...]:
    """The lines of a category. What is used is counted from the first kind of a resource on (``upward``), what is
    free from the last one back.
    """
    made = []
    totals: dict[str, float] = {}
    for term in terms:
        totals[term.resource] = term.after + term.amount
    for term in terms:
        amount = amounts.get(term.resource, 0.0)
        behind = term.after if upward or term.amount == inf else totals[term.resource] - term.after - term.amount
        mine = min(max(amount - behind, 0.0), term.amount)
        value, units = _written(term, mine)
        rate = mine / term.whole if rated and term.whole else None
        made.append(
            msgspec.structs.replace(
                term.like,
                value=value,
                units=units,
                metric=metric,
                wall_duration=over.seconds if over else None,
                consumption_rate=rate,
            )
        )
    return tuple(made)


def _written(term: _Term, amount: float) -> tuple[int | float, str]:
    """Value and units. Processors must be whole: rounded up."""
    like = term.like
    if like.element == "Processors":
        return -int(-amount // 1), like.units
    if term.resource in _IN_BYTES:
        if not like.units:
            return best_units(round(amount))
        value = Fraction(round(amount), UNITS[like.units])
        return (value.numerator if value.denominator == 1 else float(value)), like.units
    return int(amount) if amount == int(amount) else amount, like.units


def resource_of(item: Consumable) -> str:
    """What a host calls an amount of a node."""
    if item.element == "Processors":
        return "cores"
    if item.element in _NAMES:
        return _NAMES[item.element]
    if item.element == "Network":
        return "network"
    if item.name == "GPU":
        return "gpus"
    return f"{item.name}:{item.type}" if item.type else item.name


def host_of_node(number: int, node: SssNode) -> tuple[Host, list[str]]:
    """The host that a node describes, and what had to be assumed."""
    notes = []
    items: Iterable[Consumable] = node.configured
    if not node.configured and node.available:
        notes.append(f"node {node.id} has no Configured: what is Available is taken as all there is")
        items = node.available
    cores, stated = 0, "does not state its"
    resources: dict[str, float] = {}
    models: list[str] = []
    properties = {"opsys": node.opsys, "arch": node.arch, "features": ",".join(node.features)}
    for item in items:
        name = resource_of(item)
        if item.element == "Resource" and name in _TAKEN:
            notes.append(f"node {node.id}: the Resource {name!r} counts as its {_TAKEN[name]}, so called here")
        if name == "cores":
            cores, stated = int(item.value), "has no"
        elif name in _IN_BYTES:
            resources[name] = float(in_bytes(item.value, item.units))
        elif name == "gpus":
            resources["gpus"] = resources.get("gpus", 0.0) + item.value
            models.append(item.type)
        else:
            resources[name] = float(item.value)
    if any(models):
        properties["gpu_model"] = ", ".join(filter(None, models))
    if not cores:
        notes.append(f"node {node.id} {stated} Processors: one is assumed")
    host = Host(
        id=number,
        name=node.id,
        cores=cores or 1,
        pstates=(PowerState(_speed(node, notes)),),
        resources=resources,
        properties={name: text for name, text in properties.items() if text},
    )
    return host, notes


def _speed(node: SssNode, notes: list[str]) -> float:
    """The flop/s of a core: of the last Extension named Speed that gives any."""
    speed = DEFAULT_SPEED
    told = [extension.value for extension in node.extensions if extension.name == "Speed"]
    for text in told:
        try:
            given = float(text)
        except ValueError:
            given = nan
        if 0 < given < inf:
            speed = given
        else:
            notes.append(f"node {node.id}: Speed {text!r} is not a number above 0")
    if len(told) > 1:
        notes.append(f"node {node.id}: Speed is given {len(told)} times: {speed:g} flop/s counts")
    return speed
