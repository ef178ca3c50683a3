"""Traps that SimGrid accepts in silence: said as warnings."""

from windtunnel.diagnostics import Findings
from windtunnel.formats.sites.simgrid_xml.builder import Builder
from windtunnel.model.network import EmptyZone, FullZone, PointKind, StarZone, VivaldiZone, ZonedNetwork
from windtunnel.model.network.table import TableZone

__all__ = ["check_network"]


def check_network(builder: Builder, network: ZonedNetwork, findings: Findings) -> None:
    """Warn of members of a zone between which nothing is declared."""
    inhabited = {network.zones[z].point for home in _homes_of_hosts(network) for z in network.way_up(home)}
    members: dict[int, list[int]] = {}
    for point, home in enumerate(network.homes):
        if home >= 0 and (network.kinds[point] is PointKind.HOST or point in inhabited):
            members.setdefault(home, []).append(point)
    for number, zone in enumerate(network.zones):
        points = members.get(number, [])
        line = builder.zone_lines[number]
        if isinstance(zone, EmptyZone) and len(points) > 1:
            message = (
                f"zone {zone.name!r} has routing None: its hosts can compute, but any communication stops the run"
            )
            findings.warn(message, code="no-routing", line=line)
        elif isinstance(zone, StarZone) and not isinstance(zone, VivaldiZone):
            lonely = [p for p in points if p not in zone.up]
            if lonely and zone.leaf:
                message = f"zone {zone.name!r}: {_several(network, lonely)} no <host_link>: communication is free"
                findings.warn(message, code="no-host-link", line=line)
        elif isinstance(zone, FullZone):
            _check_full(zone, points, network, findings, line)
        elif isinstance(zone, TableZone):
            _check_paths(zone, points, network, findings, line)


def _homes_of_hosts(network: ZonedNetwork) -> set[int]:
    return {home for kind, home in zip(network.kinds, network.homes, strict=True) if kind is PointKind.HOST}


def _several(network: ZonedNetwork, points: list[int]) -> str:
    names = ", ".join(repr(network.names[p]) for p in points[:3])
    if len(points) == 1:
        return f"host {names} has"
    return f"hosts {names}{f' and {len(points) - 3} more' if len(points) > 3 else ''} have"


def _check_full(zone: FullZone, points: list[int], network: ZonedNetwork, findings: Findings, line: int) -> None:
    """Between hosts a missing route is free; between zones it stops the run."""
    inside = set(points)
    declared = sum(a in inside and b in inside and a != b for a, b in zone.declared)
    missing = len(points) * (len(points) - 1) - declared
    if missing <= 0:
        return
    a, b = next((a, b) for a in points for b in points if a != b and (a, b) not in zone.declared)
    pair = f"from {network.names[a]!r} to {network.names[b]!r}"
    if zone.leaf:
        message = (
            f"zone {zone.name!r} (Full) lacks {missing} routes, for instance {pair}: communication there is free and "
        )
        message += "takes no time"
        findings.warn(message, code="missing-route", line=line, hint="declare the routes, if communication matters")
    else:
        message = (
            f"zone {zone.name!r} (Full) lacks {missing} routes between zones, for instance {pair}: communication "
        )
        message += "there stops the run"
        findings.warn(message, code="missing-route", line=line, hint="declare a zoneRoute")


def _check_paths(zone: TableZone, points: list[int], network: ZonedNetwork, findings: Findings, line: int) -> None:
    """Whether every member reaches every other: all reach the first, and it reaches all."""
    if len(points) < 2:
        return
    onward: dict[int, list[int]] = {}
    back: dict[int, list[int]] = {}
    for a, b in zone.declared:
        onward.setdefault(a, []).append(b)
        back.setdefault(b, []).append(a)
    for edges, order in ((onward, (0, 1)), (back, (1, 0))):
        reached, waiting = {points[0]}, [points[0]]
        while waiting:
            for point in edges.get(waiting.pop(), ()):
                if point not in reached:
                    reached.add(point)
                    waiting.append(point)
        cut = next((p for p in points if p not in reached), None)
        if cut is not None:
            pair = (points[0], cut)
            start, end = (network.names[pair[i]] for i in order)
            message = f"zone {zone.name!r} ({zone.routing}): there is no route from {start!r} to {end!r}: "
            message += "communication there stops the run"
            findings.warn(message, code="missing-route", line=line)
            return
