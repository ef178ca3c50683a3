"""``<cluster>`` and ``<cabinet>``: many equal hosts at once (spec/execution-model.md 1.7)."""

from typing import TYPE_CHECKING

from windtunnel.formats.sites.simgrid_xml.builder import Builder
from windtunnel.formats.sites.simgrid_xml.grammar import line_of
from windtunnel.formats.sites.simgrid_xml.topologies import read_dragonfly, read_fat_tree, read_torus
from windtunnel.formats.sites.simgrid_xml.units import BANDWIDTH, SPEED, TIME
from windtunnel.formats.sites.simgrid_xml.values import Values
from windtunnel.model.network import PointKind, StarZone
from windtunnel.model.platform import Link

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.etree import _Element

__all__ = ["read_cabinet", "read_cluster"]

POSITIVE = 5e-324
"""The smallest number above 0: what must be positive is at least this."""


def read_cluster(
    element: "_Element", parent: int, builder: Builder, values: Values, around: "Mapping[str, str]"
) -> None:
    """A cluster: a zone with its hosts and links."""
    topology = element.get("topology", "FLAT")
    if element.get("sharing_policy") == "FATPIPE":
        values.warn(
            element,
            "fatpipe-cluster",
            f"cluster {element.get('id')!r} has sharing_policy FATPIPE, but SimGrid makes its links SHARED",
            "its links are shared here too; declare links one by one to have FATPIPE",
        )
    if topology == "FLAT":
        _read_flat(element, parent, builder, values, around)
        return
    if element.get("router_id"):
        values.warn(
            element, "ignored-attribute", f"router_id is ignored: a cluster of topology {topology} has no router"
        )
    readers = {"TORUS": read_torus, "FAT_TREE": read_fat_tree, "DRAGONFLY": read_dragonfly}
    if topology in readers:
        readers[topology](element, parent, builder, values, around)


def _read_flat(
    element: "_Element", parent: int, builder: Builder, values: Values, around: "Mapping[str, str]"
) -> None:
    name, line = element.get("id", ""), line_of(element)
    prefix, suffix = element.get("prefix", ""), element.get("suffix", "")
    bandwidth = values.quantity(element, "bw", BANDWIDTH, least=POSITIVE)
    latency = values.quantity(element, "lat", TIME)
    limit = values.quantity(element, "limiter_link", BANDWIDTH)
    own_bandwidth = values.quantity(element, "loopback_bw", BANDWIDTH)
    own_latency = values.quantity(element, "loopback_lat", TIME)
    trunk_bandwidth = values.quantity(element, "bb_bw", BANDWIDTH)
    trunk_latency = values.quantity(element, "bb_lat", TIME)
    speeds, cores = values.speeds(element), values.integer(element, "core", 1, least=1)
    split = element.get("sharing_policy", "SPLITDUPLEX") in {"SPLITDUPLEX", "FULLDUPLEX"}
    properties = values.properties(element)

    # SimGrid gives the properties of a cluster to each host and to the zone.
    inside = {**around, **properties}
    zone = StarZone(
        name=name, point=builder.point(name, PointKind.ZONE, parent, line), parent=parent, properties=inside
    )
    number = builder.add_zone(zone, line)
    trunk: tuple[int, ...] = ()
    if trunk_bandwidth > 0 or trunk_latency > 0:
        if not trunk_bandwidth:
            values.fault(element, "bad-number", f"cluster {name!r} has bb_lat but no bb_bw: nothing could pass")
        shared = element.get("bb_sharing_policy", "SHARED") != "FATPIPE"
        trunk = (builder.add_link(Link(f"{name}_backbone", trunk_bandwidth, trunk_latency, shared), line),)
    for i in values.radical(element):
        host = builder.add_host(f"{prefix}{i}{suffix}", number, line, speeds)
        host.cores, host.properties, host.zone_properties = cores, properties, inside
        link = f"{name}_link_{i}"
        if own_bandwidth > 0 or own_latency > 0:
            own = builder.add_link(Link(f"{link}_loopback", own_bandwidth, own_latency, shared=False), line)
            zone.loopback[host.point] = (own,)
        limiter: tuple[int, ...] = ()
        if limit > 0:
            limiter = (builder.add_link(Link(f"{link}_limiter", limit), line),)
        if split:
            up, down = builder.add_split(link, bandwidth, latency, line)
        else:
            up = down = builder.add_link(Link(link, bandwidth, latency), line)
        zone.up[host.point] = (*limiter, up, *trunk)
        zone.down[host.point] = (*trunk, down, *limiter)
    builder.add_router(element.get("router_id") or f"{prefix}{name}_router{suffix}", number, line)


def read_cabinet(
    element: "_Element",
    number: int,
    trunk: tuple[int, ...],
    builder: Builder,
    values: Values,
    around: "Mapping[str, str]",
) -> None:
    """A cabinet of a zone with routing ``Cluster``: hosts, each with a link up and one down."""
    zone, line = builder.zones[number], line_of(element)
    assert isinstance(zone, StarZone), "checked by the caller"
    prefix, suffix = element.get("prefix", ""), element.get("suffix", "")
    speed = values.quantity(element, "speed", SPEED)
    bandwidth = values.quantity(element, "bw", BANDWIDTH, least=POSITIVE)
    latency = values.quantity(element, "lat", TIME)
    for i in values.radical(element):
        host = builder.add_host(f"{prefix}{i}{suffix}", number, line, (speed,))
        host.zone_properties = around
        up = builder.add_link(Link(f"link_{host.name}_UP", bandwidth, latency), line)
        down = builder.add_link(Link(f"link_{host.name}_DOWN", bandwidth, latency), line)
        zone.up[host.point] = (up, *trunk)
        zone.down[host.point] = (*trunk, down)
