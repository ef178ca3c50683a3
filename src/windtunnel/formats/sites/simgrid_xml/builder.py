"""What has been declared so far: points, hosts, links and zones, and how they become a network."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from windtunnel.diagnostics import Findings
from windtunnel.formats.sites.simgrid_xml.traces import ResourceTrace
from windtunnel.model.network import PointKind, Zone, ZonedNetwork
from windtunnel.model.network.table import TableZone
from windtunnel.model.platform import Link

__all__ = ["Builder", "HostDraft"]

LOOPBACK = "__loopback__"


@dataclass(kw_only=True)
class HostDraft:
    """A host as declared; roles and numbers come later."""

    name: str
    point: int
    line: int
    speeds: tuple[float, ...]
    cores: int = 1
    pstate: int = 0
    properties: dict[str, str] = field(default_factory=dict)
    zone_properties: Mapping[str, str] = field(default_factory=dict)
    profiles: dict[str, ResourceTrace] = field(default_factory=dict)
    """Of speed and state."""


class Builder:
    """Registers what a platform declares; duplicates are findings."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.names: list[str] = []
        self.kinds: list[PointKind] = []
        self.homes: list[int] = []
        self.lines: list[int] = []
        self.points: dict[str, int] = {}
        """Hosts, routers and zones by name."""
        self.zones: list[Zone] = []
        self.zone_lines: list[int] = []
        self.hosts: dict[str, HostDraft] = {}
        self.links: list[Link] = []
        self.link_lines: list[int] = []
        self.link_numbers: dict[str, int] = {}
        self.split: set[str] = set()
        """Ids of the links of which there are two halves, ID_UP and ID_DOWN."""
        self.host_order: list[list[str]] = []
        """Names of hosts by zone."""
        self.spots: dict[int, tuple[float, float, float]] = {}
        """Coordinates of points outside of Vivaldi zones."""
        self.counters = {"fat-tree": 0, "fat-tree-node": 0, "dragonfly": 0}
        """SimGrid numbers the links of these topologies through the whole platform."""

    def point(self, name: str, kind: PointKind, zone: int, line: int) -> int:
        """Register a point."""
        number = len(self.names)
        self.names.append(name)
        self.kinds.append(kind)
        self.homes.append(zone)
        self.lines.append(line)
        known = self.points.get(name)
        if known is None or not name:
            self.points[name] = number
            return number
        message = f"the {_word(kind)} {name!r} is declared twice (first as a {_word(self.kinds[known])} in line "
        message += f"{self.lines[known]})"
        if kind is PointKind.HOST and self.kinds[known] is PointKind.ZONE:
            self.findings.warn(message + "; routes that name it mean the host", code="same-name", line=line)
            self.points[name] = number
        else:
            self.findings.add(message, code="duplicate-id", line=line, hint="names must be unique")
        return number

    def add_zone(self, zone: Zone, line: int) -> int:
        """Register a zone whose point is already known; its number."""
        self.zones.append(zone)
        self.zone_lines.append(line)
        self.host_order.append([])
        if zone.parent >= 0:
            around = self.zones[zone.parent]
            around.leaf = False
            if isinstance(around, TableZone):
                around.members.append(zone.point)
        return len(self.zones) - 1

    def add_host(self, name: str, zone: int, line: int, speeds: tuple[float, ...]) -> HostDraft:
        """Register a host."""
        draft = HostDraft(name=name, point=self.point(name, PointKind.HOST, zone, line), line=line, speeds=speeds)
        self._join(zone, draft.point)
        if name not in self.hosts:
            self.hosts[name] = draft
            self.host_order[zone].append(name)
        return draft

    def add_router(self, name: str, zone: int, line: int) -> int:
        """Register a router."""
        point = self.point(name, PointKind.ROUTER, zone, line)
        self._join(zone, point)
        return point

    def _join(self, zone: int, point: int) -> None:
        home = self.zones[zone]
        if isinstance(home, TableZone):
            home.members.append(point)

    def add_link(self, link: Link, line: int) -> int:
        """Register a link; its number."""
        number = len(self.links)
        known = self.link_numbers.get(link.id)
        if known is not None or link.id == LOOPBACK:
            where = f" (first in line {self.link_lines[known]})" if known is not None else " (a reserved name)"
            self.findings.add(
                f"the link {link.id!r} is declared twice{where}",
                code="duplicate-id",
                line=line,
                hint="link names hold for the whole platform",
            )
        self.links.append(link)
        self.link_lines.append(line)
        self.link_numbers.setdefault(link.id, number)
        return number

    def add_split(self, name: str, bandwidth: float, latency: float, line: int) -> tuple[int, int]:
        """Register a link with one half per direction; the numbers of both."""
        self.split.add(name)
        return (
            self.add_link(Link(f"{name}_UP", bandwidth, latency), line),
            self.add_link(Link(f"{name}_DOWN", bandwidth, latency), line),
        )

    def profile_link(self, number: int, kind: str, profile: ResourceTrace) -> None:
        """Give a link a profile of BANDWIDTH, LATENCY or STATE."""
        name = kind.lower()
        pairs = tuple((date, float(value > 0)) for date, value in profile.pairs) if kind == "STATE" else profile.pairs
        changes: dict[str, Any] = {f"{name}_profile": pairs, f"{name}_period": profile.period}
        self.links[number] = msgspec.structs.replace(self.links[number], **changes)

    def ordered_hosts(self) -> list[HostDraft]:
        """SimGrid's order, by the bytes of the names (as recorded; spec/execution-model.md 1.3 sorts by zone)."""
        return [self.hosts[name] for name in sorted(self.hosts, key=lambda name: name.encode(errors="replace"))]

    def network(self, loopback: Link) -> ZonedNetwork:
        """The finished network; hosts of leaves with a table reach themselves by the common loopback link."""
        number = len(self.links)
        self.links.append(loopback)
        for zone in self.zones:
            if isinstance(zone, TableZone) and zone.leaf:
                zone.loopback = number
        return ZonedNetwork(self.links, self.names, self.kinds, self.homes, self.zones)


def _word(kind: PointKind) -> str:
    return kind.name.lower()
