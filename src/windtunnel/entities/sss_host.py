"""A host as an SSS node and back: what it has, what is used of it, what state it is in (decisions.md 21).

Amounts are whole numbers of the largest unit that loses nothing. The law: a host written and read back has the same
name, cores, resources, speed and properties that a node can carry (``opsys``, ``arch``, ``features``, ``gpu_model``).
"""

from collections.abc import Iterable, Mapping
from math import floor
from typing import Final

import msgspec

from windtunnel.entities.sss_node import Consumable, Extension, SssNode
from windtunnel.entities.sss_units import best_units, in_bytes
from windtunnel.model import Host, PowerState

__all__ = ["HostUse", "IntervalUse", "host_node", "host_of_node", "state_of"]

_IN_BYTES: Final = {"memory": "Memory", "disk": "Disk", "swap": "Swap"}
_RESOURCES: Final = {"gpus": "GPU"}
_NAMES: Final = {element: name for name, element in _IN_BYTES.items()}
DEFAULT_SPEED: Final = 1e9
"""flop/s of a core where a node says nothing of it."""

_NOTHING: Mapping[str, float] = {}


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


def host_node(host: Host, use: HostUse) -> SssNode:
    """The node that describes a host in use."""
    properties = host.properties
    has = {"cores": float(host.cores), **host.resources}
    extensions = [Extension("Speed", repr(host.speed), "flop/s")]
    if use.state not in {"ACTIVE", ""}:
        extensions.append(Extension("MachineState", use.state))
    usable = use.state in {"ACTIVE", ""}
    used = use.used
    if use.over is None:
        free = {name: max(amount - used.get(name, 0.0), 0.0) if usable else 0.0 for name, amount in has.items()}
        available = _consumables(host, free, "Instantaneous")
        utilized = _consumables(host, {name: used.get(name, 0.0) for name in has}, "Instantaneous")
    else:
        left = {name: use.over.free(name, amount) for name, amount in has.items()}
        left["cores"] = float(floor(left["cores"]))
        available = _consumables(host, left, "Average", use.over)
        utilized = (
            *_consumables(host, {name: use.over.average.get(name, 0.0) for name in has}, "Average", use.over, has),
            *_consumables(host, {name: use.over.peak.get(name, 0.0) for name in has}, "Max", use.over),
        )
    return SssNode(
        id=host.name,
        opsys=properties.get("opsys", ""),
        arch=properties.get("arch", ""),
        state=state_of(use),
        features=tuple(part for part in properties.get("features", "").split(",") if part),
        extensions=tuple(extensions),
        configured=_consumables(host, has, ""),
        available=available,
        utilized=utilized,
    )


def _consumables(
    host: Host,
    amounts: Mapping[str, float],
    metric: str,
    over: IntervalUse | None = None,
    rates_of: Mapping[str, float] = _NOTHING,
) -> tuple[Consumable, ...]:
    made = []
    for name, amount in amounts.items():
        element, kind, model, value, units = _written(host, name, amount)
        rate = amount / rates_of[name] if rates_of.get(name) else None
        made.append(
            Consumable(
                element=element,
                value=value,
                units=units,
                metric=metric,
                wall_duration=over.seconds if over else None,
                consumption_rate=rate,
                name=kind,
                type=model,
            )
        )
    return tuple(made)


def _written(host: Host, name: str, amount: float) -> tuple[str, str, str, int | float, str]:
    """Element, name and type of a ``Resource``, value and units. Processors must be whole: rounded up."""
    whole = int(amount) if amount == int(amount) else amount
    if name == "cores":
        return "Processors", "", "", -int(-amount // 1), "processors"
    if name in _IN_BYTES:
        value, units = best_units(round(amount))
        return _IN_BYTES[name], "", "", value, units
    if name == "network":
        return "Network", "", "", whole, "B/s"
    if name in _RESOURCES:
        return "Resource", _RESOURCES[name], host.properties.get("gpu_model", ""), whole, "count"
    what, _, kind = name.partition(":")
    return "Resource", what, kind, whole, "count"


def host_of_node(number: int, node: SssNode) -> tuple[Host, list[str]]:
    """The host that a node describes, and what had to be assumed."""
    notes = []
    items: Iterable[Consumable] = node.configured
    if not node.configured and node.available:
        notes.append(f"node {node.id} has no Configured: what is Available is taken as all there is")
        items = node.available
    cores = 0
    resources: dict[str, float] = {}
    properties = {"opsys": node.opsys, "arch": node.arch, "features": ",".join(node.features)}
    for item in items:
        if item.element == "Processors":
            cores = int(item.value)
        elif item.element in _NAMES:
            resources[_NAMES[item.element]] = float(in_bytes(item.value, item.units))
        elif item.element == "Network":
            resources["network"] = float(item.value)
        elif item.name == "GPU":
            resources["gpus"] = resources.get("gpus", 0.0) + item.value
            properties["gpu_model"] = item.type
        else:
            resources[f"{item.name}:{item.type}" if item.type else item.name] = float(item.value)
    if not cores:
        notes.append(f"node {node.id} says nothing of Processors: one is assumed")
    speed, told = DEFAULT_SPEED, {extension.name: extension.value for extension in node.extensions}
    if "Speed" in told:
        try:
            speed = float(told["Speed"])
        except ValueError:
            notes.append(f"node {node.id}: Speed {told['Speed']!r} is no number")
    host = Host(
        id=number,
        name=node.id,
        cores=cores or 1,
        pstates=(PowerState(speed),),
        resources=resources,
        properties={name: text for name, text in properties.items() if text},
    )
    return host, notes
