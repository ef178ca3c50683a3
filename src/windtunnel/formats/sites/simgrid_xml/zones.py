"""The walk through a platform's zones: hosts, routers, links, peers, clusters; routes when all is declared."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from windtunnel.diagnostics import did_you_mean
from windtunnel.formats.sites.simgrid_xml.builder import Builder, HostDraft
from windtunnel.formats.sites.simgrid_xml.clusters import POSITIVE, read_cabinet, read_cluster
from windtunnel.formats.sites.simgrid_xml.grammar import children, line_of, tag_of
from windtunnel.formats.sites.simgrid_xml.routes import read_route
from windtunnel.formats.sites.simgrid_xml.traces import ResourceTrace, Traces
from windtunnel.formats.sites.simgrid_xml.units import BANDWIDTH, SPEED, TIME
from windtunnel.formats.sites.simgrid_xml.values import Values
from windtunnel.model.network import (
    DijkstraZone,
    EmptyZone,
    FloydZone,
    FullZone,
    PointKind,
    StarZone,
    VivaldiZone,
    Zone,
)
from windtunnel.model.platform import Link

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["ZoneReader"]

ROUTINGS: Mapping[str, type[Zone]] = {
    "full": FullZone,
    "floyd": FloydZone,
    "dijkstra": DijkstraZone,
    "dijkstracache": DijkstraZone,
    "cluster": StarZone,
    "vivaldi": VivaldiZone,
    "none": EmptyZone,
}
NAMES = ("Full", "Floyd", "Dijkstra", "DijkstraCache", "Cluster", "Vivaldi", "None")
MAX_DEPTH = 200
"""Zones nested deeper than this are refused."""


class ZoneReader:
    """Reads zones into a builder."""

    def __init__(self, builder: Builder, values: Values, traces: Traces) -> None:
        self.builder = builder
        self.values = values
        self.traces = traces
        self.routes: list[tuple[_Element, int]] = []

    def read_root(self, root: "_Element") -> None:
        """The outermost zone and, when everything is declared, routes and profiles."""
        outermost = list(children(root, "zone", "cluster"))
        for element in outermost[1:]:
            message = f"a second outermost {element.tag} (the first is in line {outermost[0].sourceline})"
            self.values.fault(element, "second-root", message, "put both into one <zone>")
        for element in children(root, "cabinet", "peer"):
            self.values.fault(element, "misplaced-element", f"<{element.tag}> is outside of any zone")
        if not outermost:
            self.values.fault(root, "no-zone", "the platform holds no zone", "expected one <zone> or <cluster>")
        for element in outermost:
            if tag_of(element) == "zone":
                self.zone(element, -1, {}, 0)
            else:
                read_cluster(element, -1, self.builder, self.values, {})
        for element, zone in self.routes:
            read_route(element, zone, self.builder, self.values)
        for element in root.iter("trace_connect"):
            self.connect(element)

    def zone(self, element: "_Element", parent: int, around: Mapping[str, str], depth: int) -> None:
        """A zone and all inside it."""
        builder, values = self.builder, self.values
        name, routing, line = element.get("id", ""), element.get("routing", "Full"), line_of(element)
        if depth > MAX_DEPTH:
            values.fault(element, "too-deep", f"zones are nested more than {MAX_DEPTH} deep")
            return
        kind = ROUTINGS.get(routing.lower())
        if kind is None:
            hint = (
                "Wifi networks are not supported"
                if routing.lower() == "wifi"
                else did_you_mean(
                    routing, ("Full", "Floyd", "Dijkstra", "DijkstraCache", "Cluster", "Vivaldi", "None")
                )
            )
            values.fault(element, "unknown-routing", f"zone {name!r}: unknown routing {routing!r}", hint)
            kind = FullZone
        point = self.zone_point(element, name, parent, line)
        properties = {**around, **values.properties(element)}
        zone = kind(name=name, point=point, parent=parent, properties=properties)
        number = builder.add_zone(zone, line)
        for child in element:
            self.member(child, number, properties, depth)
        if isinstance(zone, StarZone) and not isinstance(zone, VivaldiZone):
            self.star_members(element, number, zone, properties)
        if isinstance(zone, VivaldiZone):
            self.vivaldi_gateways(element, number, zone)

    def zone_point(self, element: "_Element", name: str, parent: int, line: int) -> int:
        """Register the zone's point; a zone named like one around it gets its own message."""
        around, number = [], parent
        while number >= 0:
            around.append(self.builder.zones[number].name)
            number = self.builder.zones[number].parent
        if name and name in around:
            message = f"the zone {name!r} lies in a zone of the same name: a zone cannot contain itself"
            self.values.fault(element, "cyclic-zone", message, "give it another id")
            name = ""
        return self.builder.point(name, PointKind.ZONE, parent, line)

    def member(self, child: "_Element", number: int, around: Mapping[str, str], depth: int) -> None:
        """One child of a zone."""
        tag, line = tag_of(child), line_of(child)
        if tag == "zone":
            self.zone(child, number, around, depth + 1)
        elif tag == "cluster":
            read_cluster(child, number, self.builder, self.values, around)
        elif tag == "host":
            self.host(child, number, around)
        elif tag == "router":
            point = self.builder.add_router(child.get("id", ""), number, line)
            self.place(child, number, point)
        elif tag == "peer":
            self.peer(child, number, around)
        elif tag == "link":
            self.link(child)
        elif tag in {"route", "zoneRoute", "bypassRoute", "bypassZoneRoute"}:
            self.routes.append((child, number))
        elif tag in {"backbone", "cabinet", "host_link"}:
            zone = self.builder.zones[number]
            if not isinstance(zone, StarZone) or isinstance(zone, VivaldiZone):
                message = f"<{tag}> stands in a zone with routing {zone.routing}"
                self.values.fault(child, "misplaced-element", message, "it needs a zone with routing Cluster")

    def host(self, element: "_Element", number: int, around: Mapping[str, str]) -> None:
        """``<host>``."""
        values = self.values
        speeds = values.speeds(element)
        draft = self.builder.add_host(element.get("id", ""), number, line_of(element), speeds)
        draft.cores = values.integer(element, "core", 1, least=1)
        draft.pstate = values.integer(element, "pstate", 0, least=0, most=len(speeds) - 1)
        draft.properties = values.properties(element)
        draft.zone_properties = around
        self.profiles(draft, self.traces.of_files(element))
        self.place(element, number, draft.point)

    def profiles(self, draft: HostDraft, found: Mapping[str, ResourceTrace]) -> None:
        """Attach profiles to a host."""
        if "SPEED" in found:
            draft.profiles["speed"] = found["SPEED"]
        if "STATE" in found:
            draft.profiles["state"] = found["STATE"]

    def place(self, element: "_Element", number: int, point: int) -> None:
        """Note the coordinates of a host or router."""
        zone = self.builder.zones[number]
        spot = self.values.coordinates(element)
        if isinstance(zone, VivaldiZone):
            if spot is None:
                message = f"{element.get('id')!r} has no coordinates, which routing Vivaldi needs"
                self.values.fault(element, "no-coordinates", message, "write coordinates='x y height'")
            else:
                zone.coordinates[point] = spot
        elif spot is not None:
            self.builder.spots[point] = spot

    def peer(self, element: "_Element", number: int, around: Mapping[str, str]) -> None:
        """``<peer>``: a host with a link up and one down, in a Vivaldi zone."""
        values, builder, line = self.values, self.builder, line_of(element)
        zone = builder.zones[number]
        if not isinstance(zone, VivaldiZone):
            message = f"<peer> stands in a zone with routing {zone.routing}"
            values.fault(element, "misplaced-element", message, "it needs a zone with routing Vivaldi")
            return
        if element.get("lat"):
            message = "lat of <peer> is ignored: the coordinates give the latency"
            values.warn(element, "ignored-attribute", message)
        speed = values.quantity(element, "speed", SPEED)
        draft = builder.add_host(element.get("id", ""), number, line, (speed,))
        draft.zone_properties = around
        self.profiles(draft, self.traces.of_files(element))
        self.place(element, number, draft.point)
        up = Link(f"link_{draft.name}_UP", values.quantity(element, "bw_out", BANDWIDTH, least=POSITIVE))
        down = Link(f"link_{draft.name}_DOWN", values.quantity(element, "bw_in", BANDWIDTH, least=POSITIVE))
        zone.up[draft.point] = (builder.add_link(up, line),)
        zone.down[draft.point] = (builder.add_link(down, line),)

    def link(self, element: "_Element") -> None:
        """``<link>``: one link, or two halves with SPLITDUPLEX."""
        values, line, name = self.values, line_of(element), element.get("id", "")
        policy = element.get("sharing_policy", "SHARED")
        values.properties(element)
        if policy == "WIFI":
            values.fault(element, "unsupported", f"link {name!r} is WIFI, which is not supported")
            return
        bandwidth = values.quantity(element, "bandwidth", BANDWIDTH)
        if not bandwidth and element.get("bandwidth"):
            values.warn(element, "zero-bandwidth", f"link {name!r} has no bandwidth: transfers over it never end")
        latency = values.quantity(element, "latency", TIME)
        found = self.traces.of_files(element)
        if policy in {"SPLITDUPLEX", "FULLDUPLEX"}:
            numbers: tuple[int, ...] = self.builder.add_split(name, bandwidth, latency, line)
        else:
            numbers = (self.builder.add_link(Link(name, bandwidth, latency, policy != "FATPIPE"), line),)
        for number in numbers:
            for kind, profile in found.items():
                self.builder.profile_link(number, kind, profile)

    def star_members(self, element: "_Element", number: int, zone: StarZone, around: Mapping[str, str]) -> None:
        """Backbone, host links and cabinets of a zone with routing ``Cluster``: SimGrid reads them last."""
        trunk: tuple[int, ...] = ()
        for i, child in enumerate(children(element, "backbone")):
            if i:
                self.values.warn(
                    child, "second-backbone", f"a further backbone in zone {zone.name!r}: the last counts"
                )
            bandwidth = self.values.quantity(child, "bandwidth", BANDWIDTH, least=POSITIVE)
            latency = self.values.quantity(child, "latency", TIME)
            trunk = (self.builder.add_link(Link(child.get("id", ""), bandwidth, latency), line_of(child)),)
        for child in children(element, "host_link"):
            self.host_link(child, number, zone, trunk)
        for child in children(element, "cabinet"):
            read_cabinet(child, number, trunk, self.builder, self.values, around)

    def host_link(self, element: "_Element", number: int, zone: StarZone, trunk: tuple[int, ...]) -> None:
        """``<host_link>``: the links by which a host reaches the centre."""
        builder, name = self.builder, element.get("id")
        host = builder.hosts.get(name or "")
        if name is None:
            return
        if host is None or builder.homes[host.point] != number:
            inside = builder.host_order[number]
            message = f"host_link: the zone {zone.name!r} has no host {name!r}"
            self.values.fault(element, "unknown-end", message, self.values.suggest(name, lambda: inside))
            return
        numbers: list[int] = []
        for attribute in ("up", "down"):
            link = element.get(attribute)
            if link is None:
                continue
            if link not in builder.link_numbers:
                hint = self.values.suggest(link, lambda: builder.link_numbers)
                self.values.fault(element, "unknown-link", f"{attribute}: no link is called {link!r}", hint)
            else:
                numbers.append(builder.link_numbers[link])
        if len(numbers) == 2:
            zone.up[host.point] = (numbers[0], *trunk)
            zone.down[host.point] = (*trunk, numbers[1])

    def vivaldi_gateways(self, element: "_Element", number: int, zone: VivaldiZone) -> None:
        """Inner zones of a Vivaldi zone are reached by their router ``router_ZONE``, whose coordinates count."""
        builder = self.builder
        for child in children(element, "zone", "cluster"):
            name = child.get("id", "")
            point, gateway = builder.points.get(name), builder.points.get(f"router_{name}")
            if point is None or builder.homes[point] != number:
                continue
            if gateway is None or gateway not in builder.spots:
                message = (
                    f"the zone {name!r} lies in a Vivaldi zone and has no router 'router_{name}' with coordinates"
                )
                self.values.fault(child, "unknown-gateway", message, "SimGrid enters the zone by that router")
            else:
                zone.gateways[point] = gateway
                zone.coordinates[point] = builder.spots[gateway]

    def connect(self, element: "_Element") -> None:
        """``<trace_connect>``: give a host or link its profile."""
        found = self.traces.connected(element)
        if found is None:
            return
        kind, name, profile = found
        builder = self.builder
        if kind in {"SPEED", "HOST_AVAIL"}:
            host = builder.hosts.get(name)
            if host is None:
                hint = self.values.suggest(name, lambda: builder.hosts)
                self.values.fault(element, "unknown-end", f"trace_connect: there is no host {name!r}", hint)
            else:
                host.profiles["speed" if kind == "SPEED" else "state"] = profile
            return
        number = builder.link_numbers.get(name)
        if number is None:
            hint = self.values.suggest(name, lambda: builder.link_numbers)
            self.values.fault(element, "unknown-link", f"trace_connect: there is no link {name!r}", hint)
        else:
            builder.profile_link(number, "STATE" if kind == "LINK_AVAIL" else kind, profile)
