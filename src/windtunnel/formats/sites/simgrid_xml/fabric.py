"""What clusters of the topologies torus, fat tree and dragonfly have in common: attributes, hosts, links."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from windtunnel.formats.sites.simgrid_xml.builder import Builder
from windtunnel.formats.sites.simgrid_xml.grammar import line_of
from windtunnel.formats.sites.simgrid_xml.units import BANDWIDTH, TIME
from windtunnel.formats.sites.simgrid_xml.values import Values
from windtunnel.model.platform import Link

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["Fabric", "add_hosts", "fits", "read_parts", "read_radical", "start_fabric"]

POSITIVE = 5e-324
MAX_LINKS = 5_000_000
"""No more links in one cluster."""


class Fabric(NamedTuple):
    """What the three topologies read alike."""

    builder: Builder
    name: str
    line: int
    bandwidth: float
    latency: float
    split: bool
    limit: float

    def join(self, link: str, times: int = 1) -> tuple[int, int]:
        """A link between two nodes: the numbers of its direction up and down (equal where it is shared)."""
        width = self.bandwidth * times
        if self.split:
            up = self.builder.add_link(Link(f"{link}_UP", width, self.latency), self.line)
            return up, self.builder.add_link(Link(f"{link}_DOWN", width, self.latency), self.line)
        both = self.builder.add_link(Link(link, width, self.latency), self.line)
        return both, both

    def limiter(self, number: int) -> int:
        """The limiter of a node or switch."""
        return self.builder.add_link(Link(f"{self.name}_link_{number}_limiter", self.limit), self.line)


def start_fabric(element: "_Element", builder: Builder, values: Values) -> Fabric:
    """The links of a cluster, from its attributes."""
    return Fabric(
        builder,
        element.get("id", ""),
        line_of(element),
        values.quantity(element, "bw", BANDWIDTH, least=POSITIVE),
        values.quantity(element, "lat", TIME),
        element.get("sharing_policy", "SPLITDUPLEX") in {"SPLITDUPLEX", "FULLDUPLEX"},
        values.quantity(element, "limiter_link", BANDWIDTH),
    )


def read_radical(element: "_Element", values: Values, needed: int) -> tuple[int, ...]:
    """The numbers of the hosts; as many as the topology has places."""
    radical = values.radical(element)
    if needed and radical and len(radical) != needed:
        values.fault(
            element,
            "bad-topology",
            f"radical names {len(radical)} hosts, but topo_parameters describe {min(needed, MAX_LINKS)} places",
        )
        return ()
    return radical


def fits(element: "_Element", values: Values, links: int) -> bool:
    """Whether a topology has no more links than can be held; otherwise it is a fault."""
    if links > MAX_LINKS:
        values.fault(element, "bad-topology", f"topo_parameters describe more than {MAX_LINKS} links")
    return links <= MAX_LINKS


def add_hosts(
    element: "_Element",
    number: int,
    radical: tuple[int, ...],
    fabric: Fabric,
    values: Values,
    around: Mapping[str, str],
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Register the hosts; the point of the first, and the loopbacks and limiters by rank."""
    builder, line = fabric.builder, fabric.line
    speeds, cores = values.speeds(element), values.integer(element, "core", 1, least=1)
    properties = values.properties(element)
    inside = builder.zones[number].properties = {**around, **properties}
    own_bandwidth = values.quantity(element, "loopback_bw", BANDWIDTH)
    own_latency = values.quantity(element, "loopback_lat", TIME)
    first, loopbacks, limiters = len(builder.names), [], []
    for rank, i in enumerate(radical):
        host = builder.add_host(f"{element.get('prefix', '')}{i}{element.get('suffix', '')}", number, line, speeds)
        host.cores, host.properties, host.zone_properties = cores, properties, inside
        if own_bandwidth > 0 or own_latency > 0:
            own = Link(f"{fabric.name}_link_{i}_loopback", own_bandwidth, own_latency, shared=False)
            loopbacks.append(builder.add_link(own, line))
        if fabric.limit > 0:
            limiters.append(fabric.limiter(rank))
    return first, tuple(loopbacks), tuple(limiters)


def read_parts(
    element: "_Element", values: Values, shape: tuple[int, ...], example: str
) -> list[tuple[int, ...]] | None:
    """``topo_parameters`` cut at semicolons into lists of so many numbers (0: any); None if it does not fit."""
    text = element.get("topo_parameters", "")
    parts = text.split(";")
    if len(parts) != len(shape):
        values.fault(
            element,
            "bad-topology",
            f"topo_parameters {text!r} has {len(parts)} parts",
            f"expected {len(shape)}, as in {example}",
        )
        return None
    lists = [values.numbers(element, "topo_parameters", part) for part in parts]
    for part, numbers, length in zip(parts, lists, shape, strict=True):
        if numbers and length and len(numbers) != length:
            values.fault(element, "bad-topology", f"topo_parameters: {part!r} should hold {length} numbers", example)
            return None
    return lists if all(lists) else None
